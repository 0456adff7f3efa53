#include "config/ablation_plan.hpp"

#include <algorithm>

#include "config/config_file.hpp"
#include "config/experiment_writer.hpp"

namespace qkvlab {
namespace {

using Names = std::vector<std::string>;

class AblationPlans : public ConfigFileTest {
 protected:
  /// The section `ablation` stands on the third line.
  static std::string config(const std::string& ablation) {
    return "{\"task\": {\"kind\": \"induction\"}, \"training\": {\"steps\": 5},\n"
           "\"model\": {\"d_model\": 8, \"n_heads\": 2, \"mlp\": {\"ratio\": 2}},\n"
           "\"ablation\": " +
           ablation + "}";
  }
  AblationPlan plan(const std::string& ablation, const Names& overrides = {},
                    const AblationChoice& choice = {}) {
    return read_ablation_plan(folder_.write("x.json", config(ablation)), overrides, choice);
  }
  std::string wrong(const std::string& ablation, const Names& overrides = {},
                    const AblationChoice& choice = {}) {
    std::string message = user_error([&] { plan(ablation, overrides, choice); });
    const std::string folder = folder_.path() + "/";
    const size_t at = message.find(folder);
    return at == std::string::npos ? message : message.erase(at, folder.size());
  }
  static Names names(const AblationPlan& plan) {
    Names all;
    for (const Variant& variant : plan.variants) all.push_back(variant.name);
    return all;
  }
  static const TransformerConfig& model(const Variant& variant) {
    return std::get<TransformerConfig>(variant.config.model);
  }
};

TEST_F(AblationPlans, ByDefaultAllModesRunWithTenSeeds) {
  const AblationPlan all = plan("null");
  EXPECT_EQ(names(all), attention_mode_names());
  EXPECT_EQ(all.baseline, "full");
  EXPECT_EQ(all.seeds.size(), 10);
  for (const Variant& variant : all.variants) {
    EXPECT_EQ(model(variant).attention.plan.mode, variant.name);
    EXPECT_EQ(variant.baseline, "full");
    EXPECT_FALSE(variant.hidden_before);
    EXPECT_EQ(variant.size.parameters(),
              model_size(variant.config.model, variant.shape).parameters());
  }
}

TEST_F(AblationPlans, TheBaselineRunsFirstThoughItIsNotListed) {
  EXPECT_EQ(names(plan(R"({"variants": ["none", "uniform"]})")),
            (Names{"full", "none", "uniform"}));
  EXPECT_EQ(names(plan(R"({"variants": {"none": {}, "a": {"model.bias": false}, "full": {}},
                           "baseline": "a"})")),
            (Names{"a", "none", "full"}));
}

TEST_F(AblationPlans, AVariantIsWhatTheConfigSaysWithItsOverrides) {
  const AblationPlan made = plan(
      R"({"seeds": "3..4", "variants": {
        "short": {"training.epochs": 2, "task.train_examples": 16},
        "other": {"training.optimizer.kind": "adam", "training.optimizer.lr": 0.5},
        "free": {"random.scheme": "torch_stream", "model.mlp": null},
        "uniform": {"model.norm": "post"}, "as it is": {"model.attention.packed": true}}})",
      {"training.optimizer.momentum=0.9", "model.n_layers=1", "model.attention.mode=shared_kv"});
  ASSERT_EQ(names(made), (Names{"full", "short", "other", "free", "uniform", "as it is"}));
  for (const Variant& variant : made.variants) {
    EXPECT_EQ(model(variant).n_layers, 1) << "the command line's overrides come first";
    EXPECT_EQ(variant.config.random.seed, 3);
    EXPECT_FALSE(variant.config.ablation);
  }
  EXPECT_EQ(model(made.variants[0]).attention.plan.mode, "full");
  EXPECT_EQ(model(made.variants[1]).attention.plan.mode, "shared_kv");
  EXPECT_EQ(made.variants[1].config.training.epochs, 2);
  EXPECT_FALSE(made.variants[1].config.training.steps) << "epochs drop the file's steps";
  EXPECT_EQ(std::get<AdamConfig>(made.variants[2].config.training.optimizer).lr, 0.5);
  EXPECT_EQ(std::get<SgdConfig>(made.variants[0].config.training.optimizer).momentum, 0.9);
  EXPECT_EQ(made.variants[3].config.random.scheme, RandomScheme::kTorchStream);
  EXPECT_FALSE(model(made.variants[3]).mlp);
  EXPECT_EQ(model(made.variants[4]).attention.plan.mode, "uniform") << "as it is called";
  EXPECT_EQ(model(made.variants[4]).norm, NormPlace::kPost);
  EXPECT_TRUE(model(made.variants[5]).attention.packed);
  EXPECT_TRUE(made.base.ablation);
  EXPECT_EQ(made.base.random.seed, 0);
}

