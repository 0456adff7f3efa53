#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"

namespace qkvlab {

namespace {

/// `Value` is int64_t or an optional of it.
template <typename Value>
CLI::Option* add_integer_option(CLI::App* app, const std::string& name, Value& value, int64_t low,
                                int64_t high, const std::string& help) {
  const auto read = [=, &value](const std::string& text) {
    const std::optional<int64_t> number = parse_integer(text);
    if (!number || *number < low || *number > high) {
      throw UserError(name + ": must be " + integer_wanted(low, high) + ", got '" + text + "'");
    }
    value = *number;
  };
  return app->add_option_function<std::string>(name, read, help)->type_name("N");
}

/// The names between commas.
std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  size_t begin = 0;
  for (size_t comma = list.find(','); comma != std::string::npos; comma = list.find(',', begin)) {
    names.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  names.push_back(list.substr(begin));
  return names;
}

}  // namespace

CLI::Option* add_integer(CLI::App* app, const std::string& name, int64_t& value, int64_t low,
                         int64_t high, const std::string& help) {
  return add_integer_option(app, name, value, low, high, help)->default_str(std::to_string(value));
}

CLI::Option* add_integer(CLI::App* app, const std::string& name, std::optional<int64_t>& value,
                         int64_t low, int64_t high, const std::string& help) {
  return add_integer_option(app, name, value, low, high, help);
}

CLI::Option* add_choice(CLI::App* app, const std::string& name, const std::string& noun,
                        const std::vector<std::string>& allowed,
                        const std::function<void(const std::string&)>& use,
                        const std::string& help) {
  const auto read = [=](const std::string& text) {
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
      throw UserError(name + ": " + unknown_name(noun, text, allowed));
    }
    use(text);
  };
  return app->add_option_function<std::string>(name, read, help + ": " + list_of_names(allowed));
}

CLI::Option* add_names(CLI::App* app, const std::string& name, std::vector<std::string>& names,
                       const std::string& help) {
  const auto read = [&names](const std::string& list) { names = split_names(list); };
  return app->add_option_function<std::string>(name, read, help)->type_name("NAMES");
}

CLI::Option* add_each(CLI::App* app, const std::string& name, std::vector<std::string>& values,
                      const std::string& help) {
  const auto read = [&values](const CLI::results_t& given) {
    values = given;
    return true;
  };
  return app->add_option(name, read, help)
      ->type_name("NAME")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_format(CLI::App* app, Format& format,
                const std::vector<std::pair<std::string, Format>>& formats) {
  std::vector<std::string> names;
  for (const auto& known : formats) names.push_back(known.first);
  const auto use = [&format, formats](const std::string& name) {
    for (const auto& known : formats) {
      if (known.first == name) format = known.second;
    }
  };
  add_choice(app, "--format", "format", names, use, "How to print")
      ->type_name("FORMAT")
      ->default_str(names.front());
}

void add_out(CLI::App* app, std::string& out) {
  const auto read = [&out](const std::string& file) {
    if (file.empty()) throw UserError("--out: a file's name must not be empty");
    out = file;
  };
  app->add_option_function<std::string>("--out", read,
                                        "Write to this file instead of standard output")
      ->type_name("FILE");
}

void add_folder(CLI::App* app, std::string& folder) {
  const auto read = [&folder](const std::string& name) {
    if (name.empty()) throw UserError("--out: a folder's name must not be empty");
    folder = name;
  };
  app->add_option_function<std::string>("--out", read, "The experiment's folder; default runs/NAME")
      ->type_name("FOLDER");
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

void add_existing(CLI::App* app, bool& resume, bool& overwrite) {
  CLI::Option* keep = app->add_flag(
      "--resume", resume, "Go on where an earlier command stopped; runs that have ended stay");
  app->add_flag("--overwrite", overwrite, "Begin every run of the command anew, whatever is there")
      ->excludes(keep);
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({}))
    names.push_back(subcommand->get_name());
  return names;
}

void refuse(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (!extras.empty()) {
    const std::string& word = extras.front();
    if (word.rfind('-', 0) == 0) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = option_names(where);
      if (std::find(known.begin(), known.end(), name) != known.end()) {
        throw UserError(name + ": belongs after the command: qkvlab " + where.get_name() + " " +
                        name);
      }
      throw UserError(where.get_display_name() + ": " + unknown_name("option", name, known));
    }
    if (chosen.empty()) {
      throw UserError(app.get_name() + ": " + unknown_name("command", word, subcommand_names(app)));
    }
    throw UserError(where.get_display_name() + ": one argument too many: '" + word + "'");
  }
  const std::string name = std::string(error.what()).substr(0, std::string(error.what()).find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    throw UserError(where.get_display_name() + ": " + name +
                    ": takes one value, and is given once");
  }
  throw UserError(where.get_display_name() + ": " + error.what());
}

void refuse_empty_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool option_alone = word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1;
    if (option_alone) throw UserError(std::string(word) + ": a value must follow");
  }
}

}  // namespace qkvlab
