#include "cli/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/help.hpp"
#include "support/program.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

Command parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv = {"qkvlab"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string complaint(const std::vector<const char*>& arguments) {
  return user_error([&] { parse(arguments); });
}

TEST(CommandLine, TraceHasTheDefaultsOfTheEightSentenceProgram) {
  const auto trace = std::get<TraceCommand>(parse({"trace"}));
  EXPECT_EQ(trace.file, "data/sentiment8.tsv");
  EXPECT_EQ(trace.mode, "full");
  EXPECT_EQ(trace.seed, 31);
  EXPECT_EQ(trace.sentence, 1);
  EXPECT_EQ(trace.epochs, 100);
  EXPECT_EQ(trace.format, Format::kText);
  EXPECT_EQ(trace.out, "");
}

TEST(CommandLine, EveryOptionOfTraceIsRead) {
  const auto trace = std::get<TraceCommand>(
      parse({"trace", "--file=a.tsv", "--mode", "uniform", "--seed", "7", "--sentence", "3",
             "--epochs", "0", "--format", "jsonl", "--out", "x"}));
  EXPECT_EQ(trace.file, "a.tsv");
  EXPECT_EQ(trace.mode, "uniform");
  EXPECT_EQ(trace.seed, 7);
  EXPECT_EQ(trace.sentence, 3);
  EXPECT_EQ(trace.epochs, 0);
  EXPECT_EQ(trace.format, Format::kJsonLines);
  EXPECT_EQ(trace.out, "x");
}

TEST(CommandLine, TraceTakesAConfigWithOverridesAndASample) {
  const auto trace = std::get<TraceCommand>(
      parse({"trace", "a.json", "x=1", "--sample", "4", "y=2", "--split", "test"}));
  EXPECT_EQ(trace.config, "a.json");
  EXPECT_EQ(trace.overrides, (std::vector<std::string>{"x=1", "y=2"}));
  EXPECT_EQ(trace.sample, 4);
  EXPECT_EQ(trace.split, "test");
  const auto first = std::get<TraceCommand>(parse({"trace", "a.json"}));
  EXPECT_EQ(first.sample, 1);
  EXPECT_EQ(first.split, "train");
}

TEST(CommandLine, TheTwoKindsOfTraceKeepTheirOptionsApart) {
  EXPECT_EQ(complaint({"trace", "a.json", "--mode", "full"}),
            "trace: --mode: not with a config ('a.json'); give model.attention.mode=…");
  for (const char* option : {"--file", "--seed", "--sentence", "--epochs"}) {
    EXPECT_NE(complaint({"trace", "a.json", option, "1"}).find("not with a config ('a.json')"),
              std::string::npos)
        << option;
  }
  EXPECT_EQ(complaint({"trace", "--sample", "1"}),
            "trace: --sample: needs a config; without one, --sentence chooses");
  EXPECT_EQ(complaint({"trace", "--split", "train"}),
            "trace: --split: needs a config; without one, --sentence chooses");
}

TEST(CommandLine, EveryOptionOfAblateIsRead) {
  const auto ablate = std::get<AblateCommand>(
      parse({"ablate", "a.json", "x=1", "--variant", "full", "--variant", "[a,b]", "--seeds",
             "0..9,20", "--workers", "2", "--replicas=50", "--out", "b", "--overwrite"}));
  EXPECT_EQ(ablate.config, "a.json");
  EXPECT_EQ(ablate.overrides, std::vector<std::string>{"x=1"});
  EXPECT_EQ(ablate.variants, (std::vector<std::string>{"full", "[a,b]"}));
  EXPECT_EQ(ablate.seeds, "0..9,20");
  EXPECT_EQ(ablate.workers, 2);
  EXPECT_EQ(ablate.replicas, 50);
  EXPECT_EQ(ablate.folder, "b");
  EXPECT_TRUE(ablate.overwrite);
}

TEST(CommandLine, ThatVariantsAreNamedOneByOneIsSaid) {
  const std::string said = complaint({"show", "a", "--variants", "full,none"});
  EXPECT_EQ(said.find("show: unknown option '--variants'"), 0) << said;
  EXPECT_NE(said.find("did you mean '--variant'?"), std::string::npos) << said;
}

TEST(CommandLine, WhatAblateIsNotToldTheConfigSays) {
  const auto ablate = std::get<AblateCommand>(parse({"ablate", "a.json"}));
  EXPECT_TRUE(ablate.variants.empty());
  EXPECT_EQ(ablate.seeds, "");
  EXPECT_FALSE(ablate.workers);
  EXPECT_FALSE(ablate.replicas);
  EXPECT_EQ(ablate.folder, "");
  EXPECT_FALSE(ablate.resume || ablate.overwrite);
  EXPECT_EQ(complaint({"ablate", "a.json", "--workers", "0"}),
            "--workers: must be an integer from 1 to 1024, got '0'");
  EXPECT_EQ(complaint({"ablate", "a.json", "--seeds", ""}),
            "--seeds: must be seeds such as 0..9 or 0..4,7");
  EXPECT_EQ(complaint({"ablate"}), "ablate: CONFIG is required");
}

TEST(CommandLine, ResumingAndOverwritingExcludeEachOther) {
  EXPECT_TRUE(std::get<TrainCommand>(parse({"train", "a.json", "--resume"})).resume);
  EXPECT_TRUE(std::get<TrainCommand>(parse({"train", "a.json", "--overwrite"})).overwrite);
  EXPECT_TRUE(std::get<AblateCommand>(parse({"ablate", "a.json", "--resume"})).resume);
  for (const char* command : {"train", "ablate"}) {
    EXPECT_NE(complaint({command, "a.json", "--resume", "--overwrite"}).find("--overwrite"),
              std::string::npos);
  }
}

TEST(CommandLine, EveryOptionOfShowIsRead) {
  const auto show = std::get<ShowCommand>(
      parse({"show",     "a",       "b.jsonl",   "--what",    "curves,attention",
             "--metric", "x,y",     "--variant", "full",      "--seed",
             "3",        "--layer", "1",         "--head",    "2",
             "--sample", "4",       "--step",    "first,100", "--colour",
             "never",    "--ascii", "--width",   "120",       "--out",
             "o"}));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(show.paths, (Texts{"a", "b.jsonl"}));
  EXPECT_EQ(show.what, (Texts{"curves", "attention"}));
  EXPECT_EQ(show.metrics, (Texts{"x", "y"}));
  EXPECT_EQ(show.variants, Texts{"full"});
  EXPECT_EQ(show.seeds, std::set<int64_t>{3});
  EXPECT_EQ(show.layer, 1);
  EXPECT_EQ(show.head, 2);
  EXPECT_EQ(show.sample, 4);
  EXPECT_EQ(show.steps, (Texts{"first", "100"}));
  EXPECT_EQ(show.colours, ShowCommand::Colours::kNever);
  EXPECT_TRUE(show.ascii);
  EXPECT_EQ(show.width, 120);
  EXPECT_EQ(show.out, "o");
  const auto defaults = std::get<ShowCommand>(parse({"show", "a"}));
  EXPECT_TRUE(defaults.seeds.empty());
  EXPECT_FALSE(defaults.layer || defaults.head || defaults.sample);
  EXPECT_EQ(defaults.colours, ShowCommand::Colours::kAuto);
  EXPECT_EQ(complaint({"show"}), "show: PATH is required");
}

TEST(CommandLine, CheckTakesAConfigAndOverrides) {
  const auto check = std::get<CheckCommand>(
      parse({"check", "a.json", "x=1", "--format", "json", "y.z=[1,2]", "--out", "b"}));
  EXPECT_EQ(check.config, "a.json");
  EXPECT_EQ(check.overrides, (std::vector<std::string>{"x=1", "y.z=[1,2]"}));
  EXPECT_EQ(check.format, Format::kJson);
  EXPECT_EQ(check.out, "b");
  EXPECT_EQ(std::get<CheckCommand>(parse({"check", "a.json"})).format, Format::kText);
}

TEST(CommandLine, SchemaIsJsonOrMarkdown) {
  EXPECT_EQ(std::get<SchemaCommand>(parse({"schema"})).format, Format::kJson);
  EXPECT_EQ(std::get<SchemaCommand>(parse({"schema", "--format", "markdown"})).format,
            Format::kMarkdown);
}

TEST(CommandLine, MisspeltWordsGetTheNearestSpelling) {
  EXPECT_NE(complaint({"trce"}).find("did you mean 'trace'?"), std::string::npos);
  EXPECT_NE(complaint({"trace", "--sede", "1"}).find("did you mean '--seed'?"), std::string::npos);
  EXPECT_NE(complaint({"trace", "--epoch=1"}).find("did you mean '--epochs'?"), std::string::npos);
  EXPECT_NE(complaint({"trace", "--mode", "ful"}).find("did you mean 'full'?"), std::string::npos);
  EXPECT_NE(complaint({"trace", "--format", "jsno"}).find("--format: unknown format 'jsno'"),
            std::string::npos);
}

TEST(CommandLine, NumbersSayWhatIsAllowed) {
  EXPECT_EQ(complaint({"trace", "--epochs", "-1"}),
            "--epochs: must be an integer from 0 to 1000000, got '-1'");
  EXPECT_EQ(complaint({"trace", "--sentence", "0"}),
            "--sentence: must be an integer of at least 1, got '0'");
  for (const char* text : {"", "1.5", "1e3", "seven", "0x10", "9223372036854775808"}) {
    EXPECT_EQ(complaint({"trace", "--seed", text}),
              "--seed: must be an integer of at least 0, got '" + std::string(text) + "'");
  }
}

TEST(CommandLine, MissingAndSuperfluousWordsAreRefused) {
  EXPECT_NE(complaint({"attend"}).find("attend"), std::string::npos);
  EXPECT_NE(complaint({"attend", "a", "b"}).find("unexpected argument: 'b'"), std::string::npos);
  EXPECT_NE(complaint({"doctor", "now"}).find("unexpected argument: 'now'"), std::string::npos);
}

TEST(CommandLine, AnOptionNeedsOneValueOnce) {
  EXPECT_EQ(complaint({"trace", "--seed"}), "trace: --seed: expects exactly one value");
  EXPECT_EQ(complaint({"trace", "--seed", "1", "--seed", "2"}),
            "trace: --seed: expects exactly one value");
  EXPECT_EQ(complaint({"trace", "--out=", "--seed"}), "--out=: a value must follow");
  EXPECT_EQ(complaint({"trace", "--out", ""}), "--out: a file's name must not be empty");
  EXPECT_EQ(complaint({"attend"}), "attend: FILE is required");
}

TEST(CommandLine, AnOptionBeforeItsCommandIsToldWhereItBelongs) {
  EXPECT_EQ(complaint({"--seed", "3", "trace"}),
            "--seed: belongs after the command: qkvlab trace --seed");
}

TEST(CommandLine, OneCommandAtATime) {
  EXPECT_EQ(complaint({"doctor", "trace"}), "doctor: unexpected argument: 'trace'");
  EXPECT_EQ(complaint({"schema", "doctor"}), "schema: unexpected argument: 'doctor'");
}

constexpr std::array<const char*, 10> kCommands = {
    "trace", "train", "ablate", "compare", "show", "report", "attend", "doctor", "check", "schema"};

TEST(CommandLine, ABareQkvlabShowsAFewCommandsAndFails) {
  const ProgramRun run = run_qkvlab({});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "") << "a script that lost its words must not take help for data";
  EXPECT_NE(run.error.find("  qkvlab ablate configs/sentiment.json --seeds 0..9\n"),
            std::string::npos)
      << run.error;
  EXPECT_NE(run.error.find("qkvlab: error: no command given; `qkvlab help`"), std::string::npos);
  EXPECT_LT(std::count(run.error.begin(), run.error.end(), '\n'), 24) << "it fits a screen";
}

