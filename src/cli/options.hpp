#pragma once

#include <CLI/App.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"

namespace qkvlab {

/// Kinds of options that several commands have. What they refuse is a UserError that says what is
/// allowed.

/// An integer within [low, high]. CLI11's own conversion would not say what is allowed.
CLI::Option* add_integer(CLI::App* app, const std::string& name, int64_t& value, int64_t low,
                         int64_t high, const std::string& help);
/// The same of a value that stays nothing where the option is not given.
CLI::Option* add_integer(CLI::App* app, const std::string& name, std::optional<int64_t>& value,
                         int64_t low, int64_t high, const std::string& help);

/// One of a few names; `noun` is what a name is called in a complaint.
CLI::Option* add_choice(CLI::App* app, const std::string& name, const std::string& noun,
                        const std::vector<std::string>& allowed,
                        const std::function<void(const std::string&)>& use,
                        const std::string& help);

/// Names with commas between them.
CLI::Option* add_names(CLI::App* app, const std::string& name, std::vector<std::string>& names,
                       const std::string& help);

/// A value that may be given as often as there are such; it is taken as it is.
CLI::Option* add_each(CLI::App* app, const std::string& name, std::vector<std::string>& values,
                      const std::string& help);

/// --format; the first of the formats is the default.
void add_format(CLI::App* app, Format& format,
                const std::vector<std::pair<std::string, Format>>& formats);

/// --out, a file.
void add_out(CLI::App* app, std::string& out);

/// --out, an experiment's folder.
void add_folder(CLI::App* app, std::string& folder);

/// --resume and --overwrite: what becomes of runs that the folder holds.
void add_existing(CLI::App* app, bool& resume, bool& overwrite);

/// The names of an app's subcommands.
std::vector<std::string> subcommand_names(const CLI::App& app);

/// Throws as UserError, in this program's words, what CLI11 refused.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error);

/// Throws UserError where a word such as `--out=` gives no value: CLI11 would take the next word.
void refuse_empty_values(int argc, const char* const* argv);

}  // namespace qkvlab
