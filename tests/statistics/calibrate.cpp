// What scripts/calibrate runs: prints how often the tests of paired comparisons reject where there
// is nothing to find, and how often the intervals cover what is true.

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <vector>

#include "base/number_text.hpp"
#include "report/table.hpp"
#include "statistics/bootstrap.hpp"
#include "statistics/calibration.hpp"
#include "statistics/sign_flip.hpp"

namespace qkvlab {

namespace {

std::vector<CalibrationCell> calibrate_all(const CalibrationOptions& options,
                                           const std::vector<int64_t>& seeds) {
  std::vector<CalibrationCell> cells;
  const auto began = std::chrono::steady_clock::now();
  for (const Shape shape : kShapes) {
    for (const int64_t n : seeds) {
      CalibrationOptions of_cell = options;
      of_cell.seed = options.seed * kShapes.size() * seeds.size() + cells.size();
      cells.push_back(calibrate(shape, n, of_cell));
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
      std::cerr << "calibrate: " << name_of(shape) << ", n = " << n << " done, " << cells.size()
                << " of " << kShapes.size() * seeds.size() << ", " << fixed(passed.count(), 1)
                << " s\n";
    }
  }
  return cells;
}

std::string table_text(const std::vector<CalibrationCell>& cells, int64_t comparisons) {
  Table table({{"values", Align::kLeft},
               {"n"},
               {"sign-flip"},
               {"Wilcoxon"},
               {"t, difference"},
               {"t, mean"},
               {"median"},
               {"BCa, IQM"}});
  const auto share = [comparisons](double value) {
    return fixed(100 * value, 1) + " ± " + fixed(100 * monte_carlo_error(value, comparisons), 1);
  };
  for (const CalibrationCell& cell : cells) {
    table.add_row({name_of(cell.shape), std::to_string(cell.n), share(cell.sign_flip),
                   share(cell.wilcoxon), share(cell.difference), share(cell.mean),
                   share(cell.median), share(cell.interquartile_mean)});
  }
  return table.text(2, {/*width=*/120});
}

int calibrate_and_tell(const CalibrationOptions& options, const std::vector<int64_t>& seeds) {
  const std::vector<CalibrationCell> cells = calibrate_all(options, seeds);
  std::cout
      << options.comparisons << " comparisons for each line, "
      << (options.difference == 0 ? "without a true difference"
                                  : "one arm larger by " + significant(options.difference, 6))
      << "; seed " << options.seed << ".\n"
      << "With " << options.flips << " random flips where n > " << kExactSignFlips
      << " (by default " << kSignFlipResamples << ") and " << options.resamples
      << " resamples of a bootstrap (" << kBootstrapResamples << ").\n"
      << "In %, ± Monte Carlo standard error: how often the tests have p of at most 5 %, and 95 % "
         "intervals cover the truth.\n"
      << table_text(cells, options.comparisons);
  bool all_hold = true;
  for (const CalibrationCell& cell : cells) {
    for (const std::string& missed : missed_bounds(cell, options.comparisons)) {
      std::cout << "MISSED: " << missed << '\n';
      all_hold = false;
    }
  }
  if (all_hold) std::cout << "All bounds hold.\n";
  return all_hold ? 0 : 1;
}

int run(int argc, char** argv) {
  CalibrationOptions options;
  std::vector<int64_t> seeds = {6, 10, 30};
  CLI::App app(
      "How often the tests of paired comparisons reject where there is nothing to find, and how "
      "often the intervals cover what is true. The exit code is 1 where a bound is missed.",
      "calibrate");
  app.add_option("--comparisons", options.comparisons, "Simulated for each line of the table")
      ->check(CLI::Range(int64_t{1}, int64_t{100000000}))
      ->capture_default_str();
  app.add_option("--n", seeds, "Seeds of a comparison, one line for each number and shape")
      ->check(CLI::Range(int64_t{1}, int64_t{100000}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of all random numbers")->capture_default_str();
  app.add_option("--flips", options.flips, "Random flips of signs where the test is not exact")
      ->check(CLI::Range(int64_t{19}, int64_t{100000000}))
      ->capture_default_str();
  app.add_option("--resamples", options.resamples, "Of each bootstrap")
      ->check(CLI::Range(int64_t{1}, int64_t{100000000}))
      ->capture_default_str();
  app.add_option("--difference", options.difference,
                 "Added to one arm, so that there is something to find and bounds are missed")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return calibrate_and_tell(options, seeds);
}

}  // namespace

}  // namespace qkvlab

int main(int argc, char** argv) {
  try {
    return qkvlab::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "calibrate: " << error.what() << '\n';
    return 1;
  }
}