TEST(CommandLine, HelpIsACommandAndAnOption) {
  const std::string all = run_qkvlab({"--help"}).out;
  EXPECT_EQ(run_qkvlab({"help"}).out, all);
  EXPECT_EQ(run_qkvlab({"-h"}).out, all);
  for (const char* command : kCommands) {
    EXPECT_NE(all.find("\n  " + std::string(command) + " "), std::string::npos) << command;
    const ProgramRun help = run_qkvlab({"help", command});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.out, run_qkvlab({command, "--help"}).out);
    EXPECT_NE(help.out.find("Usage: qkvlab " + std::string(command)), std::string::npos);
    EXPECT_NE(help.out.find("75 a limit of time"), std::string::npos) << help.out;
  }
  EXPECT_NE(run_qkvlab({"help", "trian"}).error.find("did you mean 'train'?"), std::string::npos);
  EXPECT_EQ(run_qkvlab({"-V"}).out, run_qkvlab({"--version"}).out);
}

TEST(CommandLine, HelpSaysDefaultsAndWhatExcludesWhat) {
  const std::string trace = run_qkvlab({"help", "trace"}).out;
  EXPECT_NE(trace.find("--sentence N "), std::string::npos) << trace;
  EXPECT_NE(trace.find("(default: 31)"), std::string::npos) << trace;
  EXPECT_EQ(trace.find("=31"), std::string::npos) << trace;
  const std::string train = run_qkvlab({"help", "train"}).out;
  EXPECT_NE(train.find("(not with --overwrite)"), std::string::npos) << train;
  EXPECT_EQ(train.find("Excludes"), std::string::npos) << train;
}