TEST_F(AblationPlans, AVariantGoesOverWhatTheCommandLineSaysInstead) {
  const AblationPlan made =
      plan(R"({"variants": {"e": {"training.epochs": 2, "task.train_examples": 8}}})",
           {"model.attention.plan={\"v\":\"zero\"}", "training.steps=7"});
  EXPECT_EQ(model(made.variants[0]).attention.plan.mode, "full");
  EXPECT_EQ(made.variants[1].config.training.epochs, 2);
}

TEST_F(AblationPlans, AGridMakesEveryVariantInEveryCellWithItsOwnBaseline) {
  const AblationPlan made = plan(
      R"({"variants": ["full", "none"],
          "grid": {"model.n_layers": [1, 3], "model.norm": ["pre", "post"]}})");
  EXPECT_EQ(
      names(made),
      (Names{"full model.n_layers=1,model.norm=pre", "none model.n_layers=1,model.norm=pre",
             "full model.n_layers=1,model.norm=post", "none model.n_layers=1,model.norm=post",
             "full model.n_layers=3,model.norm=pre", "none model.n_layers=3,model.norm=pre",
             "full model.n_layers=3,model.norm=post", "none model.n_layers=3,model.norm=post"}));
  EXPECT_EQ(made.baseline, "full");
  EXPECT_EQ(made.variants[5].baseline, "full model.n_layers=3,model.norm=pre");
  EXPECT_EQ(made.variants[4].baseline, made.variants[4].name);
  EXPECT_EQ(model(made.variants[5]).n_layers, 3);
  EXPECT_EQ(model(made.variants[7]).norm, NormPlace::kPost);
  EXPECT_EQ(model(made.variants[7]).attention.plan.mode, "none");
}

TEST_F(AblationPlans, TheCommandLineChoosesVariantsAndSeeds) {
  AblationChoice choice;
  choice.variants = {"shared_qk", "wide"};
  choice.seeds = "7,1..2";
  const AblationPlan made =
      plan(R"({"variants": {"wide": {"model.mlp.ratio": 8}, "none": {}}})", {}, choice);
  EXPECT_EQ(names(made), (Names{"full", "shared_qk", "wide"}));
  EXPECT_EQ(made.seeds, (std::vector<int64_t>{7, 1, 2}));
  EXPECT_EQ(made.variants[1].config.random.seed, 7);
  choice.variants = {"wdie"};
  EXPECT_EQ(wrong(R"({"variants": {"wide": {"model.mlp.ratio": 8}}})", {}, choice),
            "--variants: unknown variant 'wdie'; allowed: wide, full, identity_qkv, identity_qk, "
            "identity_v, uniform, shared_qk, shared_kv, shared_qkv or none; did you mean 'wide'?");
  choice.variants = {"none", "none"};
  EXPECT_EQ(wrong("{}", {}, choice), "--variants: 'none' is listed twice");
  choice = {};
  choice.seeds = "1,1";
  EXPECT_EQ(wrong("{}", {}, choice), "--seeds: seed 1 is listed twice");
  choice.seeds = "\xFF";
  EXPECT_EQ(wrong("{}", {}, choice), "--seeds: must be UTF-8");
  choice.seeds = "0..999999999999";
  EXPECT_EQ(wrong("{}", {}, choice), "--seeds: makes more than 1000000 seeds");
}

