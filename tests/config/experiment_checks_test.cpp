#include "config/config_file.hpp"

namespace qkvlab {
namespace {

class ExperimentChecks : public ConfigFileTest {
 protected:
  /// The complaint about a small config with these overrides, without the place.
  std::string wrong(const std::vector<std::string>& overrides) {
    const std::string message = complaint(kBase, overrides);
    const std::string place = "x.json:1: ";
    for (const std::string& text : overrides) {
      if (message.rfind(text + ": ", 0) == 0) return message.substr(text.size() + 2);
    }
    EXPECT_EQ(message.substr(0, place.size()), place);
    return message.substr(place.size());
  }
  void right(const std::vector<std::string>& overrides) { EXPECT_NO_THROW(read(kBase, overrides)); }

  static constexpr const char* kBase =
      R"({"task": {"kind": "induction"}, "model": {"max_length": 32}, "training": {"steps": 5}})";
};

TEST_F(ExperimentChecks, HeadsDivideTheWidth) {
  EXPECT_EQ(wrong({"model.n_heads=5"}), "model.n_heads: must divide model.d_model (64), got 5");
  EXPECT_EQ(wrong({"model.d_model=5"}), "model.n_heads: must divide model.d_model (5), got 2");
  right({"model.n_heads=64"});
}

TEST_F(ExperimentChecks, TrainingHasOneLength) {
  EXPECT_EQ(complaint("{}"), "x.json:1: training: must have one of steps and epochs");
  EXPECT_EQ(wrong({"training.steps=null"}), "training: must have one of steps and epochs");
  EXPECT_EQ(wrong({R"(training={"steps": 1, "epochs": 1})"}),
            "training.epochs: cannot be combined with training.steps");
  right({"training.epochs=1", "task.train_examples=100"});
  right({"training.epochs=1", "task.kind=modular_addition"});
}

TEST_F(ExperimentChecks, EpochsNeedExamplesToGoThrough) {
  EXPECT_EQ(wrong({"training.epochs=1"}),
            "training.epochs: needs a task.train_examples above 0, or there is nothing to go "
            "through twice; training.steps does without");
}

TEST_F(ExperimentChecks, WarmUpIsGivenOnce) {
  EXPECT_EQ(wrong({R"(training.schedule={"warmup_steps": 1, "warmup_fraction": 0.1})"}),
            "training.schedule.warmup_fraction: cannot be combined with "
            "training.schedule.warmup_steps");
  right({"training.schedule.warmup_steps=1"});
  right({"training.schedule={\"kind\": \"linear\", \"warmup_fraction\": 0.1}"});
}

TEST_F(ExperimentChecks, NesterovNeedsMomentum) {
  EXPECT_EQ(wrong({"training.optimizer.nesterov=true"}),
            "training.optimizer.nesterov: must be false where training.optimizer.momentum is 0, "
            "got true");
  right({"training.optimizer.nesterov=true", "training.optimizer.momentum=0.9"});
}

TEST_F(ExperimentChecks, TheModelHoldsTheTasksSequences) {
  EXPECT_EQ(wrong({"task.length=33"}),
            "model.max_length: must be at least 33, the tokens of the task's longest sequence, "
            "got 32");
  right({"task.length=32"});
  right({"task.length=33", "model.position=none"});
}

TEST_F(ExperimentChecks, WarmUpLeavesSomethingOfTheTraining) {
  const std::vector<std::string> epochs = {"training.epochs=2", "task.train_examples=20",
                                           "training.batch_size=4", "training.accumulate=2"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> all = epochs;
    all.push_back(more);
    return all;
  };
  right(with("training.schedule.warmup_steps=5"));
  EXPECT_EQ(wrong(with("training.schedule.warmup_steps=6")),
            "training.schedule.warmup_steps: must be below 6, the steps of training.epochs, got 6");
  right(with("training.schedule.warmup_fraction=0.99"));
  EXPECT_EQ(wrong({"training.steps=1000", "training.schedule.warmup_fraction=0.9999999999999"}),
            "training.schedule.warmup_fraction: leaves nothing of a training of 1000 steps");
}

TEST_F(ExperimentChecks, NoMoreSamplesAreRecordedThanThereAre) {
  const std::string every = "record.attention.every=1";
  right({every, "task.test_examples=3", "record.attention.samples=3"});
  right({"task.test_examples=3", "record.attention.samples=4"});  // none are recorded
  EXPECT_EQ(wrong({every, "task.test_examples=3", "record.attention.samples=4"}),
            "record.attention.samples: must be at most 3, the examples of the split test, got 4");
  EXPECT_EQ(
      wrong({every, "task.kind=sentences", "model.tie_head=false", "record.attention.samples=9"}),
      "record.attention.samples: must be at most 8, the examples of the split train, got 9");
}

TEST_F(ExperimentChecks, LimitsHold) {
  EXPECT_EQ(wrong({"limits.tokens_per_sequence=31"}),
            "task.length: makes sequences of 32 tokens, allowed are at most 31 "
            "(limits.tokens_per_sequence)");
  right({"limits.tokens_per_sequence=32"});
  EXPECT_EQ(wrong({"limits.tokens_per_batch=255"}),
            "training.batch_size: makes steps of 256 tokens, allowed are at most 255 "
            "(limits.tokens_per_batch)");
  right({"limits.tokens_per_batch=256"});
  EXPECT_EQ(wrong({"training.accumulate=2", "limits.tokens_per_batch=511"}),
            "training.batch_size: makes steps of 512 tokens, allowed are at most 511 "
            "(limits.tokens_per_batch)");
}

TEST_F(ExperimentChecks, WhatTakesTooMuchMemoryIsNamed) {
  const auto key = [&](std::vector<std::string> overrides) {
    overrides.emplace_back("limits.memory_mb=400");
    const std::string message = wrong(overrides);
    EXPECT_NE(message.find(": the run would need about "), std::string::npos) << message;
    EXPECT_NE(message.find(" MB, allowed are at most 400 (limits.memory_mb); most of it, "),
              std::string::npos)
        << message;
    return message.substr(0, message.find(':')) + message.substr(message.rfind(" MB, is for "));
  };
  EXPECT_EQ(key({"task.length=2048", "model.max_length=2048"}),
            "task.length MB, is for attention weights");
  EXPECT_EQ(key({"model.mlp.ratio=64", "training.batch_size=512"}),
            "model.mlp.ratio MB, is for hidden values of the MLP");
  EXPECT_EQ(key({"model.d_model=2048"}),
            "model.d_model MB, is for weights, gradients and optimizer");
  EXPECT_EQ(key({"model.mlp=null", "model.d_model=128", "training.batch_size=4096"}),
            "training.batch_size MB, is for activations as wide as the model");
  EXPECT_EQ(key({"task.vocabulary=32768", "training.batch_size=2048", "model.d_model=8",
                 "model.n_layers=1"}),
            "training.batch_size MB, is for logits and one-hot tokens");
  right({"limits.memory_mb=400"});
  EXPECT_EQ(wrong({"limits.memory_mb=100"}).rfind("limits.memory_mb: the run would need ", 0), 0u);
}

TEST_F(ExperimentChecks, ATiedHeadPredictsTokensFromALookup) {
  EXPECT_EQ(wrong({"model.embedding=one_hot"}),
            "model.tie_head: must be false where model.embedding is one_hot, got true");
  right({"model.embedding=one_hot", "model.tie_head=false"});
  EXPECT_EQ(wrong({"task.kind=sentences"}),
            "model.tie_head: must be false where the task has another number of outputs (2) than "
            "tokens (17), got true");
  right({"task.kind=sentences", "model.tie_head=false"});
}

TEST_F(ExperimentChecks, TheOutputFitsTheTask) {
  const std::string sentences = "task.kind=sentences", untied = "model.tie_head=false";
  EXPECT_EQ(wrong({"model.output=last"}),
            "model.output: must be token or auto where every token has a target");
  EXPECT_EQ(wrong({sentences, untied, "model.output=token"}),
            "model.output: must be last, mean or auto where a sequence has one class");
  right({"model.output=token"});
  right({sentences, untied, "model.output=mean"});
  EXPECT_EQ(wrong({"model.kind=sentiment_trace"}),
            "model.kind: must be transformer where every token has a target; sentiment_trace "
            "gives one class per sequence");
  right({sentences, "model.kind=sentiment_trace"});
}

TEST_F(ExperimentChecks, RecordedLayersAndHeadsAreThere) {
  EXPECT_EQ(wrong({"record.attention.layers=[0, 2]"}),
            "record.attention.layers: must be below 2, the number of layers of the model, got 2");
  EXPECT_EQ(wrong({"record.attention.heads=[2]"}),
            "record.attention.heads: must be below 2, the number of heads of the model, got 2");
  right({"record.attention.layers=[1]", "record.attention.heads=[0, 1]"});
  EXPECT_EQ(
      wrong({"task.kind=sentences", "model.kind=sentiment_trace", "record.attention.heads=[1]"}),
      "record.attention.heads: must be below 1, the number of heads of the model, got 1");
}

TEST_F(ExperimentChecks, HalvesAreOfEqualLength) {
  const std::string task = R"(task={"kind": "sequence", "rule": "swap_halves", "length": )";
  EXPECT_EQ(wrong({task + "7}"}), "task.length: must be even for the rule swap_halves, got 7");
  right({task + "8}"});
}

TEST_F(ExperimentChecks, RecallHasRoomForItsPairs) {
  const auto task = [](int vocabulary, int length, int pairs) {
    return R"(task={"kind": "recall", "vocabulary": )" + std::to_string(vocabulary) +
           R"(, "length": )" + std::to_string(length) + R"(, "pairs": )" + std::to_string(pairs) +
           "}";
  };
  right({task(8, 12, 3)});  // keys 1 to 3; 6 tokens of context, 3 slots
  EXPECT_EQ(wrong({task(9, 12, 3)}), "task.vocabulary: must be even, got 9");
  EXPECT_EQ(wrong({task(6, 12, 3)}),
            "task.vocabulary: must be at least 8, for 3 different keys beside the filler, got 6");
  EXPECT_EQ(wrong({task(8, 13, 3)}), "task.length: must be even, got 13");
  EXPECT_EQ(wrong({task(8, 10, 3)}),
            "task.length: must be at least four times task.pairs (3), got 10");
}

TEST_F(ExperimentChecks, AMajorityIsPossible) {
  const std::string task = R"(task={"kind": "majority", "length": 5, "symbols": )";
  EXPECT_EQ(wrong({task + "6}"}),
            "task.symbols: must be at most task.length (5), since more would seldom occur twice, "
            "got 6");
  right({task + "5}"});
}

TEST_F(ExperimentChecks, TheTargetIsAMetricOfASplitThatIsEvaluated) {
  const std::string often = "training.evaluate.every=1";
  right({"training.target.metric=test.accuracy", often});
  EXPECT_EQ(wrong({"training.target.metric=test.accuracy"}),
            "training.target: needs training.evaluate.every above 0, or it is never looked at "
            "before the end");
  EXPECT_EQ(wrong({"training.target.metric=validation.loss"}),
            "training.target.metric: unknown metric 'validation.loss'; allowed: test.loss or "
            "test.accuracy; did you mean 'test.loss'?");
  EXPECT_EQ(wrong({"training.target.metric=train.loss"}),
            "training.target.metric: unknown metric 'train.loss'; allowed: test.loss or "
            "test.accuracy; did you mean 'test.loss'?");
  right({"training.target.metric=train.loss", "training.evaluate.train=true", often,
         "task.train_examples=10"});
  right({"task.kind=sequence", "training.target.metric=test.exact", often});
  wrong({"task.kind=sequence", "task.length=1", "training.target.metric=test.exact", often});
  EXPECT_EQ(wrong({"task.kind=sentences", "model.kind=sentiment_trace",
                   "training.target.metric=test.accuracy"}),
            "training.target.metric: unknown metric 'test.accuracy'; allowed: train.loss or "
            "train.accuracy; did you mean 'train.accuracy'?");
}

TEST_F(ExperimentChecks, WhatIsEvaluatedOfTrainingMustStay) {
  EXPECT_EQ(wrong({"training.evaluate.train=true", "task.train_examples=0"}),
            "training.evaluate.train: needs a task.train_examples above 0, or no example of "
            "training stays to be evaluated");
  right({"training.evaluate.train=true", "task.train_examples=10"});
}

TEST_F(ExperimentChecks, TheNameIsThatOfAFolder) {
  for (const std::string name : {"../x", "a/b", ".", ".."}) {
    EXPECT_EQ(wrong({"name=" + name}).rfind("name: must be a name for a folder", 0), 0U) << name;
  }
  right({"name=注意"});
}

TEST_F(ExperimentChecks, AWarmUpLeavesStepsToTrain) {
  EXPECT_EQ(wrong({"training.steps=10", "training.schedule.warmup_steps=10"}),
            "training.schedule.warmup_steps: must be below training.steps, got 10");
  right({"training.steps=10", "training.schedule.warmup_steps=9"});
}

TEST_F(ExperimentChecks, TheDeviceIsOneThatExistsInPrinciple) {
  right({"run.device=cpu"});
  right({"run.device=cuda:10"});
  for (const std::string device : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:01", ""}) {
    EXPECT_EQ(
        wrong({"run.device=" + device}),
        "run.device: must be cpu, or cuda: and a number such as cuda:0, got '" + device + "'");
  }
}

}  // namespace
}  // namespace qkvlab