TEST(CommandLine, EveryExampleOfTheHelpIsACommandLine) {
  for (const char* command : kCommands) {
    ASSERT_FALSE(examples_of(command).empty()) << command;
    for (const std::string& example : examples_of(command)) {
      std::istringstream stream(example.substr(0, example.find(" <")));
      std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
      ASSERT_EQ(words.front(), "qkvlab");
      EXPECT_EQ(words[1], command);
      std::vector<const char*> argv;
      for (const std::string& word : words) argv.push_back(word.c_str());
      EXPECT_NO_THROW(parse_command_line(static_cast<int>(argv.size()), argv.data())) << example;
    }
  }
}

TEST(CommandLine, ADashIsStandardInputOrOutput) {
  EXPECT_EQ(std::get<CheckCommand>(parse({"check", "-", "--out", "-"})).config, "/dev/stdin");
  EXPECT_EQ(std::get<CheckCommand>(parse({"check", "-", "--out", "-"})).out, "");
  EXPECT_EQ(std::get<AttendCommand>(parse({"attend", "-"})).file, "/dev/stdin");
  EXPECT_EQ(std::get<TraceCommand>(parse({"trace", "--file", "-"})).file, "/dev/stdin");
  EXPECT_EQ(std::get<ReportCommand>(parse({"report", "a", "-o", "-"})).out, "");
  EXPECT_EQ(std::get<CompareCommand>(parse({"compare", "-"})).comparison.paths,
            std::vector<std::string>{"/dev/stdin"});
  EXPECT_NE(complaint({"train", "a.json", "--out", "-"}).find("an experiment is a folder"),
            std::string::npos);
}