TEST_F(AblationPlans, AComplaintNamesThePlaceInTheSection) {
  EXPECT_EQ(wrong("{\"variants\": {\n\"wide\": {\"model.mlp.ratoi\": 8}}}"),
            "x.json:4: ablation.variants.wide.model.mlp.ratoi: unknown key 'ratoi'; allowed: "
            "activation, hidden or ratio; did you mean 'ratio'?");
  EXPECT_EQ(wrong(R"({"variants": {"wide": {"model.mpl.ratio": 8}}})")
                .find("x.json:3: ablation.variants.wide.model.mpl: unknown key 'mpl'; allowed: "),
            0);
  EXPECT_EQ(wrong(R"({"variants": {"a": {"model.mlp.ratio": 0}}})"),
            "x.json:3: ablation.variants.a.model.mlp.ratio: must be an integer from 1 to 64, "
            "got 0");
  EXPECT_EQ(wrong(R"({"variants": {"a": {"model.n_heads": 3}}})"),
            "x.json:3: ablation.variants.a.model.n_heads: must divide model.d_model (8), got 3");
  EXPECT_EQ(wrong(R"({"variants": {"a": {"model.mlp.ratio.x": 3}}})"),
            "x.json:3: ablation.variants.a.model.mlp.ratio: must be an integer from 1 to 64, got "
            "an object");
  EXPECT_EQ(wrong(R"({"variants": {"a": {"training.steps": 3, "training.epochs": 3}}})"),
            "x.json:3: ablation.variants.a.training.epochs: cannot be combined with "
            "training.steps");
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layers": [1, 0]}})"),
            "x.json:3: ablation.grid.model.n_layers[1]: must be an integer from 1 to 1024, got 0");
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layer": [1]}})")
                .find("x.json:3: ablation.grid.model.n_layer[0]: unknown key 'n_layer'; allowed"),
            0);
  EXPECT_EQ(wrong("{}", {R"(ablation.variants={"a":{"model.n_layers":0}})"}),
            R"(ablation.variants={"a":{"model.n_layers":0}}: ablation.variants.a.model.n_layers: )"
            "must be an integer from 1 to 1024, got 0");
}

TEST_F(AblationPlans, AComplaintAboutAnotherPlaceNamesTheVariant) {
  EXPECT_EQ(wrong(R"({"variants": {"odd": {"model.d_model": 9}}})"),
            "variant 'odd': x.json:2: model.n_heads: must divide model.d_model (9), got 2");
  EXPECT_EQ(wrong(R"({"variants": {"odd": {"model.d_model": 9}}})", {"model.n_heads=4"}),
            "variant 'odd': model.n_heads=4: model.n_heads: must divide model.d_model (9), got 4");
  EXPECT_EQ(wrong(R"({"variants": {"text": {"task.kind": "text"}}})"),
            "variant 'text': x.json:1: task: must have the key 'file'");
  const std::string large =
      wrong(R"({"variants": ["full"], "grid": {"training.batch_size": [2, 9000]}})",
            {"limits.memory_mb=500", "random.scheme=torch_stream"});
  EXPECT_EQ(large.find("variant 'full training.batch_size=9000': x.json:1: task.length: the run "
                       "would need about "),
            0)
      << large;
}

TEST_F(AblationPlans, ABaselineMustBeAVariant) {
  EXPECT_EQ(wrong(R"({"baseline": "ful", "variants": {"wide": {"model.mlp.ratio": 8}}})"),
            "x.json:3: ablation.baseline: unknown variant 'ful'; allowed: wide, full, "
            "identity_qkv, identity_qk, identity_v, uniform, shared_qk, shared_kv, shared_qkv or "
            "none; did you mean 'full'?");
}

TEST_F(AblationPlans, TwoVariantsThatAreTheSameAreRefused) {
  EXPECT_EQ(wrong(R"({"variants": {"uniform": {}, "flat": {"model.attention.mode": "uniform"}}})"),
            "x.json:3: ablation.variants.flat: variants 'uniform' and 'flat' are one and the same "
            "config");
  EXPECT_EQ(wrong(R"({"variants": {"a": {"model.attention": {"plan": {"k": "q"}}},
                                   "shared_qk": {}}})"),
            "x.json:4: ablation.variants.shared_qk: variants 'a' and 'shared_qk' are one and the "
            "same config");
  EXPECT_EQ(wrong(R"({"variants": {"b": {"model.mlp.hidden": 16}}})"),
            "x.json:3: ablation.variants.b: variants 'full' and 'b' are one and the same config");
  EXPECT_EQ(wrong(R"({"variants": {"w": {"model.mlp.ratio": 8}},
                      "grid": {"model.mlp.ratio": [2, 4]}})"),
            "x.json:3: ablation.variants.w: variants 'full model.mlp.ratio=2' and 'w "
            "model.mlp.ratio=2' are one and the same config");
}

