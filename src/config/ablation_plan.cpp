#include "config/ablation_plan.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "config/ablation_reader.hpp"
#include "config/attention_plan.hpp"
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

bool is_mode(const std::string& name) {
  const std::vector<std::string> modes = attention_mode_names();
  return std::find(modes.begin(), modes.end(), name) != modes.end();
}

/// A name with what stands in the config's document under it, or nullptr.
struct DeclaredVariant {
  std::string name;
  JsonValue* changes = nullptr;
};

/// What a variant changes, by dotted paths.
JsonValue::Members changes_in(const DeclaredVariant& variant) {
  return variant.changes == nullptr ? JsonValue::Members() : variant.changes->members();
}

/// Whether a change of the field at `path` says where query, key and value come from.
bool says_attention(const std::string& path, JsonValue& value) {
  JsonValue* attention = nullptr;
  if (path == "model") attention = value.edit("attention");
  if (path == "model.attention") attention = &value;
  if (attention != nullptr) {
    return attention->edit("mode") != nullptr || attention->edit("plan") != nullptr;
  }
  const std::vector<std::string> steps = split_path(path);
  return steps.size() > 2 && steps[0] == "model" && steps[1] == "attention" &&
         (steps[2] == "mode" || steps[2] == "plan");
}

/// Resolves one config many times over, as every variant says.
class Planner {
 public:
  Planner(std::string path, JsonValue document, TaskReader& tasks, const ResolvedConfig& base,
          const AblationChoice& choice)
      : path_(std::move(path)),
        document_(std::move(document)),
        base_document_(document_),
        tasks_(tasks),
        seeds_are_typed_(!choice.seeds.empty()),
        ablation_(base.config.ablation.value_or(AblationConfig{})) {
    base_document_.remove_member("ablation");
    plan_.base = base.config;
    plan_.base_file_digest = base.task.file_digest;
    plan_.seeds = seeds_are_typed_ ? read_seeds(choice.seeds, "--seeds") : ablation_.seeds;
    plan_.baseline = ablation_.baseline;
    choose_variants(choice);
    find_axes();
  }

  AblationPlan plan() && {
    check_counts();
    for (const CellNumbers& cell : cells_of(ablation_.grid)) {
      const size_t baseline = plan_.variants.size();
      for (const DeclaredVariant& declared : chosen_) {
        plan_.variants.push_back(resolve(declared, cell, baseline));
        refuse_the_same(declared);
      }
    }
    return std::move(plan_);
  }

 private:
  /// The baseline, then the others that were chosen.
  void choose_variants(const AblationChoice& choice) {
    std::unordered_map<std::string, JsonValue*> known;
    std::vector<std::string> names, chosen = choice.variants;
    JsonValue* section = document_.edit("ablation");
    JsonValue* variants = section == nullptr ? nullptr : section->edit("variants");
    for (const VariantConfig& variant : ablation_.variants) names.push_back(variant.name);
    if (chosen.empty()) chosen = names;
    if (chosen.empty()) chosen = attention_mode_names();
    for (const std::string& name : names) known.emplace(name, nullptr);
    if (variants != nullptr && variants->kind() == JsonValue::Kind::kObject) {
      for (const std::string& name : names) known[name] = variants->edit(name);
    }
    for (const std::string& mode : attention_mode_names()) {
      if (known.emplace(mode, nullptr).second) names.push_back(mode);
    }
    if (known.count(plan_.baseline) == 0) {
      fail_at_path(document_, "ablation.baseline", unknown_name("variant", plan_.baseline, names));
    }
    chosen_ = {{plan_.baseline, known.at(plan_.baseline)}};
    std::unordered_set<std::string> seen;
    for (const std::string& name : chosen) {
      if (known.count(name) == 0) {
        throw UserError("--variant: " + unknown_name("variant", name, names));
      }
      if (!seen.insert(name).second) throw UserError("--variant: '" + name + "' is listed twice");
      if (name != plan_.baseline) chosen_.push_back({name, known.at(name)});
    }
  }

  void find_axes() {
    for (const GridAxis& axis : ablation_.grid) {
      axes_.push_back(document_.edit("ablation")->edit("grid")->edit(axis.path));
    }
  }

  void check_counts() const {
    // As numbers that do not overflow.
    auto variants = static_cast<double>(chosen_.size());
    for (const GridAxis& axis : ablation_.grid) variants *= static_cast<double>(axis.values.size());
    if (variants > static_cast<double>(kMaxVariants)) {
      fail_at_path(document_, ablation_.grid.empty() ? "ablation.variants" : "ablation.grid",
                   "makes " + fixed(variants, 0) + " variants, allowed are at most " +
                       std::to_string(kMaxVariants));
    }
    const double runs = variants * static_cast<double>(plan_.seeds.size());
    if (runs > static_cast<double>(kMaxRuns)) {
      const std::string complaint = "make " + fixed(runs, 0) + " runs of " + fixed(variants, 0) +
                                    " variants, allowed are at most " + std::to_string(kMaxRuns);
      if (seeds_are_typed_) throw UserError("--seeds: " + complaint);
      fail_at_path(document_, "ablation.seeds", complaint);
    }
  }

