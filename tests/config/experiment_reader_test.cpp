#include "config/experiment_reader.hpp"

#include "base/paths.hpp"
#include "config/config_file.hpp"
#include "config/experiment_writer.hpp"

namespace qkvlab {
namespace {

class ExperimentReader : public ConfigFileTest {};

constexpr const char* kSmall = R"({"task": {"kind": "induction"}, "training": {"steps": 5}})";

TEST_F(ExperimentReader, WhatIsNotGivenHasItsDefault) {
  const ExperimentConfig config = read(kSmall);
  EXPECT_EQ(config.name, "x");
  EXPECT_EQ(std::get<InductionTask>(config.task).vocabulary, 32);
  EXPECT_EQ(std::get<TransformerConfig>(config.model).d_model, 64);
  EXPECT_EQ(std::get<TransformerConfig>(config.model).mlp->ratio, 4);
  EXPECT_EQ(std::get<SgdConfig>(config.training.optimizer).lr, 0.1);
  EXPECT_FALSE(config.training.epochs);
  EXPECT_EQ(config.limits.memory_mb, 8192);
}

TEST_F(ExperimentReader, EveryKindOfValueIsRead) {
  const ExperimentConfig config = read(R"({
    "$schema": "config.schema.json", "name": "mine",
    "task": {"kind": "sequence", "rule": "swap_halves", "layout": "continued", "train_examples": 9,
             "held_out": 0.25},
    "model": {"kind": "transformer", "d_model": 32, "causal": false, "mlp": null, "norm": "post",
              "attention": {"mode": "shared_qk", "packed": true}, "dropout": {"residual": 0.1}},
    "training": {"epochs": 3, "optimizer": {"kind": "adamw", "lr": 1e-4, "decay": "all"},
                 "schedule": {"kind": "cosine", "warmup_fraction": 0.1}, "grad_clip": 1,
                 "evaluate": {"every": 5}, "target": {"metric": "test.exact", "value": 0.5}},
    "random": {"scheme": "torch_stream", "seed": 31},
    "record": {"attention": {"every": 10, "layers": [0, 1], "heads": []}},
    "run": {"device": "cuda:1"}, "limits": {"seconds": 2.5}})");
  EXPECT_EQ(config.name, "mine");
  const auto& task = std::get<SequenceTask>(config.task);
  EXPECT_EQ(task.rule, SequenceRule::kSwapHalves);
  EXPECT_EQ(task.layout, SequenceLayout::kContinued);
  EXPECT_EQ(task.held_out, 0.25);
  const auto& model = std::get<TransformerConfig>(config.model);
  EXPECT_EQ(model.d_model, 32);
  EXPECT_FALSE(model.causal);
  EXPECT_FALSE(model.mlp);
  EXPECT_EQ(model.norm, NormPlace::kPost);
  EXPECT_EQ(model.attention.plan.mode, "shared_qk");
  EXPECT_EQ(model.attention.plan.key, Source::kQuery);
  EXPECT_TRUE(model.attention.packed);
  EXPECT_EQ(model.dropout.residual, 0.1);
  EXPECT_EQ(config.training.epochs, 3);
  const auto& adamw = std::get<AdamWConfig>(config.training.optimizer);
  EXPECT_EQ(adamw.lr, 1e-4);
  EXPECT_EQ(adamw.beta2, 0.999);
  EXPECT_EQ(adamw.decay, Decay::kAll);
  EXPECT_EQ(std::get<CosineSchedule>(config.training.schedule).warmup_fraction, 0.1);
  EXPECT_EQ(config.training.grad_clip, 1.0);
  EXPECT_EQ(config.training.target->metric, "test.exact");
  EXPECT_EQ(config.random.scheme, RandomScheme::kTorchStream);
  EXPECT_EQ(config.record.attention.layers, (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(config.record.attention.heads.empty());
  EXPECT_EQ(config.run.device, "cuda:1");
  EXPECT_EQ(config.limits.seconds, 2.5);
}

TEST_F(ExperimentReader, AnAttentionPlanIsItsModeWhereItHasOne) {
  const auto plan = [&](const std::string& attention) {
    const ExperimentConfig config = read(kSmall, {"model.attention=" + attention});
    return std::get<TransformerConfig>(config.model).attention.plan;
  };
  EXPECT_EQ(plan(R"({"plan": {"k": "q"}})").mode, "shared_qk");
  EXPECT_EQ(plan("{}").mode, "full");
  const ProjectionPlan own = plan(R"({"plan": {"q": "own", "k": "q", "v": "identity"}})");
  EXPECT_EQ(own.mode, "");
  EXPECT_EQ(own.query, Source::kOwn);
  EXPECT_EQ(own.key, Source::kQuery);
  EXPECT_EQ(own.value, Source::kIdentity);
}

TEST_F(ExperimentReader, OverridesCountAsIfTheFileSaidSo) {
  const ExperimentConfig config = read(
      R"({"task": {"kind": "induction"}, "training": {"steps": 5, "optimizer":
               {"kind": "sgd", "lr": 0.3, "momentum": 0.9}}, "model": {"mlp": null}})",
      {"model.attention.mode=uniform", "training.optimizer.kind=adam",
       "training.optimizer.beta1=0.5", "training.epochs=null", "model.mlp.ratio=2", "name=other"});
  EXPECT_EQ(config.name, "other");
  const auto& model = std::get<TransformerConfig>(config.model);
  EXPECT_EQ(model.attention.plan.mode, "uniform");
  EXPECT_EQ(model.mlp->ratio, 2);
  const auto& adam = std::get<AdamConfig>(config.training.optimizer);
  EXPECT_EQ(adam.lr, 1e-3) << "the learning rate of another optimiser";
  EXPECT_EQ(adam.beta1, 0.5);
}

