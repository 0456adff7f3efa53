#pragma once

#include <CLI/App.hpp>

#include "cli/comparing.hpp"

namespace qkvlab {

/// Adds PATH… and the options of comparing; those of tables of values where the command takes any.
void add_comparison_options(CLI::App* app, ComparisonOptions& options, bool takes_tables);

/// Throws UserError where options do not fit each other.
void check_comparison_options(const CLI::App& app, const ComparisonOptions& options);

}  // namespace qkvlab
