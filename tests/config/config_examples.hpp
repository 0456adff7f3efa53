#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/attention_plan.hpp"
#include "config/experiment_fields.hpp"

namespace qkvlab {

/// Calls `use` with a config for every alternative of a tagged variant: `member` picks it.
template <typename Variant, typename Member, typename Use, size_t... index>
void for_each_alternative(const Member& member, const Use& use, std::index_sequence<index...>) {
  const auto one = [&](auto alternative) {
    ExperimentConfig config;
    config.name = "example";
    config.training.steps = 10;
    member(config) = alternative;
    use(config);
  };
  (one(std::variant_alternative_t<index, Variant>{}), ...);
}

/// Configs in which every task, model, optimiser and schedule occurs.
inline std::vector<ExperimentConfig> example_configs() {
  std::vector<ExperimentConfig> configs;
  const auto add = [&](const ExperimentConfig& config) { configs.push_back(config); };
  const auto each = [&](auto member) {
    using Alternatives = std::decay_t<decltype(member(std::declval<ExperimentConfig&>()))>;
    for_each_alternative<Alternatives>(
        member, add, std::make_index_sequence<std::variant_size_v<Alternatives>>());
  };
  each([](ExperimentConfig& config) -> TaskConfig& { return config.task; });
  each([](ExperimentConfig& config) -> ModelConfig& { return config.model; });
  each([](ExperimentConfig& config) -> OptimizerConfig& { return config.training.optimizer; });
  each([](ExperimentConfig& config) -> ScheduleConfig& { return config.training.schedule; });
  ExperimentConfig full;
  full.training.target = TargetConfig{};
  full.ablation = AblationConfig{};
  full.ablation->variants = {{"uniform", {}},
                             {"wide", {{"model.mlp", R"({"ratio":8})"}, {"model.bias", "false"}}}};
  full.ablation->grid = {{"model.n_layers", {"1", "2"}}, {"training.optimizer.lr", {"0.1"}}};
  add(full);
  return configs;
}

/// Visits the fields of a config and changes one of them to another allowed value, that with the
/// number `target`; `path()` then says which, and stays empty where there are fewer.
class FieldChanger {
 public:
  explicit FieldChanger(int target) : target_(target) {}

  const std::string& path() const { return path_; }
  bool affects_results() const { return affects_; }

  template <typename T, typename Rule = Any>
  void field(const char* key, T& member, const char* /*doc*/, const Rule& rule = {},
             Effect effect = Effect::kResults) {
    const std::string before = prefix_;
    const bool inherited = inherited_;
    prefix_ += std::string(prefix_.empty() ? "" : ".") + key;
    inherited_ = inherited && effect == Effect::kResults;
    change(member, rule);
    prefix_ = before;
    inherited_ = inherited;
  }

  void plan(ProjectionPlan& plan) {
    const std::string before = std::exchange(prefix_, prefix_ + ".mode");
    if (is_target()) plan = attention_mode("shared_kv");
    prefix_ = before + ".plan";
    if (is_target()) plan = plan_of(Source::kOwn, Source::kQuery, Source::kIdentity);
    prefix_ = before;
  }

 private:
  bool is_target() {
    if (next_++ != target_) return false;
    path_ = prefix_;
    affects_ = inherited_;
    return true;
  }

  template <typename Rule>
  void change(bool& value, const Rule&) {
    if (is_target()) value = !value;
  }
  template <typename Rule>
  void change(std::string& value, const Rule&) {
    if (is_target()) value += "字\"";
  }
  void change(int64_t& value, const IntegerRange& range) {
    if (is_target()) value += value < range.high ? 1 : -1;
  }
  template <typename Rule>
  void change(double& value, const Rule&) {
    if (is_target()) value = value / 3 + 0.1;
  }
  void change(std::vector<int64_t>& values, const IntegerRange& range) {
    if (is_target()) values.push_back(range.low + 3);
  }
  void change(std::vector<int64_t>& seeds, const Seeds&) {
    if (is_target()) seeds = {7, 3, 4, 5, 2};
  }
  void change(std::vector<VariantConfig>& variants, const Any&) {
    if (is_target()) variants.push_back({"字 \"", {{"model.attention.mode", R"("none")"}}});
  }
  void change(std::vector<GridAxis>& grid, const Any&) {
    if (is_target()) grid.push_back({"training.steps", {"null", "5"}});
  }
  template <typename T, typename Rule>
  void change(std::optional<T>& value, const Rule& rule) {
    if (value) {
      change(*value, rule);
      if (is_target()) value.reset();
    } else if (is_target()) {
      value.emplace();
      const int target = std::exchange(target_, next_);
      change(*value, rule);
      target_ = target;
    }
  }
  template <typename... Ts, typename Rule>
  void change(std::variant<Ts...>& value, const Rule& rule) {
    std::visit([&](auto& alternative) { change(alternative, rule); }, value);
  }
  template <typename T, typename Rule>
  void change(T& value, const Rule&) {
    if constexpr (std::is_enum_v<T>) {
      if (is_target()) value = value == T{} ? static_cast<T>(1) : T{};
    } else {
      ConfigFields<T>::visit(value, *this);
    }
  }

  int target_;
  int next_ = 0;
  std::string prefix_, path_;
  bool inherited_ = true;
  bool affects_ = true;
};

}  // namespace qkvlab