TEST_F(ExperimentReader, ComplaintsNameLinePathAndWhatIsAllowed) {
  EXPECT_EQ(complaint("{\"training\": {\"steps\": 5},\n\"model\": {\"n_layers\": 0}}"),
            "x.json:2: model.n_layers: must be an integer from 1 to 1024, got 0");
  EXPECT_EQ(complaint(R"({"model": {"n_head": 2}})"),
            "x.json:1: model.n_head: unknown key 'n_head'; allowed: attention, bias, causal, "
            "d_model, dropout, embedding, init, kind, max_length, mlp, n_heads, n_layers, norm, "
            "output, position or tie_head; did you mean 'n_heads'?");
  EXPECT_EQ(complaint(R"({"model": {"norm": "per"}})"),
            "x.json:1: model.norm: unknown value 'per'; allowed: pre or post; "
            "did you mean 'pre'?");
  EXPECT_EQ(complaint(R"({"task": {"kind": "sequnce"}})").substr(0, 48),
            "x.json:1: task.kind: unknown kind 'sequnce'; all");
  EXPECT_EQ(
      complaint(R"({"training": {"optimizer": {"lr": 0}}})"),
      "x.json:1: training.optimizer.lr: must be a number above 0 and of at most 1e+30, got 0");
  EXPECT_EQ(complaint(R"({"model": {"dropout": {"residual": 1}}})"),
            "x.json:1: model.dropout.residual: must be a number of at least 0 and below 1, got 1");
  EXPECT_EQ(complaint(R"({"model": {"attention": {"mode": "unifrom"}}})").substr(0, 61),
            "x.json:1: model.attention.mode: unknown mode 'unifrom'; allow");
  EXPECT_EQ(complaint(R"({"record": {"attention": {"layers": [0, -1]}}})"),
            "x.json:1: record.attention.layers[1]: must be an integer of at least 0, got -1");
  EXPECT_EQ(complaint(R"({"seed": 1, "seed": 2})"),
            "x.json:1: seed: duplicate key 'seed', already on line 1");
  EXPECT_EQ(complaint("[]"), "x.json:1: must be an object, got an array");
}

TEST_F(ExperimentReader, ComplaintsAboutAnOverrideNameIt) {
  EXPECT_EQ(complaint(kSmall, {"training.optimizer.lr=abc"}),
            "training.optimizer.lr=abc: training.optimizer.lr: must be a number, got a string");
  EXPECT_EQ(complaint(kSmall, {"model.mlp={\"rati\": 2}"}),
            "model.mlp={\"rati\": 2}: model.mlp.rati: unknown key 'rati'; allowed: activation, "
            "hidden or ratio; did you mean 'ratio'?");
  EXPECT_EQ(complaint(kSmall, {"modle.mlp=null"}).substr(0, 51),
            "modle.mlp=null: modle: unknown key 'modle'; allowed");
}

