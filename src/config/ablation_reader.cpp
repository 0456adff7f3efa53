#include "config/ablation_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "base/utf8.hpp"
#include "config/overrides.hpp"
#include "config/projection_plan.hpp"

namespace qkvlab {

namespace {

constexpr const char* kSeedsWanted = "seeds such as \"0..9\" or \"0..4,10\"";

/// Sections of which every field may be ablated, and the one field beside them.
constexpr std::array<const char*, 3> kAblatedSections = {"task", "model", "training"};
constexpr const char* kAblatedField = "random.scheme";

std::vector<std::string> ablated_fields() {
  std::vector<std::string> fields(kAblatedSections.begin(), kAblatedSections.end());
  fields.emplace_back(kAblatedField);
  return fields;
}

/// Collects seeds and complains about them.
class SeedReader {
 public:
  void add_number(const JsonValue& json) { add(json, json.integer(0), json.integer(0)); }

  /// "0..4,10"
  void add_text(const JsonValue& json) {
    const std::string& text = json.string();
    size_t begin = 0;
    for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
      add_range(json, text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    add_range(json, text.substr(begin));
  }

  std::vector<int64_t> seeds() && { return std::move(seeds_); }

 private:
  /// "3" or "0..4", blanks around it allowed.
  void add_range(const JsonValue& json, std::string range) {
    range.erase(0, range.find_first_not_of(' '));
    range.erase(range.find_last_not_of(' ') + 1);
    const size_t dots = range.find("..");
    const auto first = parse_integer(range.substr(0, dots));
    const auto last = dots == std::string::npos ? first : parse_integer(range.substr(dots + 2));
    if (!first || !last) {
      json.fail(std::string("must be ") + kSeedsWanted + ", got '" + range + "'");
    }
    if (*first < 0 || *last < *first) {
      json.fail("a range must go up from 0 or more, got '" + range + "'");
    }
    add(json, *first, *last);
  }

  void add(const JsonValue& json, int64_t first, int64_t last) {
    // Compared without a sum, which might overflow.
    if (last - first >= kMaxSeeds - static_cast<int64_t>(seeds_.size())) {
      json.fail("makes more than " + std::to_string(kMaxSeeds) + " seeds");
    }
    for (int64_t seed = first;; ++seed) {
      if (!known_.insert(seed).second)
        json.fail("seed " + std::to_string(seed) + " is listed twice");
      seeds_.push_back(seed);
      if (seed == last) break;
    }
  }

  std::vector<int64_t> seeds_;
  std::unordered_set<int64_t> known_;
};

/// Refuses a path that names no field, or one that cannot be ablated. `json` is its value.
void check_path(const JsonValue& json, const std::string& path) {
  const std::vector<std::string> steps = split_path(path);
  if (std::find(steps.begin(), steps.end(), "") != steps.end()) {
    json.fail("must be the dotted path of a field, such as model.n_layers");
  }
  const std::string& section = steps.front();
  const std::vector<std::string> allowed = ablated_fields();
  for (const std::string& field : allowed) {
    if (field == section || field == path) return;
  }
  const std::vector<std::string> others = {"$schema", "name",   "random",  "record",
                                           "run",     "limits", "ablation"};
  if (std::find(others.begin(), others.end(), section) != others.end()) {
    json.fail("'" + path + "' cannot be ablated; allowed: " + list_of_names(allowed) +
              (path == "random.seed" ? "; ablation.seeds gives the seeds" : ""));
  }
  json.fail(unknown_name("section", section, allowed));
}

/// It stands in records, and between commas on the command line.
void check_name(const JsonValue& json, const std::string& name) {
  constexpr char kDelete = 0x7f;
  const bool plain = std::none_of(name.begin(), name.end(), [](char letter) {
    return letter == ',' || letter == kDelete || (letter >= 0 && letter < ' ');
  });
  if (name.empty() || name.front() == ' ' || name.back() == ' ' || !plain) {
    json.fail(
        "the name of a variant must be a text without ',' and control characters, and without "
        "blanks around it");
  }
}

}  // namespace

std::vector<int64_t> read_seeds(const JsonValue& json) {
  SeedReader reader;
  if (json.kind() == JsonValue::Kind::kString) {
    reader.add_text(json);
  } else if (json.kind() == JsonValue::Kind::kArray) {
    for (const JsonValue& element : json.array()) {
      if (element.kind() == JsonValue::Kind::kString) {
        reader.add_text(element);
      } else {
        reader.add_number(element);
      }
    }
  } else {
    json.fail(std::string("must be ") + kSeedsWanted + ", or a list of such and of integers");
  }
  std::vector<int64_t> seeds = std::move(reader).seeds();
  if (seeds.empty()) json.fail("must have at least one seed");
  return seeds;
}

std::vector<int64_t> read_seeds(const std::string& text, const std::string& option) {
  if (first_invalid_utf8(text)) throw UserError(option + ": must be UTF-8");
  std::string json;
  append_json_string(json, text);
  return read_seeds(parse_json(json, option, kNoLines));
}

std::vector<VariantConfig> read_variants(const JsonValue& json) {
  std::vector<VariantConfig> variants;
  if (json.kind() == JsonValue::Kind::kArray) {
    for (const JsonValue& element : json.array()) {
      const std::string& mode = element.one_of("mode", attention_mode_names());
      const bool known = std::any_of(variants.begin(), variants.end(),
                                     [&](const auto& variant) { return variant.name == mode; });
      if (known) element.fail("'" + mode + "' is listed twice");
      variants.push_back({mode, {}});
    }
    return variants;
  }
  for (const auto& [name, overrides] : json.members()) {
    check_name(overrides, name);
    VariantConfig& variant = variants.emplace_back();
    variant.name = name;
    for (const auto& [path, value] : overrides.members()) {
      check_path(value, path);
      variant.overrides.push_back({path, json_text(value)});
    }
  }
  return variants;
}

std::vector<GridAxis> read_grid(const JsonValue& json) {
  std::vector<GridAxis> grid;
  for (const auto& [path, list] : json.members()) {
    check_path(list, path);
    GridAxis& axis = grid.emplace_back();
    axis.path = path;
    for (const JsonValue& element : list.array()) {
      const std::string value = json_text(element);
      const auto& known = axis.values;
      if (std::find(known.begin(), known.end(), value) != known.end()) {
        element.fail(value + " is listed twice");
      }
      axis.values.push_back(value);
    }
    if (axis.values.empty()) list.fail("must have at least one value");
  }
  return grid;
}

std::string seeds_text(const std::vector<int64_t>& seeds) {
  std::string text;
  for (size_t begin = 0; begin < seeds.size();) {
    size_t end = begin + 1;
    while (end < seeds.size() && seeds[end] - 1 == seeds[end - 1]) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(seeds[begin]);
    if (end - begin > 1) text += ".." + std::to_string(seeds[end - 1]);
    begin = end;
  }
  return text;
}

std::string ablated_path_pattern() {
  std::string sections;
  for (const std::string section : kAblatedSections) {
    sections += (sections.empty() ? "" : "|") + section;
  }
  return "^((" + sections + ")(\\.[^.]+)*|random\\.scheme)$";
}

std::string seeds_pattern() {
  const std::string range = " *[0-9]+(\\.\\.[0-9]+)? *";
  return "^" + range + "(," + range + ")*$";
}

}  // namespace qkvlab