  /// What the variant and its cell change, each value where the file says it. A mode goes over what
  /// the variant says of the model beside it.
  std::vector<Override> changes_of(const DeclaredVariant& declared, const CellNumbers& cell) const {
    std::vector<Override> changes;
    bool has_attention = !is_mode(declared.name);
    for (auto& [path, value] : changes_in(declared)) {
      JsonValue own = value.unread_copy();  // which no other cell has read
      has_attention = says_attention(path, own) || has_attention;
      changes.push_back(override_of(path, own));
    }
    if (!has_attention) {
      changes.push_back(parse_override("model.attention.mode=" + declared.name));
    }
    for (size_t i = 0; i < cell.size(); ++i) {
      changes.push_back(
          override_of(ablation_.grid[i].path, axes_[i]->array()[cell[i]].unread_copy()));
    }
    return changes;
  }

  /// `baseline` is the number of its cell's.
  Variant resolve(const DeclaredVariant& declared, const CellNumbers& cell, size_t baseline) const {
    Variant variant;
    variant.name = declared.name;
    variant.cell = cell_of(ablation_.grid, cell);
    variant.label = name_in_cell(variant.name, variant.cell);
    variant.baseline = baseline;
    JsonValue document = base_document_.unread_copy("variant '" + variant.label + "': ");
    apply_overrides(document, changes_of(declared, cell), default_document());
    ResolvedConfig resolved = resolve_config(document, path_, tasks_);
    variant.config = std::move(resolved.config);
    variant.config.random.seed = plan_.seeds.front();
    variant.shape = resolved.task.shape;
    variant.file_digest = resolved.task.file_digest;
    variant.size = model_size(variant.config.model, variant.shape);
    refuse_another_mode(declared, variant);
    if (ablation_.match_parameters && baseline < plan_.variants.size()) {
      const int64_t parameters = plan_.variants[baseline].size.parameters();
      if (variant.size.parameters() == parameters) return variant;
      match(variant, parameters);
      check_shape(document, variant.config, resolved.task);
    }
    return variant;
  }

  [[noreturn]] void fail(const DeclaredVariant& declared, const std::string& complaint) const {
    if (declared.changes != nullptr) declared.changes->fail(complaint);
    fail_at_path(document_, "ablation.variants", complaint);
  }

  void refuse_another_mode(const DeclaredVariant& declared, const Variant& variant) const {
    const std::string attention = attention_name(variant.config.model);
    if (!is_mode(declared.name) || attention == declared.name) return;
    fail(declared, "variant '" + variant.label +
                       "' bears the name of a mode, but its attention is " + attention +
                       "; give it another name");
  }

  /// Gives the variant about so many parameters.
  void match(Variant& variant, int64_t parameters) const {
    MlpConfig* mlp = mlp_of(variant.config.model);
    if (mlp == nullptr) {
      fail_at_path(document_, "ablation.match_parameters",
                   "changes the MLP's hidden width, but variant '" + variant.label +
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

  /// Refuses the last variant where it is one of those before it under another name.
  void refuse_the_same(const DeclaredVariant& declared) {
    const Variant& variant = plan_.variants.back();
    ExperimentConfig config = variant.config;
    if (MlpConfig* mlp = mlp_of(config.model)) {
      mlp->hidden = hidden_width(*mlp, width_of(config.model));
      mlp->ratio = MlpConfig{}.ratio;  // which no longer counts
    }
    const auto [same, is_new] =
        variants_by_id_.emplace(run_id(config, variant.file_digest), plan_.variants.size() - 1);
    if (!is_new) {
      fail(declared, "variants '" + plan_.variants[same->second].label + "' and '" + variant.label +
                         "' are one and the same config");
    }
    if (!labels_.insert(variant.label).second) {
      fail(declared, "two variants, each in its cell of the grid, are called '" + variant.label +
                         "'; give one another name");
    }
  }

  const std::string path_;
  JsonValue document_;       // the whole config
  JsonValue base_document_;  // without `ablation`
  TaskReader& tasks_;
  const bool seeds_are_typed_;
  const AblationConfig ablation_;
  AblationPlan plan_;
  std::vector<DeclaredVariant> chosen_;  // the baseline first
  std::vector<JsonValue*> axes_;         // the lists of values in the document
  std::unordered_map<std::string, size_t> variants_by_id_;
  std::unordered_set<std::string> labels_;
};

}  // namespace

AblationPlan read_ablation_plan(const std::string& path, const std::vector<std::string>& overrides,
                                const AblationChoice& choice) {
  JsonValue document = read_config_document(path, overrides);
  TaskReader tasks;
  const ResolvedConfig base = resolve_config(document, path, tasks);
  return Planner(path, std::move(document), tasks, base, choice).plan();
}

PlannedConfig read_planned_config(const std::string& path,
                                  const std::vector<std::string>& overrides) {
  JsonValue document = read_config_document(path, overrides);
  TaskReader tasks;
  PlannedConfig planned;
  planned.base = resolve_config(document, path, tasks);
  if (planned.base.config.ablation) {
    planned.ablation = Planner(path, std::move(document), tasks, planned.base, {}).plan();
  }
  return planned;
}

}  // namespace qkvlab
