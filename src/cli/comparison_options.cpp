#include "cli/comparison_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "cli/options.hpp"

namespace qkvlab {

namespace {

void add_metric(CLI::App* app, MetricChoice& metric) {
  app->add_option("--metric", metric.name,
                  "Such as test.accuracy, step.grad_norm, gradients.q_proj.weight or "
                  "attention.entropy")
      ->type_name("NAME")
      ->default_str("the loss on what is held out, else in training");
  const std::vector<std::pair<std::string, Taken>> takes = {{"end", Taken::kEnd},
                                                            {"best", Taken::kBest},
                                                            {"area", Taken::kArea},
                                                            {"steps-to", Taken::kStepsTo}};
  std::vector<std::string> names;
  for (const auto& one : takes) names.push_back(one.first);
  const auto use = [&metric, takes](const std::string& name) {
    for (const auto& [known, taken] : takes) {
      if (known == name) metric.taken = taken;
    }
  };
  add_choice(app, "--take", "value", names, use, "What is taken of a run's course")
      ->type_name("VALUE")
      ->default_str(names.front());
  const auto read_threshold = [&metric](const std::string& text) {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), metric.threshold);
    if (error != std::errc() || end != text.data() + text.size() ||
        !std::isfinite(metric.threshold)) {
      throw UserError("--threshold: must be a finite number, got '" + text + "'");
    }
  };
  app->add_option_function<std::string>("--threshold", read_threshold,
                                        "With --take steps-to: what is to be reached")
      ->type_name("X");
  add_choice(
      app, "--better", "direction", {"higher", "lower"},
      [&metric](const std::string& name) { metric.higher_is_better = name == "higher"; },
      "Which values are better, where the metric's name does not say")
      ->type_name("DIRECTION");
}

void add_fields(CLI::App* app, ComparisonOptions& options, bool takes_tables) {
  app->add_option(
         "--by", options.observation.by,
         "A table for each value of this field of the config (model.d_model), of experiment "
         "or variant, or of this column")
      ->type_name("FIELD");
  add_choice(
      app, "--unit", "unit", {"seed", "cell"},
      [&options](const std::string& name) {
        options.unit = name == "seed" ? Unit::kSeed : Unit::kCell;
      },
      "What is independent: whole seeds, or, by your claim, each cell of a seed (task, head)")
      ->type_name("UNIT")
      ->default_str("seed");
  app->add_option("--variant-column", options.observation.variant_column,
                  "The column that names variants; of records a field, such as "
                  "training.optimizer.lr")
      ->type_name("NAME")
      ->capture_default_str();
  if (!takes_tables) return;
  add_names(app, "--cell-columns", options.observation.cell_columns,
            "Of a table: the columns that tell apart what a variant has several of for a seed; "
            "by default those that the values show")
      ->type_name("NAMES");
  app->add_option("--seed-column", options.observation.seed_column,
                  "The column of seeds, of a table")
      ->type_name("NAME")
      ->capture_default_str();
}

}  // namespace

void add_comparison_options(CLI::App* app, ComparisonOptions& options, bool takes_tables) {
  add_files(app, "PATH", options.paths,
            std::string("Experiment folders and files of records") +
                (takes_tables ? ", or one table of values (.csv, .tsv)" : "") +
                "; - is standard input")
      ->required();
  add_metric(app, options.observation.metric);
  app->add_option("--baseline", options.baseline, "The variant that others are compared with")
      ->type_name("NAME")
      ->default_str("the experiment's, or full");
  add_each(app, "--variant", options.variants,
           "A variant to compare with it, as often as there are such")
      ->default_str("all");
  add_fields(app, options, takes_tables);
  add_seeds(app, "--seed", options.seeds, "Runs of these seeds only, such as 3 or 0..4,7");
  add_integer(app, "--bootstrap-seed", options.bootstrap_seed, 0, INT64_MAX,
              "Random seed of the bootstrap and of sign flips");
}

void check_comparison_options(const CLI::App& app, const ComparisonOptions& options) {
  const bool has_threshold = app.get_option("--threshold")->count() > 0;
  const bool wants_threshold = options.observation.metric.taken == Taken::kStepsTo;
  if (wants_threshold && !has_threshold) {
    throw UserError(app.get_name() + ": --take steps-to needs --threshold, what is to be reached");
  }
  if (has_threshold && !wants_threshold) {
    throw UserError(app.get_name() + ": --threshold needs --take steps-to");
  }
  const MetricChoice& metric = options.observation.metric;
  const bool needs_direction = metric.taken == Taken::kBest || wants_threshold;
  if (needs_direction && !metric.name.empty() && !higher_is_better(metric)) {
    throw UserError(app.get_name() + ": --take needs --better higher or lower: '" + metric.name +
                    "' has no preferred direction");
  }
  const bool has_table =
      std::any_of(options.paths.begin(), options.paths.end(), is_table_of_values);
  if (has_table && options.paths.size() > 1) {
    throw UserError(app.get_name() + ": a table of values is compared alone, got " +
                    std::to_string(options.paths.size()) + " paths");
  }
}

}  // namespace qkvlab
