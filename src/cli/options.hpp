#pragma once

#include <CLI/App.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
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

/// Files to read; "-" is standard input.
CLI::Option* add_files(CLI::App* app, const std::string& name, std::vector<std::string>& files,
                       const std::string& help);
CLI::Option* add_file(CLI::App* app, const std::string& name, std::string& file,
                      const std::string& help);

/// Seeds of runs, such as 3 or 0..4,7.
CLI::Option* add_seeds(CLI::App* app, const std::string& name, std::set<int64_t>& seeds,
                       const std::string& help);

/// --out, a file; "-" is standard output.
void add_out(CLI::App* app, std::string& out);

/// Throws UserError where the extension of a file to write ("a.svg") stands for another format than
/// the one that is written, so that nothing is written under a false name. Other names are fine but
/// for HTML, whose name ends in .html or .htm or has no extension.
void refuse_other_extension(const CLI::App& command, const std::string& out, Format format);

/// --out, an experiment's folder.
void add_folder(CLI::App* app, std::string& folder);

/// --resume and --overwrite: what becomes of runs that the folder holds.
void add_existing(CLI::App* app, bool& resume, bool& overwrite);

/// -q, --quiet.
void add_quiet(CLI::App* app);

/// The names of an app's subcommands.
std::vector<std::string> subcommand_names(const CLI::App& app);

/// Throws as UserError, in this program's words, what CLI11 refused.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error);

/// Throws UserError where a word such as `--out=` gives no value: CLI11 would take the next word.
void refuse_empty_values(const std::vector<std::string>& words);

/// Parses the words, the program's name not among them, as they are: CLI11 by itself takes a word
/// in brackets, such as the path "[a,b]", for a list of words. Throws as CLI::App::parse does.
void parse_words(CLI::App& app, const std::vector<std::string>& words);

}  // namespace qkvlab
