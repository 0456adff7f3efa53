#include "config/ablation_reader.hpp"

#include "config/config_file.hpp"
#include "config/experiment_writer.hpp"

namespace qkvlab {
namespace {

using SeedList = std::vector<int64_t>;

class AblationSection : public ConfigFileTest {
 protected:
  static std::string config(const std::string& ablation) {
    return R"({"task": {"kind": "induction"}, "training": {"steps": 5}, "ablation": )" + ablation +
           "}";
  }
  AblationConfig ablation(const std::string& json) { return *read(config(json)).ablation; }
  std::string wrong(const std::string& json) { return complaint(config(json)); }
  SeedList seeds(const std::string& json) { return ablation("{\"seeds\": " + json + "}").seeds; }
};

TEST_F(AblationSection, WithoutItThereIsNone) {
  EXPECT_FALSE(read(R"({"task": {"kind": "induction"}, "training": {"steps": 5}})").ablation);
  EXPECT_FALSE(read(config("null")).ablation);
  const AblationConfig empty = ablation("{}");
  EXPECT_EQ(empty.baseline, "full");
  EXPECT_TRUE(empty.variants.empty());
  EXPECT_EQ(empty.seeds, (SeedList{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(empty.grid.empty());
  EXPECT_FALSE(empty.match_parameters);
}

TEST_F(AblationSection, SeedsAreRangesNumbersAndListsInTheirOrder) {
  EXPECT_EQ(seeds(R"("0..3")"), (SeedList{0, 1, 2, 3}));
  EXPECT_EQ(seeds(R"("7")"), SeedList{7});
  EXPECT_EQ(seeds(R"("4..5,10, 2 ")"), (SeedList{4, 5, 10, 2}));
  EXPECT_EQ(seeds(R"([31, "0..1", 5])"), (SeedList{31, 0, 1, 5}));
  EXPECT_EQ(seeds(R"("9223372036854775806..9223372036854775807")"),
            (SeedList{INT64_MAX - 1, INT64_MAX}));
  EXPECT_EQ(seeds(R"("0..999999")").size(), 1000000);
}

TEST_F(AblationSection, SeedsThatAreNoneAreRefused) {
  const std::string place = "x.json:1: ablation.seeds: ";
  const auto wrong_seeds = [&](const std::string& json) {
    return wrong("{\"seeds\": " + json + "}");
  };
  EXPECT_EQ(wrong_seeds("[]"), place + "must have at least one seed");
  EXPECT_EQ(wrong_seeds("3"),
            place +
                "must be seeds such as \"0..9\" or \"0..4,10\", or a list of such and of "
                "integers");
  for (const char* text : {"", "a", "1.5", "1..", "..2", "1...3", "1,,2", "1,", "0x3"}) {
    const std::string message = wrong_seeds("\"" + std::string(text) + "\"");
    EXPECT_EQ(message.find(place + "must be seeds such as \"0..9\" or \"0..4,10\", got '"), 0)
        << text << " " << message;
  }
  EXPECT_EQ(wrong_seeds(R"("5..2")"), place + "a range must go up from 0 or more, got '5..2'");
  EXPECT_EQ(wrong_seeds(R"("-1")"), place + "a range must go up from 0 or more, got '-1'");
  EXPECT_EQ(wrong_seeds("[-1]"),
            "x.json:1: ablation.seeds[0]: must be an integer of at least 0, got -1");
  EXPECT_EQ(wrong_seeds("[1, 1.5]"),
            "x.json:1: ablation.seeds[1]: must be an integer of at least 0, got 1.5");
  EXPECT_EQ(wrong_seeds(R"("0..4,3")"), place + "seed 3 is listed twice");
  EXPECT_EQ(wrong_seeds(R"([2, "1..2"])"), "x.json:1: ablation.seeds[1]: seed 2 is listed twice");
  for (const char* text :
       {"0..1000000", "0..999999999999", "0..9223372036854775807", "5,100..1000099"}) {
    EXPECT_EQ(wrong_seeds("\"" + std::string(text) + "\""),
              place + "makes more than 1000000 seeds");
  }
}

TEST_F(AblationSection, SeedsAreWrittenAsRanges) {
  EXPECT_EQ(seeds_text({0, 1, 2, 3}), "0..3");
  EXPECT_EQ(seeds_text({0, 1, 10, 5, 4, 7, 8}), "0..1,10,5,4,7..8");
  EXPECT_EQ(seeds_text({INT64_MAX, 0}), "9223372036854775807,0");
}

TEST_F(AblationSection, VariantsAreAnObjectOrAListOfModes) {
  const auto named = ablation(R"({"variants": {
    "wide": {"model.mlp.ratio": 8, "model.attention": {"mode": "none"}}, "uniform": {}}})");
  ASSERT_EQ(named.variants.size(), 2);
  EXPECT_EQ(named.variants[0].name, "wide");
  ASSERT_EQ(named.variants[0].overrides.size(), 2);
  EXPECT_EQ(named.variants[0].overrides[0].path, "model.mlp.ratio");
  EXPECT_EQ(named.variants[0].overrides[0].value, "8");
  EXPECT_EQ(named.variants[0].overrides[1].value, R"({"mode":"none"})");
  EXPECT_EQ(named.variants[1].name, "uniform");
  EXPECT_TRUE(named.variants[1].overrides.empty());
  const auto listed = ablation(R"({"variants": ["none", "full"]})");
  ASSERT_EQ(listed.variants.size(), 2);
  EXPECT_EQ(listed.variants[0].name, "none");
  EXPECT_TRUE(listed.variants[1].overrides.empty());
}

TEST_F(AblationSection, AGridIsListsOfDifferentValues) {
  const auto grid = ablation(R"({"grid": {"model.n_layers": [1, 2], "model.norm": ["pre"]}})").grid;
  ASSERT_EQ(grid.size(), 2);
  EXPECT_EQ(grid[0].path, "model.n_layers");
  EXPECT_EQ(grid[0].values, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(grid[1].values, std::vector<std::string>{"\"pre\""});
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layers": []}})"),
            "x.json:1: ablation.grid.model.n_layers: must have at least one value");
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layers": 2}})"),
            "x.json:1: ablation.grid.model.n_layers: must be an array, got an integer");
  EXPECT_EQ(wrong(R"({"grid": {"model.n_layers": [1, 2, 1]}})"),
            "x.json:1: ablation.grid.model.n_layers[2]: 1 is listed twice");
}