TEST_F(AblationPlans, ParametersAreMatchedByTheHiddenWidth) {
  const AblationPlan made =
      plan(R"({"variants": ["uniform", "none", "shared_qk"], "match_parameters": true})");
  const ModelSize& full = made.variants[0].size;
  EXPECT_FALSE(made.variants[0].hidden_before);
  EXPECT_FALSE(model(made.variants[0]).mlp->hidden);
  // A block of width 8 loses two projections of 8 × 8 + 8; each hidden unit has 8 + 8 + 1.
  EXPECT_EQ(made.variants[1].hidden_before, 16);
  EXPECT_EQ(model(made.variants[1]).mlp->hidden, 16 + 8);  // 144 / 17 = 8.47
  // `none` loses all four and a norm: 4 × 72 + 16 = 304 = 17.9 × 17.
  EXPECT_EQ(model(made.variants[2]).mlp->hidden, 16 + 18);
  EXPECT_EQ(model(made.variants[3]).mlp->hidden, 16 + 4);  // 72 / 17 = 4.2
  for (const Variant& variant : made.variants) {
    EXPECT_LE(std::abs(variant.size.parameters() - full.parameters()), 2 * 17 / 2);
    EXPECT_EQ(variant.size.mlp, model_size(variant.config.model, variant.shape).mlp);
  }
}

TEST_F(AblationPlans, EachCellIsMatchedToItsOwnBaseline) {
  const AblationPlan made = plan(
      R"({"variants": ["uniform"], "match_parameters": true, "grid": {"model.n_layers": [1, 4]}})");
  ASSERT_EQ(made.variants.size(), 4);
  EXPECT_EQ(model(made.variants[1]).mlp->hidden, model(made.variants[3]).mlp->hidden);
  EXPECT_GT(made.variants[3].size.mlp, 3 * made.variants[1].size.mlp);
}

TEST_F(AblationPlans, WithoutAnMlpNothingCanBeMatched) {
  EXPECT_EQ(
      wrong(R"({"variants": ["uniform"],
                      "match_parameters": true})",
            {"model.mlp=null"})
          .find("x.json:4: ablation.match_parameters: changes the MLP's hidden width, but variant "
                "'uniform' has no MLP, and "),
      0);
  EXPECT_NE(wrong(R"({"variants": {"thin": {"model.mlp": null}}, "match_parameters": true})")
                .find("variant 'thin' has no MLP"),
            std::string::npos);
}

TEST_F(AblationPlans, AMatchedVariantMustFitTheLimitsToo) {
  // It makes up for 50,000 embeddings by an MLP of thousands.
  const std::string few = R"({"variants": {"few": {"task.vocabulary": 32}}, "match_parameters": )";
  const Names overrides = {"task.vocabulary=50000", "limits.memory_mb=300",
                           "training.batch_size=64"};
  EXPECT_EQ(plan(few + "false}", overrides).variants.size(), 2);
  const std::string message = wrong(few + "true}", overrides);
  EXPECT_EQ(message.find("variant 'few': x.json:2: model.mlp.hidden: the run would need about "), 0)
      << message;
}

TEST_F(AblationPlans, TooManyRunsAreRefused) {
  EXPECT_EQ(wrong(R"({"seeds": "0..999999"})"),
            "x.json:3: ablation.seeds: make 9000000 runs of 9 variants, allowed are at most "
            "1000000");
  std::string values = "1";
  for (int value = 2; value < 200; ++value) values += "," + std::to_string(value);
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layers": [)" + values + R"(], "training.steps": [)" +
                  values + "]}}"),
            "x.json:3: ablation.grid: makes 356409 variants, allowed are at most 10000");
}

TEST_F(AblationPlans, AMistakeInTheBaseConfigIsThatOfTheConfig) {
  EXPECT_EQ(wrong("{}", {"model.n_heads=3"}),
            "model.n_heads=3: model.n_heads: must divide model.d_model (8), got 3");
}

}  // namespace
}  // namespace qkvlab
