#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/program.hpp"
#include "support/recorded_experiment.hpp"

namespace qkvlab {
namespace {

class Report : public testing::Test {
 protected:
  ProgramRun run(const std::vector<std::string>& arguments) const {
    return run_qkvlab(arguments, folder_.path());
  }

  /// The comparison that a page carries.
  std::string comparison(const std::string& page) const {
    const std::string html = TemporaryFolder::read(folder_.file(page));
    const std::string open = "<script type=\"application/json\" id=\"comparison\">";
    const size_t begin = html.find(open) + open.size();
    return html.substr(begin, html.find("</script>", begin) - begin);
  }

  const TemporaryFolder folder_;
};

TEST_F(Report, WritesThePageAndSaysHowLargeItIs) {
  folder_.write("r.jsonl", RecordedExperiment().lines());
  const ProgramRun report = run({"report", "r.jsonl", "-o", "page.html"});
  EXPECT_EQ(report.exit_code, 0) << report.error;
  EXPECT_EQ(report.out, "");
  const auto kilobytes =
      std::to_string((std::filesystem::file_size(folder_.file("page.html")) + 500) / 1000);
  EXPECT_EQ(report.error, "page.html: " + kilobytes + " kB\n");
  const std::string html = TemporaryFolder::read(folder_.file("page.html"));
  EXPECT_EQ(html.rfind("<!DOCTYPE html>\n", 0), 0u);
  EXPECT_EQ(html.substr(html.size() - 8), "</html>\n");
}

TEST_F(Report, ADashIsStandardOutputAndQuietIsQuiet) {
  folder_.write("r.jsonl", RecordedExperiment().lines());
  const ProgramRun report = run({"report", "r.jsonl", "-o", "-", "--quiet"});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.out.rfind("<!DOCTYPE html>\n", 0), 0u);
  EXPECT_EQ(run({"report", "r.jsonl", "-o", "page.htm"}).exit_code, 0);
  EXPECT_EQ(run({"report", "r.jsonl", "-o", "page"}).exit_code, 0);
}

TEST_F(Report, ItsComparisonIsWhatComparePrints) {
  folder_.write("r.jsonl", RecordedExperiment().lines());
  const std::vector<std::vector<std::string>> choices = {
      {},
      {"--metric", "test.accuracy", "--baseline", "none"},
      {"--variant", "uniform", "--take", "best"},
      {"--by", "experiment"}};
  for (const std::vector<std::string>& choice : choices) {
    std::vector<std::string> compare = {"compare", "r.jsonl", "--format", "json"};
    std::vector<std::string> report = {"report", "r.jsonl", "-o", "page.html"};
    compare.insert(compare.end(), choice.begin(), choice.end());
    report.insert(report.end(), choice.begin(), choice.end());
    const ProgramRun compared = run(compare), reported = run(report);
    ASSERT_EQ(compared.exit_code, 0) << compared.error;
    ASSERT_EQ(reported.exit_code, 0) << reported.error;
    EXPECT_EQ(comparison("page.html"), compared.out);
  }
}

TEST_F(Report, OneRunOfOneVariantIsAPage) {
  RecordedExperiment experiment;
  experiment.variants = {"full"};
  experiment.seeds = 1;
  folder_.write("r.jsonl", experiment.lines());
  const ProgramRun report = run({"report", "r.jsonl", "--out", "page.html"});
  EXPECT_EQ(report.exit_code, 0) << report.error;
  const std::string html = TemporaryFolder::read(folder_.file("page.html"));
  EXPECT_NE(html.find("qkvlab train by_hand.json random.seed=0"), std::string::npos);
}

TEST_F(Report, RunsThatAreCutOffAreTold) {
  std::string lines = RecordedExperiment().lines();
  lines.resize(lines.size() - 10);
  folder_.write("r.jsonl", lines + "\n{broken\n");
  const ProgramRun report = run({"report", "r.jsonl", "-o", "page.html"});
  EXPECT_EQ(report.exit_code, 0) << report.error;
  const std::string html = TemporaryFolder::read(folder_.file("page.html"));
  EXPECT_NE(html.find("id=\"left-out\""), std::string::npos);
}

TEST_F(Report, MistakesAreOneLineAndLeaveNoFile) {
  const std::string records = RecordedExperiment().lines();
  folder_.write("r.jsonl", records);
  std::filesystem::create_symlink(folder_.file("r.jsonl"), folder_.file("link"));
  folder_.write("t.csv", "variant,seed,x\nfull,0,1\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"report", "r.jsonl"}, "report: --out is required"},
      {{"report", "-o", "p.html"}, "report: PATH is required"},
      {{"report", "r.jsonl", "-o", ""}, "--out: a file's name must not be empty"},
      {{"report", "t.csv", "-o", "p.html"},
       "report: t.csv: is a table of values, but a page needs records; `qkvlab compare` takes it"},
      {{"report", "no.jsonl", "-o", "p.html"}, "no.jsonl"},
      {{"report", "r.jsonl", "-o", "link"}, "--out: link is the input itself"},
      {{"report", "r.jsonl", "-o", "r.jsonl"},
       "--out: r.jsonl is the name of a file in JSON lines, but HTML would be written"},
      {{"report", "r.jsonl", "-o", "p.pdf"},
       "--out: p.pdf is the name of a file in PDF, but HTML would be written; choose another name"},
      {{"report", "r.jsonl", "-o", "p.SVG"}, "p.SVG is the name of a file in SVG"},
      {{"report", "r.jsonl", "-o", "p.page"}, "p.page is the name of a file in .page"},
      {{"report", "r.jsonl", "-o", "no/p.html"}, "no/p.html"},
      {{"report", "r.jsonl", "-o", "p.html", "--metric", "test.accurcy"},
       "did you mean 'test.accuracy'?"},
      {{"report", "r.jsonl", "-o", "p.html", "--baseline", "unifrm"}, "did you mean 'uniform'?"}};
  for (const auto& [arguments, complaint] : mistakes) {
    const ProgramRun report = run(arguments);
    EXPECT_EQ(report.exit_code, 2) << complaint;
    EXPECT_NE(report.error.find(complaint), std::string::npos) << report.error;
    EXPECT_EQ(std::count(report.error.begin(), report.error.end(), '\n'), 1) << report.error;
  }
  for (const char* file : {"p.html", "p.pdf", "p.SVG", "p.page"}) {
    EXPECT_FALSE(std::filesystem::exists(folder_.file(file))) << file;
  }
  EXPECT_EQ(TemporaryFolder::read(folder_.file("r.jsonl")), records);
}

TEST_F(Report, AFullDiskIsAFailure) {
  folder_.write("r.jsonl", RecordedExperiment().lines());
  const ProgramRun report = run({"report", "r.jsonl", "-o", "/dev/full"});
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_NE(report.error.find("/dev/full"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
