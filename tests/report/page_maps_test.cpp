#include "report/page_maps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/map_svg.hpp"
#include "support/recorded_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

AttentionRecord map_at(int64_t step, int64_t layer = 0, int64_t tokens = 2) {
  AttentionRecord map;
  map.step = step;
  map.layer = layer;
  map.queries = map.keys = tokens;
  map.weights.assign(static_cast<size_t>(tokens * tokens), 0.5f);
  return map;
}

RecordedRun mapped_run(const std::string& variant, int64_t seed) {
  RecordedRun run;
  run.begin.variant = variant;
  run.begin.seed = seed;
  run.file = "r.jsonl";
  return run;
}

TEST(MapCatalogue, TheSmallestSeedAndLayerAreTheExampleWhateverTheOrder) {
  MapCatalogue catalogue;
  for (const int64_t seed : {7, 3, 9}) {
    for (const int64_t step : {50, 0, 100}) {
      for (const int64_t layer : {1, 0})
        catalogue.add(mapped_run("full", seed), map_at(step, layer));
    }
  }
  catalogue.add(mapped_run("none", 9), map_at(4));
  EXPECT_EQ(catalogue.places().size(), 19u);
  const std::vector<MapCatalogue::Example> examples = catalogue.examples();
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].run.begin.seed, 3);
  EXPECT_EQ(examples[0].first.layer, 0);
  EXPECT_EQ(examples[0].first.step, 0);
  EXPECT_EQ(examples[0].last.layer, 0);
  EXPECT_EQ(examples[0].last.step, 100);
  EXPECT_EQ(examples[1].first.step, examples[1].last.step);
}

TEST(MapCatalogue, PaperHasRoomForFewMapsOnly) {
  MapCatalogue catalogue;
  for (int i = 0; i < 50; ++i)
    catalogue.add(mapped_run("variant " + std::to_string(i), 0), map_at(0));
  EXPECT_EQ(catalogue.examples().size(), 12u);
  EXPECT_EQ(catalogue.words_on_examples(),
            "On paper and without scripts there are maps of the first 12 variants alone.");
  MapCatalogue large;
  large.add(mapped_run("full", 0), map_at(0, 0, kMostTokensOnPaper + 1));
  EXPECT_TRUE(large.examples().empty());
  EXPECT_EQ(large.words_on_examples(),
            "On paper and without scripts there are no maps of more than 24 tokens.");
  EXPECT_EQ(MapCatalogue().words_on_examples(), "");
  EXPECT_EQ(large.places().size(), 1u);
}

TEST(MapCatalogue, OnlyChosenMapsAreWritten) {
  const TemporaryFolder folder;
  RecordedExperiment experiment;
  experiment.maps = 3;
  const std::string path = folder.write("r.jsonl", experiment.lines());
  const PageVariants variants(read_recording({path}), {});
  MapChoice choice;
  choice.seeds = {1, 4};
  choice.steps = {0, 2};
  choice.samples = {0};
  choice.maps = 8;
  std::string text;
  write_map_data({path}, variants, choice, [&](std::string_view piece) { text += piece; });
  const std::string begin = "\"maps\":[";
  const size_t at = text.find(begin) + begin.size();
  const std::string places = text.substr(at, text.find(']', at) - at);
  // Eleven numbers of each of two variants, two seeds and two steps.
  EXPECT_EQ(std::count(places.begin(), places.end(), ',') + 1, 11 * 8);
  EXPECT_NE(text.find("\"seeds\":[\"1\",\"4\"]"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