TEST(CommandLine, WordsInBracketsAreTakenAsTheyAre) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(std::get<ShowCommand>(parse({"show", "[a,b]", "[c]", "d"})).paths,
            (Texts{"[a,b]", "[c]", "d"}));
  EXPECT_EQ(std::get<CompareCommand>(parse({"compare", "[a,b]"})).comparison.paths, Texts{"[a,b]"});
  EXPECT_EQ(std::get<ReportCommand>(parse({"report", "[a,b]", "-o", "[x,y]"})).out, "[x,y]");
  const auto check = std::get<CheckCommand>(parse({"check", "[a,b]", "[x,y]", "k=[1,2]"}));
  EXPECT_EQ(check.config, "[a,b]");
  EXPECT_EQ(check.overrides, (Texts{"[x,y]", "k=[1,2]"}));
  EXPECT_EQ(std::get<ShowCommand>(parse({"show", "a", "--metric", "[x,y]"})).metrics,
            (Texts{"[x", "y]"}));
  EXPECT_EQ(complaint({"attend", "a", "[b,c]"}), "attend: unexpected argument: '[b,c]'");
}

TEST(CommandLine, AnOutputIsNotNamedAfterAnotherFormat) {
  const std::vector<std::pair<std::vector<const char*>, bool>> names = {
      {{"show", "a", "--out", "c.svg"}, false},
      {{"show", "a", "--out", "c.txt"}, true},
      {{"show", "a", "--out", "c"}, true},
      {{"report", "a", "--out", "x.pdf"}, false},
      {{"report", "a", "--out", "x.HTML"}, true},
      {{"report", "a", "--out", "x.htm"}, true},
      {{"report", "a", "--out", "x"}, true},
      {{"report", "a", "--out", "/dev/full"}, true},
      {{"compare", "a", "--out", "c.json"}, false},
      {{"compare", "a", "--out", "c.json", "--format", "json"}, true},
      {{"compare", "a", "--out", "c.csv", "--format", "csv"}, true},
      {{"compare", "a", "--out", "c.md", "--format", "markdown"}, true},
      {{"compare", "a", "--out", "c.tsv", "--format", "csv"}, false},
      {{"trace", "--out", "t.jsonl"}, false},
      {{"trace", "--out", "t.jsonl", "--format", "jsonl"}, true},
      {{"check", "a", "--out", "c.json"}, false},
      {{"attend", "a", "--out", "c.json", "--format", "json"}, true},
      {{"schema", "--out", "s.json"}, true},
      {{"schema", "--out", "s.json", "--format", "markdown"}, false},
      {{"doctor", "--out", "d.html"}, false}};
  for (const auto& [arguments, allowed] : names) {
    if (allowed) {
      EXPECT_NO_THROW(parse(arguments)) << arguments.front() << " " << arguments[3];
    } else {
      EXPECT_NE(complaint(arguments).find("is the name of a file in "), std::string::npos);
    }
  }
}

