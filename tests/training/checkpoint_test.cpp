#include "training/checkpoint.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/safetensors.hpp"
#include "support/temporary_folder.hpp"
#include "support/training.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

const std::string kIdentity = R"({"model":{"tie_head":true},"seed":1})";

/// A run of two parameters after `steps` steps of Adam on given gradients.
struct SmallRun {
  explicit SmallRun(int64_t steps, RandomScheme scheme = RandomScheme::kKeyed,
                    at::IntArrayRef shape = {2, 3})
      : model({{"weight", normal(shape, 1)}, {"bias", normal({2}, 2)}}),
        optimizer(AdamConfig{}, model),
        random{{scheme, 5}} {
    for (; step < steps; ++step) take_step();
  }

  void take_step() {
    for (const at::Tensor& parameter : model.parameters()) {
      parameter.mutable_grad() =
          at::empty_like(parameter).normal_(0, 1, random.front().generator("g"));
    }
    optimizer.step(0.1);
  }

  RunTensors tensors() { return {model, optimizer, random}; }

  Checkpoint checkpoint() const {
    Checkpoint result;
    result.runs = {"00ff", "11ff"};
    result.identity = kIdentity;
    result.status = "running";
    result.reason = "why";
    result.training.step = step;
    Evaluation evaluation;
    evaluation.split = "test";
    evaluation.loss = std::numeric_limits<double>::infinity();
    evaluation.metrics = {{"accuracy", 0.1}, {"exact", 1.0 / 3}};
    RunState learning;
    learning.batch_digest = "0123456789abcdef";
    learning.evaluations = {evaluation};
    RunState diverged;
    diverged.end = TrainingEnd::kDiverged;
    diverged.steps = 2;
    diverged.reason = "loss";
    result.training.runs = {learning, diverged};
    result.records_length = 1234;
    result.records_digest = "0011223344556677";
    result.environment = {{"libtorch", "1.13"}, {"blas", "\"odd\""}};
    result.wall_s = 0.7;
    return result;
  }

  PlainModel model;
  Optimizer optimizer;
  std::vector<RandomSource> random;
  int64_t step = 0;
};

class SavedRun : public testing::TestWithParam<RandomScheme> {
 protected:
  std::string file() const { return folder_.file("00ff.json"); }
  const TemporaryFolder folder_;
};

TEST_P(SavedRun, GoesOnToTheLastBit) {
  SmallRun run(3, GetParam());
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  SmallRun other(0, GetParam());
  const auto read = read_checkpoint(file(), kIdentity);
  ASSERT_TRUE(read.has_value());
  restore_checkpoint(file(), *read, other.tensors());
  // Under `keyed` both draw anew for each purpose; a stream goes on.
  run.take_step();
  other.take_step();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(same(other.model.parameters()[i].detach(), run.model.parameters()[i].detach()));
  }
  EXPECT_EQ(other.optimizer.state().size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SavedRun,
                         testing::Values(RandomScheme::kKeyed, RandomScheme::kTorchStream),
                         [](const testing::TestParamInfo<RandomScheme>& scheme) {
                           return random_scheme_name(scheme.param);
                         });

class CheckpointFile : public testing::Test {
 protected:
  std::string file() const { return folder_.file("00ff.json"); }
  std::string tensors(int64_t step) const {
    return folder_.file("00ff." + std::to_string(step) + ".safetensors");
  }
  /// What reading and restoring into `run` complains of.
  std::string complaint(SmallRun& run, const std::string& identity = kIdentity) const {
    return user_error(
        [&] { restore_checkpoint(file(), *read_checkpoint(file(), identity), run.tensors()); });
  }
  const TemporaryFolder folder_;
};

TEST_F(CheckpointFile, ReadsBackWhatWasSaved) {
  SmallRun run(3);
  const Checkpoint saved = run.checkpoint();
  save_checkpoint(file(), saved, run.tensors());
  const Checkpoint read = *read_checkpoint(file(), kIdentity);
  EXPECT_EQ(read.runs, saved.runs);
  EXPECT_EQ(read.identity, saved.identity);
  EXPECT_EQ(read.status, saved.status);
  EXPECT_EQ(read.reason, saved.reason);
  EXPECT_EQ(read.training.step, 3);
  ASSERT_EQ(read.training.runs.size(), 2U);
  const RunState& learning = read.training.runs[0];
  EXPECT_FALSE(learning.end.has_value());
  EXPECT_EQ(learning.batch_digest, "0123456789abcdef");
  ASSERT_EQ(learning.evaluations.size(), 1U);
  const Evaluation& evaluation = saved.training.runs[0].evaluations[0];
  EXPECT_EQ(learning.evaluations[0].split, "test");
  EXPECT_EQ(learning.evaluations[0].loss, evaluation.loss);
  EXPECT_EQ(learning.evaluations[0].metrics, evaluation.metrics);
  EXPECT_EQ(read.training.runs[1].end, TrainingEnd::kDiverged);
  EXPECT_EQ(read.training.runs[1].steps, 2);
  EXPECT_EQ(read.training.runs[1].reason, "loss");
  EXPECT_EQ(read.records_length, saved.records_length);
  EXPECT_EQ(read.records_digest, saved.records_digest);
  EXPECT_EQ(read.environment, saved.environment);
  EXPECT_EQ(read.wall_s, saved.wall_s);
}