TEST_F(AblationSection, WhatIsNotForAblatingIsRefused) {
  const std::string allowed = "allowed: task, model, training or random.scheme";
  for (const char* path :
       {"name", "random", "record.step", "run.threads", "limits.memory_mb", "ablation.seeds"}) {
    const std::string field(path);
    EXPECT_EQ(wrong(R"({"variants": {"a": {")" + field + R"(": 1}}})"),
              "x.json:1: ablation.variants.a." + field + ": '" + field + "' cannot be ablated; " +
                  allowed);
    EXPECT_EQ(
        wrong(R"({"grid": {")" + field + R"(": [1]}})"),
        "x.json:1: ablation.grid." + field + ": '" + field + "' cannot be ablated; " + allowed);
  }
  EXPECT_EQ(wrong(R"({"variants": {"a": {"random.seed": 1}}})"),
            "x.json:1: ablation.variants.a.random.seed: 'random.seed' cannot be ablated; " +
                allowed + "; ablation.seeds gives the seeds");
  EXPECT_EQ(wrong(R"({"variants": {"a": {"modle.n_heads": 1}}})"),
            "x.json:1: ablation.variants.a.modle.n_heads: unknown section 'modle'; " + allowed +
                "; did you mean 'model'?");
  for (const char* path : {"", "model.", ".model", "model..mlp"}) {
    EXPECT_NE(wrong(R"({"variants": {"a": {")" + std::string(path) + R"(": 1}}})")
                  .find("must be the dotted path of a field"),
              std::string::npos)
        << path;
  }
}

TEST_F(AblationSection, WhatIsNoVariantIsRefused) {
  EXPECT_EQ(wrong(R"({"variants": ["full", "unifrom"]})")
                .find("x.json:1: ablation.variants[1]: unknown mode 'unifrom'; allowed: full, "),
            0);
  EXPECT_EQ(wrong(R"({"variants": ["full", "none", "full"]})"),
            "x.json:1: ablation.variants[2]: 'full' is listed twice");
  EXPECT_EQ(wrong(R"({"variants": {"a": {}, "a": {}}})"),
            "x.json:1: ablation.variants.a: duplicate key 'a', already on line 1");
  for (const char* name : {"", " a", "a\\nb"}) {
    EXPECT_NE(wrong(R"({"variants": {")" + std::string(name) + R"(": {}}})")
                  .find("the name of a variant must be a text without control characters"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(wrong(R"({"variants": {"a": 3}})"),
            "x.json:1: ablation.variants.a: must be an object, got an integer");
  EXPECT_EQ(wrong(R"({"variants": "full"})"),
            "x.json:1: ablation.variants: must be an object, got a string");
  EXPECT_NE(wrong(R"({"varians": {}})").find("did you mean 'variants'?"), std::string::npos);
}

TEST_F(AblationSection, AWrittenConfigReadsBackToTheSame) {
  const ExperimentConfig first = read(config(R"({"baseline": "wide", "seeds": [5, "0..3"],
    "variants": {"wide": {"model.mlp.ratio": 8, "training.optimizer.lr": 1e-3}, "uniform": {}},
    "grid": {"model.norm": ["pre", "post"], "training.grad_clip": [null, 1.0]},
    "match_parameters": true})"));
  const std::string text = config_text(first);
  EXPECT_NE(text.find(R"(
  "ablation": {
    "baseline": "wide",
    "variants": {
      "wide": {
        "model.mlp.ratio": 8,
        "training.optimizer.lr": 0.001
      },
      "uniform": {}
    },
    "seeds": "5,0..3",
    "grid": {
      "model.norm": ["pre", "post"],
      "training.grad_clip": [null, 1.0]
    },
    "match_parameters": true
  })"),
            std::string::npos)
      << text;
  EXPECT_EQ(config_text(read(text)), text);
  EXPECT_EQ(config_line(read(config_line(first))), config_line(first));
}

}  // namespace
}  // namespace qkvlab