TEST(CommandLine, SeedMeansOneThing) {
  EXPECT_EQ(std::get<TrainCommand>(parse({"train", "a.json", "--seed", "4"})).seed, 4);
  const auto compare = std::get<CompareCommand>(
      parse({"compare", "a", "--seed", "0..2,7", "--bootstrap-seed", "5"}));
  EXPECT_EQ(compare.comparison.seeds, (std::set<int64_t>{0, 1, 2, 7}));
  EXPECT_EQ(compare.comparison.bootstrap_seed, 5);
  EXPECT_EQ(std::get<ShowCommand>(parse({"show", "a", "--seed", "1..3"})).seeds,
            (std::set<int64_t>{1, 2, 3}));
  EXPECT_NE(complaint({"show", "a", "--seed", "x"}).find("--seed"), std::string::npos);
}

TEST(CommandLine, HelpAndVersionArePrintedToStandardOutput) {
  const ProgramRun help = run_qkvlab({"trace", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.error, "");
  for (const char* option : {"--file", "--mode", "--seed", "--sentence", "--epochs", "--format"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run_qkvlab({"--version"}).out, "qkvlab " QKVLAB_VERSION "\n");
}

TEST(CommandLine, HelpThatCannotBePrintedIsAFailure) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"--help"}, {"trace", "--help"}, {"--version"}}) {
    const ProgramRun run = run_qkvlab(question, QKVLAB_SOURCE_FOLDER, "/dev/full");
    EXPECT_EQ(run.exit_code, 1) << question.front();
    EXPECT_EQ(run.error, "qkvlab: error: standard output: No space left on device\n");
  }
}

}  // namespace
}  // namespace qkvlab
