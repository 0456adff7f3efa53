#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "cli/shown_maps.hpp"
#include "record/experiment_file.hpp"
#include "record/record_examples.hpp"
#include "support/program.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

/// Prose as it was before it was broken into lines.
std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\n *"), " ");
}

std::string run_line(const std::string& id, const std::string& variant, int64_t seed) {
  RunRecord run = run_record();
  run.run = id;
  run.variant = variant;
  run.cell.clear();
  run.seed = seed;
  return line_of(run) + "\n";
}

std::string step_line(const std::string& id, int64_t step, float loss) {
  return line_of(StepRecord{id, step, loss, 0.1, 2 * loss}) + "\n";
}

std::string gradients_line(const std::string& id, int64_t step, float first, float second) {
  return line_of(GradientsRecord{id,
                                 step,
                                 {{"blocks.0.attention.q_proj.weight", first},
                                  {"blocks.1.attention.q_proj.weight", second}}}) +
         "\n";
}

std::string end_line(const std::string& id, const std::string& status) {
  EndRecord end = end_record();
  end.run = id;
  end.status = status;
  return line_of(end) + "\n";
}

struct Place {
  int64_t step = 0, layer = 0, head = 0, sample = 0;
};

/// A map of two tokens whose second query attends to the first token with the given weight.
AttentionRecord map_of(const std::string& id, Place place, float weight) {
  AttentionRecord map;
  map.run = id;
  map.step = place.step;
  map.layer = place.layer;
  map.head = place.head;
  map.sample = place.sample;
  map.tokens = {"注", "意力"};
  map.queries = map.keys = 2;
  map.weights = {1, 0, weight, 1 - weight};
  map.entropy = {0, 0.5f};
  map.diagonal = 0.5f;
  return map;
}