TEST_F(CheckpointFile, HoldsParametersUnderTheirPaths) {
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  std::vector<std::string> names;
  for (const StoredTensor& tensor : read_safetensors(tensors(1)).tensors) {
    names.push_back(tensor.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "weight", "bias", "optimizer.exp_avg.weight", "optimizer.exp_avg.bias",
                       "optimizer.exp_avg_sq.weight", "optimizer.exp_avg_sq.bias"}));
}

TEST_F(CheckpointFile, TheTensorsOfEarlierStepsAreRemovedAndNothingElse) {
  folder_.write("other.1.safetensors", "");
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  SmallRun later(2);
  save_checkpoint(file(), later.checkpoint(), later.tensors(), 1);
  EXPECT_FALSE(std::filesystem::exists(tensors(1)));
  EXPECT_TRUE(std::filesystem::exists(tensors(2)));
  EXPECT_EQ(folder_.entries().size(), 3U);
}

TEST_F(CheckpointFile, CutOffBetweenItsTwoFilesTheFormerStateIsWhole) {
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  const std::string former = TemporaryFolder::read(file());
  SmallRun later(2);
  save_checkpoint(file(), later.checkpoint(), later.tensors());  // both steps' tensors are there
  folder_.write("00ff.json", former);
  SmallRun resumed(0);
  restore_checkpoint(file(), *read_checkpoint(file(), kIdentity), resumed.tensors());
  EXPECT_TRUE(same(resumed.model.parameters()[0].detach(), run.model.parameters()[0].detach()));
}

TEST_F(CheckpointFile, RemovedNothingOfTheRunIsLeft) {
  folder_.write("other.1.safetensors", "");
  for (const int64_t steps : {1, 2}) {
    SmallRun run(steps);
    save_checkpoint(file(), run.checkpoint(), run.tensors());
  }
  remove_checkpoint(file());
  EXPECT_EQ(folder_.entries(), std::vector<std::string>{"other.1.safetensors"});
}

TEST_F(CheckpointFile, NumbersThatChangedAreRefusedAndLeaveTheRunAlone) {
  SmallRun run(1, RandomScheme::kTorchStream);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  std::string bytes = TemporaryFolder::read(tensors(1));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of the stream's state, which comes last
  folder_.write("00ff.1.safetensors", bytes);
  SmallRun other(0, RandomScheme::kTorchStream);
  const at::Tensor before = other.model.parameters()[0].detach().clone();
  EXPECT_EQ(complaint(other), tensors(1) + ": its numbers are not those that were saved");
  EXPECT_TRUE(same(other.model.parameters()[0].detach(), before));
}

TEST_F(CheckpointFile, ThereMayBeNone) {
  EXPECT_FALSE(read_checkpoint(file(), kIdentity).has_value());
}

TEST_F(CheckpointFile, OfAnotherConfigIsRefusedWithTheFirstDifference) {
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  EXPECT_EQ(complaint(run, R"({"model":{"tie_head":false},"seed":2})"),
            file() +
                ": does not belong to this config: model.tie_head is true in the checkpoint, "
                "false in the config");
}

TEST_F(CheckpointFile, TensorsThatDoNotFitAreRefusedByName) {
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  SmallRun wider(0, RandomScheme::kKeyed, {2, 4});
  EXPECT_EQ(complaint(wider), tensors(1) + ": weight must be [2, 4], is [2, 3]");
  SmallRun stream(0, RandomScheme::kTorchStream);
  EXPECT_EQ(complaint(stream), tensors(1) + ": lacks the tensor random.stream");
  SmallRun with_stream(1, RandomScheme::kTorchStream);
  save_checkpoint(file(), with_stream.checkpoint(), with_stream.tensors());
  EXPECT_EQ(complaint(run), tensors(1) +
                                ": holds the tensor random.stream, which this run does not "
                                "have");
}

TEST_F(CheckpointFile, IsRefusedWhereItWasTamperedWith) {
  SmallRun run(1);
  save_checkpoint(file(), run.checkpoint(), run.tensors());
  const std::string good = TemporaryFolder::read(file());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    folder_.write("00ff.json", text);
    return complaint(run);
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"run\": \"00ff\"", "\"run\": \"../00ff\""},
           {"00ff.1.safetensors", "../../etc/passwd"},
           {"\"step\": 1", "\"step\": -1"},
           {"\"step\": 1", "\"step\": 2"},
           {"running", "walking"},
           {"\"format\": 2", "\"format\": 1"},
           {"\"format\": 2", "\"format\": 3"},
           {"\"records_digest\"", "\"digest\""},
           {"\"environment\": {", "\"environment\": [{}], \"e\": {"},
           {"\"wall_s\"", "\"wall\""}}) {
    EXPECT_EQ(with(from, to).rfind(file() + ":", 0), 0U) << to;
  }
  folder_.write("00ff.json", good.substr(0, good.size() / 2));
  EXPECT_EQ(complaint(run).rfind(file() + ":", 0), 0U);
  folder_.write("00ff.json", good);
  std::filesystem::remove(tensors(1));
  EXPECT_EQ(complaint(run).rfind(tensors(1) + ":", 0), 0U);
}

}  // namespace
}  // namespace qkvlab