TEST_F(ExperimentReader, APlanMustBeOneAndNotBorrowFromABorrower) {
  EXPECT_EQ(complaint(R"({"model": {"attention": {"mode": "full", "plan": {}}}})"),
            "x.json:1: model.attention.plan: cannot be combined with a mode");
  EXPECT_EQ(complaint(R"({"model": {"attention": {"plan": {"k": "q", "v": "k"}}}})"),
            "x.json:1: model.attention.plan.v: may not reference another reference");
  EXPECT_EQ(complaint(R"({"model": {"attention": {"plan": {"q": "mine"}}}})").substr(0, 59),
            "x.json:1: model.attention.plan.q: unknown value 'mine'; all");
}

TEST_F(ExperimentReader, AMisspeltKeyIsNamedBeforeTheOneThatIsMissing) {
  EXPECT_EQ(complaint(R"({"task": {"kind": "text", "fiel": "a.txt"}})").substr(0, 43),
            "x.json:1: task.fiel: unknown key 'fiel'; al");
  EXPECT_EQ(complaint(R"({"task": {"kind": "text"}})"), "x.json:1: task: must have the key 'file'");
}

TEST_F(ExperimentReader, AnInputFileIsFoundBesideTheConfigAndAboveIt) {
  const std::string text =
      R"({"task": {"kind": "text", "file": "a.txt", "context": 3, "validation": 0.5},
                               "training": {"steps": 1}})";
  const auto file_of = [](const ExperimentConfig& config) {
    return std::get<TextTask>(config.task).file;
  };
  std::filesystem::create_directory(folder_.file("configs"));
  const std::string path = folder_.write("configs/x.json", text);
  const std::string missing = user_error([&] { read_experiment_config(path); });
  EXPECT_NE(missing.find("x.json:1: task.file: 'a.txt': no such file; tried "), std::string::npos)
      << missing;
  for (const std::string& folder :
       {folder_.path() + "/configs", folder_.path(), shared_directory().string()}) {
    EXPECT_NE(missing.find(folder + "/a.txt"), std::string::npos) << missing;
  }
  const std::string above = folder_.write("a.txt", "abcabcabcabcabcabc");
  EXPECT_EQ(file_of(read_experiment_config(path)), above);
  const std::string beside = folder_.write("configs/a.txt", "abcabcabcabcabcabc");
  EXPECT_EQ(file_of(read_experiment_config(path)), beside);
}

TEST_F(ExperimentReader, PathsThatRecordsCannotHoldAreRefused) {
  const std::string folder = folder_.file("\xFF");
  std::filesystem::create_directory(folder);
  folder_.write("\xFF/a.txt", "abcabcabcabcabcabc");
  const std::string path = folder_.write(
      "\xFF/x.json", R"({"task": {"kind": "text", "file": "a.txt"}, "training": {"steps": 1}})");
  EXPECT_NE(user_error([&] {
              read_experiment_config(path);
            }).find("task.file: 'a.txt': the path to it must be UTF-8"),
            std::string::npos);
  EXPECT_NE(user_error([&] {
              read_experiment_config(folder_.write("\xFE.json", kSmall));
            }).find("name: must be given, since that of the file is not UTF-8"),
            std::string::npos);
}

TEST_F(ExperimentReader, TheOutputIsResolved) {
  EXPECT_EQ(std::get<TransformerConfig>(read(kSmall).model).output, OutputKind::kToken);
  const ExperimentConfig majority = read(
      R"({"task": {"kind": "majority"}, "training": {"steps": 5}, "model": {"tie_head": false}})");
  EXPECT_EQ(std::get<TransformerConfig>(majority.model).output, OutputKind::kLast);
}

TEST_F(ExperimentReader, AResolvedConfigReadsBackToItself) {
  const ExperimentConfig config = read(kSmall, {"model.attention.mode=none", "random.seed=3"});
  const std::string text = config_text(config);
  EXPECT_EQ(config_text(read(text)), text);
}

}  // namespace
}  // namespace qkvlab