std::string map_line(const std::string& id, Place place, float weight) {
  return line_of(map_of(id, place, weight)) + "\n";
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

class Show : public testing::Test {
 protected:
  Show() { setenv("LC_ALL", "C.UTF-8", 1); }

  ProgramRun show(const std::string& records, Texts options = {}) {
    options.insert(options.begin(), {"show", folder_.write("r.jsonl", records)});
    return run_qkvlab(options);
  }
  std::string shown(const std::string& records, const Texts& options = {}) {
    const ProgramRun run = show(records, options);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_EQ(run.error, "");
    return run.out;
  }
  std::string complaint(const std::string& records, const Texts& options) {
    const ProgramRun run = show(records, options);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    const std::string prefix = "qkvlab: error: ";
    EXPECT_EQ(run.error.rfind(prefix, 0), 0U) << run.error;
    return run.error.substr(std::min(run.error.size(), prefix.size()));
  }

  const TemporaryFolder folder_;
  const std::string runs_ =
      run_line("a", "full", 3) + run_line("b", "full", 4) + run_line("c", "uniform", 3) +
      step_line("a", 1, 0.5f) + step_line("a", 2, 0.25f) + step_line("b", 1, 0.25f) +
      step_line("b", 2, 0.75f) + step_line("c", 1, 0.5f) + step_line("c", 2, 0.125f) +
      gradients_line("a", 1, 3, 4) + gradients_line("a", 2, 6, 8) + map_line("a", {0}, 0.125f) +
      map_line("b", {0}, 0.375f) + map_line("a", {1}, 0.625f) + map_line("a", {2}, 0.875f) +
      map_line("b", {2}, 0.75f) + end_line("a", "completed") + end_line("b", "diverged");
};

TEST_F(Show, ShowsLossesGradientsAndMapsBeforeAndAfter) {
  const std::string out = shown(runs_);
  EXPECT_NE(
      unwrapped(out).find("r.jsonl (sentiment): 3 runs, 1 completed, 1 diverged, 1 without an "
                          "end (running, or killed), seeds 3 and 4 full, uniform"),
      std::string::npos)
      << out;
  // Of full 0.25 and 0.75 at step 2; half of 12.7 standard errors of 0.25.
  EXPECT_NE(out.find("  a  full           2    0.5  -2.677 to 3.677     2\n"), std::string::npos)
      << out;
  EXPECT_NE(out.find("  b  uniform        2  0.125                      1\n"), std::string::npos);
  EXPECT_NE(out.find("norms of gradients"), std::string::npos);
  // √(6² + 8²) of the two blocks' W_Q; the norm of all is twice the loss, 1 on average.
  EXPECT_NE(out.find("     last mean  all parameters   W_Q\n"
                     "  a  full                    1    10\n"
                     "  b  uniform              0.25  none\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("full, seed 3, sample 0\n"
                     "layer 0, head 0, step 0            layer 0, head 0, step 2\n"
                     "entropy 0.25 nats, diagonal 0.50   entropy 0.25 nats, diagonal 0.50\n"
                     "         注   意力                          注   意力\n"
                     "注   █ 1.00   0.00                 注   █ 1.00   0.00\n"
                     "意力 ░ 0.12 █ 0.88                 意力 █ 0.88 ░ 0.12\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("uniform: no attention maps recorded\n"), std::string::npos);
  EXPECT_NE(out.find("  --step N       0 to 2\n"), std::string::npos);
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << "no colours where nobody asked";
}

TEST_F(Show, OptionsChooseWhatIsDrawn) {
  const std::string curves = shown(runs_, {"--what", "curves"});
  EXPECT_NE(curves.find("training loss"), std::string::npos);
  EXPECT_EQ(curves.find("gradients over"), std::string::npos);
  EXPECT_EQ(curves.find("attention:"), std::string::npos);
  const std::string two = shown(runs_, {"--what", "gradients,attention"});
  EXPECT_EQ(two.find("training loss"), std::string::npos);
  EXPECT_NE(two.find("gradients over"), std::string::npos);
  EXPECT_NE(two.find("attention:"), std::string::npos);
  const std::string rates = shown(runs_, {"--metric", "step.lr"});
  EXPECT_NE(rates.find("step.lr\n"), std::string::npos);
  EXPECT_EQ(rates.find("training loss"), std::string::npos);
  const std::string heads = shown(runs_, {"--metric", "attention.diagonal"});
  EXPECT_NE(heads.find("attention.diagonal.0.0\n"), std::string::npos) << heads;
  const std::string blocks = shown(runs_, {"--metric", "gradients.q_proj.weight"});
  EXPECT_NE(blocks.find("gradients.blocks.1.attention.q_proj.weight\n"), std::string::npos);
}

TEST_F(Show, OptionsChooseAmongMaps) {
  const std::string records = run_line("a", "full", 1) + map_line("a", {5, 0, 0, 0}, 0.1f) +
                              map_line("a", {5, 0, 1, 0}, 0.1f) +
                              map_line("a", {5, 1, 0, 0}, 0.1f) +
                              map_line("a", {5, 1, 0, 1}, 0.1f) +
                              map_line("a", {7, 1, 0, 0}, 0.1f) + map_line("a", {9, 1, 0, 0}, 0.1f);
  const auto titles = [](const std::string& out) {
    return count(out, "layer 0, head 0, step 5") * 1000 +
           count(out, "layer 0, head 1, step 5") * 100 +
           count(out, "layer 1, head 0, step 5") * 10 + count(out, "layer 1, head 0, step 9") +
           count(out, "layer 1, head 0, step 7") * 10000;
  };
  EXPECT_EQ(titles(shown(records)), 1111u);
  EXPECT_EQ(titles(shown(records, {"--layer", "1"})), 11u);
  EXPECT_EQ(titles(shown(records, {"--head", "1"})), 100u);
  EXPECT_EQ(titles(shown(records, {"--sample", "1"})), 10u);
  EXPECT_EQ(titles(shown(records, {"--step", "last"})), 1101u) << "the last that each head has";
  EXPECT_EQ(titles(shown(records, {"--step", "7"})), 10000u);
  EXPECT_EQ(titles(shown(records, {"--step", "7,first", "--layer", "1"})), 10010u);
  EXPECT_EQ(titles(shown(records, {"--step", "all"})), 11111u);
}

TEST_F(Show, WhatIsRecordedIsSaidOfWhatIsShown) {
  const std::string records = run_line("a", "full", 1) + run_line("b", "uniform", 1) +
                              map_line("a", {5, 1, 0, 0}, 0.1f) + map_line("b", {5, 0, 0, 0}, 0.1f);
  EXPECT_EQ(complaint(records, {"--variant", "uniform", "--layer", "1"}),
            "--layer: no attention map is recorded of layer 1; recorded: 0\n");
}

TEST_F(Show, ASeedIsShownAlone) {
  const std::string out = shown(runs_, {"--seed", "4"});
  EXPECT_NE(out.find("full, seed 4, sample 0"), std::string::npos);
  EXPECT_NE(out.find("  a  full        2  0.75                    1\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("b  uniform"), std::string::npos);
}

TEST_F(Show, VariantsOfOneNameAreToldApartByTheirFiles) {
  const std::string one =
      folder_.write("one.jsonl", run_line("a", "full", 1) + step_line("a", 1, 0.5f));
  const std::string two =
      folder_.write("two.jsonl", run_line("b", "full", 1) + step_line("b", 1, 0.25f));
  const ProgramRun run = run_qkvlab({"show", one, two});
  EXPECT_NE(run.out.find("  a  full in " + one), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("  b  full in " + two), std::string::npos);
}

TEST_F(Show, MistakesSayWhatIsAllowed) {
  EXPECT_EQ(complaint(runs_, {"--variant", "full", "--variant", "unifrm"}),
            "--variant: unknown variant 'unifrm'; allowed: full or uniform; did you mean "
            "'uniform'?\n");
  EXPECT_NE(complaint(runs_, {"--metric", "step.los"}).find("did you mean 'step.loss'?"),
            std::string::npos);
  EXPECT_EQ(complaint(runs_, {"--metric", "gradients.q_proj.weight", "--variant", "uniform"}),
            "--metric: none of the runs shown has recorded gradients.q_proj.weight\n");
  EXPECT_EQ(complaint(runs_, {"--seed", "5"}),
            "--seed: no run has the seed 5; recorded: 3 and 4\n");
  EXPECT_EQ(complaint(runs_, {"--seed", "5..7"}),
            "--seed: no run has one of these seeds; recorded: 3 and 4\n");
  EXPECT_EQ(complaint(runs_, {"--out", "c.svg"}),
            "--out: c.svg is the name of a file in SVG, but text would be written; choose another "
            "name\n");
  EXPECT_EQ(complaint(runs_, {"--layer", "1"}),
            "--layer: no attention map is recorded of layer 1; recorded: 0\n");
  EXPECT_EQ(complaint(runs_, {"--head", "2"}),
            "--head: no attention map is recorded of head 2; recorded: 0\n");
  EXPECT_EQ(complaint(runs_, {"--sample", "2"}),
            "--sample: no attention map is recorded of sample 2; recorded: 0\n");
  EXPECT_EQ(complaint(runs_, {"--step", "3,1"}),
            "--step: no attention map is recorded of step 3; recorded: 0 to 2\n");
  EXPECT_EQ(complaint(runs_, {"--step", "lst"}),
            "--step: must be steps such as 0,100, or first, last or all; got 'lst'\n");
  EXPECT_EQ(complaint(runs_, {"--what", "curve"}),
            "--what: unknown picture 'curve'; allowed: curves, gradients or attention; did you "
            "mean 'curves'?\n");
  EXPECT_EQ(complaint(runs_, {"--out", folder_.file("r.jsonl")}),
            "--out: " + folder_.file("r.jsonl") +
                " is the name of a file in JSON lines, but text would be written; choose another "
                "name\n");
  EXPECT_EQ(complaint("", {}), folder_.file("r.jsonl") + ": holds no runs to show\n");
}

TEST_F(Show, WhatIsNotRecordedIsNamedWithItsField) {
  const std::string steps = run_line("a", "full", 1) + step_line("a", 1, 0.5f);
  EXPECT_NE(shown(steps).find("No attention maps are recorded: record.attention.every"),
            std::string::npos);
  const std::string maps = shown(run_line("a", "full", 1) + map_line("a", {}, 0.5f));
  EXPECT_NE(maps.find("No losses are recorded: record.step"), std::string::npos);
  EXPECT_NE(maps.find("No norms of gradients are recorded: record.step and record.gradients"),
            std::string::npos);
}

TEST_F(Show, TensorsAreShownByTrace) {
  const std::string out = shown(run_line("a", "full", 1) + line_of(tensor_record()) + "\n");
  EXPECT_NE(unwrapped(out).find("Tensors, as qkvlab trace writes them"), std::string::npos) << out;
  EXPECT_EQ(out.find("No losses"), std::string::npos);
}

TEST_F(Show, WhatReadingLeftOutIsToldOnStandardError) {
  const ProgramRun run =
      show(run_line("a", "full", 1) + step_line("a", 1, 0.5f) + "{broken\n{\"type\":\"st");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(count(run.error, "\n"), 2u);
  EXPECT_EQ(count("\n" + run.error, "\nqkvlab: warning: "), 2u);
  EXPECT_NE(run.error.find("(this line is left out)\n"), std::string::npos);
  EXPECT_NE(run.error.find("r.jsonl: the last line is cut, or being written just now\n"),
            std::string::npos);
  EXPECT_NE(run.out.find("1 run, 1 without an end"), std::string::npos);
}

TEST_F(Show, RunsThatDivergedAreCounted) {
  const std::string out =
      shown(run_line("a", "full", 1) + run_line("b", "full", 2) + run_line("c", "none", 1) +
            step_line("a", 1, 1) + step_line("b", 1, 3) + step_line("c", 1, kNan) +
            step_line("a", 2, kInfinity) + step_line("b", 2, 4) + end_line("a", "diverged"));
  EXPECT_NE(out.find("  a  full        2           4                 1 of 2\n"), std::string::npos)
      << out;
  EXPECT_NE(out.find("  b  none           not finite                 0 of 1\n"), std::string::npos);
}

TEST_F(Show, ColoursAndAsciiAsAskedFor) {
  const std::string coloured = shown(runs_, {"--colour", "always"});
  EXPECT_NE(coloured.find("\x1b[38;5;"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[48;5;"), std::string::npos);
  EXPECT_EQ(shown(runs_, {"--colour", "never"}), shown(runs_));
  const auto is_ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  EXPECT_FALSE(is_ascii(shown(runs_)));
  const std::string ascii = shown(runs_, {"--ascii"});
  EXPECT_TRUE(is_ascii(ascii));
  EXPECT_NE(ascii.find("?? @ 0.88"), std::string::npos) << ascii;
  EXPECT_TRUE(is_ascii(shown(runs_, {"--ascii", "--colour", "always"})));
}

TEST_F(Show, ALocaleThatIsNotUtf8MeansAscii) {
  const std::string usual = shown(runs_), ascii = shown(runs_, {"--ascii"});
  for (const auto& [locale, expected] : std::vector<std::pair<const char*, std::string>>{
           {"C", ascii}, {"de_DE.ISO-8859-1", ascii}, {"zh_CN.utf8", usual}}) {
    setenv("LC_ALL", locale, 1);
    EXPECT_EQ(shown(runs_), expected) << locale;
  }
}

TEST_F(Show, NothingIsWiderThanAsked) {
  for (const int width : {60, 80, 200}) {
    const std::string out = shown(runs_, {"--ascii", "--width", std::to_string(width)});
    size_t widest = 0;
    for (size_t at = 0; at < out.size(); at = out.find('\n', at) + 1) {
      const size_t length = out.find('\n', at) - at;
      // The paths of files are as long as they are.
      if (out.substr(at, 1) != "/") widest = std::max(widest, length);
    }
    EXPECT_LE(widest, static_cast<size_t>(width)) << out;
    EXPECT_GE(widest, static_cast<size_t>(width) - 1);
  }
}

TEST_F(Show, HostileNamesAndTokensAreText) {
  AttentionRecord map = map_of("a", {}, 0.5f);
  map.tokens = {"\x1b[2J", "\xE2\x80\xAEx"};
  const std::string out = shown(run_line("a", "\x1b]0;v\x07\xE2\x80\xAE", 1) + line_of(map) + "\n" +
                                step_line("a", 1, 0.5f) + step_line("a", 2, 0.5f));
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find('\x07'), std::string::npos);
  EXPECT_EQ(out.find("\xE2\x80\xAE"), std::string::npos);
}

TEST_F(Show, WritesToAFile) {
  const std::string file = folder_.file("out.txt");
  EXPECT_EQ(shown(runs_, {"--out", file}), "");
  EXPECT_EQ(TemporaryFolder::read(file), shown(runs_));
}

TEST_F(Show, ColourHasTwoSpellings) {
  const std::string coloured = shown(runs_, {"--colour", "always"});
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  EXPECT_EQ(shown(runs_, {"--color", "always"}), coloured);
}

TEST_F(Show, NeedsNoLibTorch) {
  // A copy without the engine beside it.
  const std::string program = folder_.file("qkvlab"), records = folder_.write("r.jsonl", runs_);
  std::filesystem::copy_file(QKVLAB_PROGRAM, program);
  EXPECT_EQ(std::system((program + " show " + records + " >/dev/null").c_str()), 0);
}

TEST_F(Show, AnExperimentsFolderIsShown) {
  std::filesystem::create_directory(folder_.file("records"));
  folder_.write("records/a.jsonl", run_line("a", "full", 1) + step_line("a", 1, 0.5f));
  ExperimentFile file;
  file.config = file.identity = file.environment = "{}";
  file.groups = {{"full", {{"a", 1}, {"b", 2}}}};
  write_experiment_file(folder_.file("experiment.json"), file);
  const ProgramRun run = run_qkvlab({"show", folder_.path()});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.error,
            "qkvlab: warning: " + folder_.path() + ": 1 of its runs have no records yet\n");
  EXPECT_EQ(run.out.rfind(folder_.path() + " (sentiment): 1 run", 0), 0u) << run.out;
}

TEST(ShownMaps, HoldsOnlyWhatIsShown) {
  const ShowCommand command;
  ShownMaps maps(command);
  RecordedRun run, other;
  run.begin.run = "a";
  other.begin.run = "b";
  for (int64_t step = 0; step < 1000; ++step) {
    for (RecordedRun* one : {&run, &other}) {
      AttentionRecord map = map_of(one->begin.run, {step}, 0.5f);
      map.queries = map.keys = 1000;
      map.weights.assign(1000000, 0.001f);
      maps.see(*one, map);
    }
  }
  ASSERT_EQ(maps.of_run(run).size(), 1u);
  const std::vector<AttentionRecord> shown = maps.of_run(run).front();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].step, 0);
  EXPECT_EQ(shown[1].step, 999);
  EXPECT_TRUE(maps.of_run(other).empty()) << "the first seed of a variant stands for it";
  EXPECT_FALSE(maps.left_some_out());
  EXPECT_EQ(maps.seen().steps.size(), 1000u);
}

TEST(ShownMaps, HasALimit) {
  ShowCommand command;
  command.steps = {"all"};
  ShownMaps maps(command);
  RecordedRun run;
  run.begin.run = "a";
  AttentionRecord map = map_of("a", {}, 0.5f);
  map.queries = map.keys = 1000;
  map.weights.assign(1000000, 0.001f);
  for (map.step = 0; map.step < 100; ++map.step) maps.see(run, map);
  EXPECT_EQ(maps.of_run(run).front().size(), 33u) << "of 2^25 weights";
  EXPECT_TRUE(maps.left_some_out());
}

}  // namespace
}  // namespace qkvlab
