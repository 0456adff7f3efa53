#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "cli/talk.hpp"
#include "config/ablation_reader.hpp"

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

/// Stands before a word that CLI11 would take for a list, until it has stored it.
constexpr char kMark = '\x01';

std::string with_mark(const std::string& word) {
  const bool in_brackets = word.size() > 1 && word.front() == '[' && word.back() == ']';
  return in_brackets ? kMark + word : word;
}

std::string without_mark(const std::string& word) {
  const bool has_mark = word.size() > 1 && word[0] == kMark && word[1] == '[';
  return has_mark ? word.substr(1) : word;
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

namespace {

std::string file_to_read(const std::string& name) { return name == "-" ? "/dev/stdin" : name; }

}  // namespace

CLI::Option* add_files(CLI::App* app, const std::string& name, std::vector<std::string>& files,
                       const std::string& help) {
  return app->add_option(name, files, help)->transform(file_to_read)->type_name("");
}

CLI::Option* add_file(CLI::App* app, const std::string& name, std::string& file,
                      const std::string& help) {
  return app->add_option(name, file, help)->transform(file_to_read)->type_name("");
}

CLI::Option* add_seeds(CLI::App* app, const std::string& name, std::set<int64_t>& seeds,
                       const std::string& help) {
  const auto read = [name, &seeds](const std::string& text) {
    const std::vector<int64_t> all = read_seeds(text, name);
    seeds = {all.begin(), all.end()};
  };
  return app->add_option_function<std::string>(name, read, help)->type_name("SEEDS");
}

void add_quiet(CLI::App* app) {
  app->add_flag_callback("-q,--quiet", be_quiet, "Say nothing but warnings and errors on stderr");
}

void add_out(CLI::App* app, std::string& out) {
  const auto read = [&out](const std::string& file) {
    if (file.empty()) throw UserError("--out: a file's name must not be empty");
    out = file == "-" ? "" : file;
  };
  app->add_option_function<std::string>("--out", read, "Write to this file; - is standard output")
      ->type_name("FILE")
      ->default_str("-");
}

namespace {

std::string name_of(Format format) {
  switch (format) {
    case Format::kText:
      return "text";
    case Format::kJson:
      return "JSON";
    case Format::kJsonLines:
      return "JSON lines";
    case Format::kMarkdown:
      return "Markdown";
    case Format::kCsv:
      return "CSV";
    case Format::kHtml:
      break;
  }
  return "HTML";
}

/// The formats that extensions stand for.
const std::map<std::string, std::string>& formats_of_extensions() {
  static const std::map<std::string, std::string> formats = {{".html", "HTML"},
                                                             {".htm", "HTML"},
                                                             {".pdf", "PDF"},
                                                             {".svg", "SVG"},
                                                             {".png", "PNG"},
                                                             {".jpg", "JPEG"},
                                                             {".jpeg", "JPEG"},
                                                             {".gif", "GIF"},
                                                             {".webp", "WebP"},
                                                             {".eps", "PostScript"},
                                                             {".ps", "PostScript"},
                                                             {".tex", "LaTeX"},
                                                             {".docx", "Word"},
                                                             {".xlsx", "Excel"},
                                                             {".xml", "XML"},
                                                             {".json", "JSON"},
                                                             {".jsonl", "JSON lines"},
                                                             {".ndjson", "JSON lines"},
                                                             {".csv", "CSV"},
                                                             {".tsv", "TSV"},
                                                             {".md", "Markdown"},
                                                             {".markdown", "Markdown"},
                                                             {".safetensors", "safetensors"}};
  return formats;
}

}  // namespace

void refuse_other_extension(const CLI::App& command, const std::string& out, Format format) {
  std::string extension = std::filesystem::path(out).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  const auto known = formats_of_extensions().find(extension);
  std::string named = known == formats_of_extensions().end() ? "" : known->second;
  if (named.empty() && format == Format::kHtml) named = extension;
  if (named.empty() || named == name_of(format)) return;
  const bool has_choice = command.get_option_no_throw("--format") != nullptr;
  throw UserError("--out: " + out + " is the name of a file in " + named + ", but " +
                  name_of(format) + " would be written; choose another name" +
                  (has_choice ? " or another --format" : ""));
}

void add_folder(CLI::App* app, std::string& folder) {
  const auto read = [&folder](const std::string& name) {
    if (name.empty()) throw UserError("--out: a folder's name must not be empty");
    if (name == "-") {
      throw UserError(
          "--out: an experiment is a folder and cannot go to standard output; ./- names a folder "
          "called -");
    }
    folder = name;
  };
  app->add_option_function<std::string>("--out", read, "The experiment's folder")
      ->type_name("FOLDER")
      ->default_str("runs/NAME");
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
  const std::string of_command = chosen.empty() ? "" : where.get_name() + ": ";
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (!extras.empty()) {
    const std::string word = without_mark(extras.front());
    if (word.rfind('-', 0) == 0) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = option_names(where);
      if (std::find(known.begin(), known.end(), name) != known.end()) {
        throw UserError(name + ": belongs after the command: qkvlab " + where.get_name() + " " +
                        name);
      }
      throw UserError(of_command + unknown_name("option", name, known));
    }
    if (chosen.empty()) {
      throw UserError(unknown_name("command", word, subcommand_names(app)));
    }
    throw UserError(of_command + "unexpected argument: '" + word + "'");
  }
  const std::string name = std::string(error.what()).substr(0, std::string(error.what()).find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    throw UserError(of_command + name + ": expects exactly one value");
  }
  throw UserError(of_command + error.what());
}

void refuse_empty_values(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool option_alone = word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1;
    if (option_alone) throw UserError(word + ": a value must follow");
  }
}

void parse_words(CLI::App& app, const std::vector<std::string>& words) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) option->transform(without_mark);
  }
  std::vector<std::string> last_first;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    last_first.push_back(with_mark(*word));
  }
  app.parse(last_first);
}

}  // namespace qkvlab
