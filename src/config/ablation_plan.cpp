#include "config/ablation_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "config/ablation_cells.hpp"
#include "config/ablation_reader.hpp"
#include "config/document_place.hpp"
#include "config/experiment_checks.hpp"
#include "config/experiment_reader.hpp"
#include "config/experiment_writer.hpp"
#include "config/overrides.hpp"
#include "config/parameter_match.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kMaxVariants = 10'000;  // in all cells of the grid
constexpr int64_t kMaxRuns = 1'000'000;

/// Whether a variant says itself what attention is.
bool changes_attention(const VariantConfig& variant) {
  return std::any_of(variant.overrides.begin(), variant.overrides.end(), [](const auto& change) {
    return change.path == "model" || change.path.rfind("model.attention", 0) == 0;
  });
}

bool is_mode(const std::string& name) {
  const std::vector<std::string> modes = attention_mode_names();
  return std::find(modes.begin(), modes.end(), name) != modes.end();
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The member at the end of `keys`, or nullptr.
JsonValue* member_at(JsonValue& document, const std::vector<std::string>& keys) {
  JsonValue* value = &document;
  for (const std::string& key : keys) {
    if (value != nullptr) value = value->edit(key);
  }
  return value;
}

/// Reads one config many times over, as every variant says.
class Planner {
 public:
  Planner(const ConfigFile& file, const std::vector<std::string>& overrides,
          const AblationChoice& choice)
      : path_(file.path), text_(file.text), overrides_(overrides), document_(document_of("")) {
    plan_.base = resolve_config(document_, path_).config;
    ablation_ = plan_.base.ablation.value_or(AblationConfig{});
    plan_.seeds = choice.seeds.empty() ? ablation_.seeds : read_seeds(choice.seeds, "--seeds");
    plan_.baseline = ablation_.baseline;
    choose_variants(choice);
  }

  AblationPlan plan() && {
    check_counts();
    for (const GridCell& cell : cells_of(ablation_.grid)) {
      const size_t baseline = plan_.variants.size();
      for (const std::string& name : names_) {
        const bool matched = ablation_.match_parameters && name != plan_.baseline;
        plan_.variants.push_back(
            resolve(name, cell, matched ? &plan_.variants[baseline].size : nullptr));
        refuse_the_same(plan_.variants.back(), name);
      }
    }
    return std::move(plan_);
  }

 private:
  /// The base config's document; complaints about what it says begin with `who`.
  JsonValue document_of(const std::string& who) const {
    JsonValue document = parse_json(text_, who + path_);
    std::vector<Override> changes;
    for (const std::string& text : overrides_) changes.push_back(parse_override(text, who));
    apply_overrides(document, std::move(changes), default_document());
    return document;
  }

  const VariantConfig* declared(const std::string& name) const {
    const auto& all = ablation_.variants;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const VariantConfig& variant) { return variant.name == name; });
    return found == all.end() ? nullptr : &*found;
  }

  /// The baseline, then the others that were chosen.
  void choose_variants(const AblationChoice& choice) {
    std::vector<std::string> declared_names;
    for (const VariantConfig& variant : ablation_.variants) declared_names.push_back(variant.name);
    std::vector<std::string> known = declared_names;
    for (const std::string& mode : attention_mode_names()) {
      if (!is_among(mode, known)) known.push_back(mode);
    }
    if (!is_among(plan_.baseline, known)) {
      fail_at_path(document_, "ablation.baseline", unknown_name("variant", plan_.baseline, known));
    }
    std::vector<std::string> chosen = choice.variants;
    for (auto name = chosen.begin(); name != chosen.end(); ++name) {
      if (!is_among(*name, known)) {
        throw UserError("--variants: " + unknown_name("variant", *name, known));
      }
      if (std::find(chosen.begin(), name, *name) != name) {
        throw UserError("--variants: '" + *name + "' is listed twice");
      }
    }
    if (chosen.empty()) chosen = declared_names;
    if (chosen.empty()) chosen = attention_mode_names();
    names_ = {plan_.baseline};
    for (const std::string& name : chosen) {
      if (name != plan_.baseline) names_.push_back(name);
    }
  }

  void check_counts() const {
    // As numbers that do not overflow.
    auto variants = static_cast<double>(names_.size());
    for (const GridAxis& axis : ablation_.grid) variants *= static_cast<double>(axis.values.size());
    if (variants > static_cast<double>(kMaxVariants)) {
      fail_at_path(document_, "ablation.grid",
                   "makes " + fixed(variants, 0) + " variants, allowed are at most " +
                       std::to_string(kMaxVariants));
    }
    const double runs = variants * static_cast<double>(plan_.seeds.size());
    if (runs > static_cast<double>(kMaxRuns)) {
      fail_at_path(document_, "ablation.seeds",
                   "make " + fixed(runs, 0) + " runs of " + fixed(variants, 0) +
                       " variants, allowed are at most " + std::to_string(kMaxRuns));
    }
  }

  /// What the variant and its cell change, each value where the file says it.
  std::vector<Override> changes_of(const std::string& name, const GridCell& cell) const {
    JsonValue places = document_of("");  // values of its own, which nobody has read yet
    std::vector<Override> changes;
    const VariantConfig* variant = declared(name);
    if (is_mode(name) && (variant == nullptr || !changes_attention(*variant))) {
      changes.push_back(parse_override("model.attention.mode=" + name));
    }
    for (const FieldOverride& change :
         variant == nullptr ? std::vector<FieldOverride>() : variant->overrides) {
      changes.push_back(override_of(
          change.path, *member_at(places, {"ablation", "variants", name, change.path})));
    }
    for (size_t i = 0; i < cell.size(); ++i) {
      const std::string& path = ablation_.grid[i].path;
      const JsonValue* values = member_at(places, {"ablation", "grid", path});
      changes.push_back(override_of(path, values->array()[cell[i]]));
    }
    return changes;
  }

  /// `matched`: the size of which the variant is to be, or nullptr.
  Variant resolve(const std::string& name, const GridCell& cell, const ModelSize* matched) const {
    const std::string suffix = cell_suffix(ablation_.grid, cell);
    Variant variant;
    variant.name = name + suffix;
    variant.baseline = plan_.baseline + suffix;
    JsonValue document = document_of("variant '" + variant.name + "': ");
    apply_overrides(document, changes_of(name, cell), default_document());
    ResolvedConfig resolved = resolve_config(document, path_);
    variant.config = std::move(resolved.config);
    variant.config.ablation.reset();
    variant.config.random.seed = plan_.seeds.front();
    variant.shape = resolved.shape;
    variant.size = model_size(variant.config.model, variant.shape);
    if (matched != nullptr && variant.size.parameters() != matched->parameters()) {
      match(variant, matched->parameters());
      check_shape(document, variant.config, variant.shape);
    }
    return variant;
  }

  /// Gives the variant about so many parameters.
  void match(Variant& variant, int64_t parameters) const {
    MlpConfig* mlp = mlp_of(variant.config.model);
    if (mlp == nullptr) {
      fail_at_path(document_, "ablation.match_parameters",
                   "changes the MLP's hidden width, but variant '" + variant.name +
                       "' has no MLP, and " + std::to_string(variant.size.parameters()) +
                       " parameters where the baseline has " + std::to_string(parameters));
    }
    const int64_t before = hidden_width(*mlp, width_of(variant.config.model));
    const int64_t matching = matching_hidden_width(variant.config.model, variant.shape, parameters);
    if (matching == before) return;
    mlp->hidden = matching;
    variant.hidden_before = before;
    variant.size = model_size(variant.config.model, variant.shape);
  }

  /// Refuses a variant that is one of those before it under another name.
  void refuse_the_same(const Variant& variant, const std::string& name) {
    ExperimentConfig config = variant.config;
    if (MlpConfig* mlp = mlp_of(config.model)) {
      mlp->hidden = hidden_width(*mlp, width_of(config.model));
      mlp->ratio = MlpConfig{}.ratio;  // which no longer counts
    }
    const auto [same, is_new] = names_of_configs_.emplace(config_line(config), variant.name);
    if (is_new) return;
    const std::string complaint =
        "variants '" + same->second + "' and '" + variant.name + "' are one and the same config";
    JsonValue places = document_;
    if (const JsonValue* place = member_at(places, {"ablation", "variants", name})) {
      place->fail(complaint);
    }
    fail_at_path(document_, "ablation.variants", complaint);
  }

  std::string path_, text_;
  std::vector<std::string> overrides_;
  JsonValue document_;
  AblationConfig ablation_;
  AblationPlan plan_;
  std::vector<std::string> names_;  // of the variants, the baseline first
  std::map<std::string, std::string> names_of_configs_;
};

}  // namespace

AblationPlan read_ablation_plan(const ConfigFile& file, const std::vector<std::string>& overrides,
                                const AblationChoice& choice) {
  return Planner(file, overrides, choice).plan();
}

AblationPlan read_ablation_plan(const std::string& path, const std::vector<std::string>& overrides,
                                const AblationChoice& choice) {
  return read_ablation_plan(read_config_file(path), overrides, choice);
}

}  // namespace qkvlab
