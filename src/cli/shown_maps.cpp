#include "cli/shown_maps.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "cli/shown_runs.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kMostWeights = int64_t{1} << 25;  // 128 MiB of maps

void check_recorded(const std::string& option, const std::string& noun, int64_t number,
                    const std::set<int64_t>& recorded) {
  if (recorded.count(number) > 0) return;
  throw UserError(option + ": no attention map is recorded of " + noun + " " +
                  std::to_string(number) + "; recorded: " + numbers_text(recorded));
}

}  // namespace

ShownMaps::ShownMaps(const ShowCommand& command)
    : command_(command), sample_(command.sample.value_or(0)) {
  for (const std::string& step : command.steps) {
    if (const std::optional<int64_t> number = parse_integer(step)) numbers_.insert(*number);
    first_ = first_ || step == "first";
    last_ = last_ || step == "last";
    all_ = all_ || step == "all";
  }
  if (command.steps.empty()) first_ = last_ = true;
}

bool ShownMaps::is_chosen(const RecordedRun& run, const AttentionRecord& map) {
  const std::string variant = name_in_cell(run);
  // The first run of a variant that has maps at all.
  const std::string& id = runs_.try_emplace({origin_of(run), variant}, run.begin.run).first->second;
  return id == run.begin.run && map.sample == sample_ &&
         command_.layer.value_or(map.layer) == map.layer &&
         command_.head.value_or(map.head) == map.head;
}

bool ShownMaps::has_room_for(const AttentionRecord& map) {
  const auto weights = static_cast<int64_t>(map.weights.size());
  if (weights_ + weights > kMostWeights) {
    left_some_out_ = true;
    return false;
  }
  weights_ += weights;
  return true;
}

void ShownMaps::see(const RecordedRun& run, const AttentionRecord& map) {
  const bool is_of_shown = command_.variants.empty() || is_named(run, command_.variants);
  if (!is_of_shown || (!command_.seeds.empty() && command_.seeds.count(run.begin.seed) == 0))
    return;
  seen_.steps.insert(map.step);
  seen_.layers.insert(map.layer);
  seen_.heads.insert(map.head);
  seen_.samples.insert(map.sample);
  seen_.seeds.insert(run.begin.seed);
  if (!is_chosen(run, map)) return;
  const Key key = {run.begin.run, map.layer, map.head};
  const bool is_first = begun_.insert(key).second;
  const auto latest = latest_.find(key);
  if (latest != latest_.end()) {
    weights_ -= static_cast<int64_t>(latest->second.weights.size());
    latest_.erase(latest);
  }
  if (all_ || numbers_.count(map.step) > 0 || (first_ && is_first)) {
    if (has_room_for(map)) kept_[key].push_back(map);
  } else if (last_ && has_room_for(map)) {
    latest_.emplace(key, map);
  }
}

std::vector<std::vector<AttentionRecord>> ShownMaps::of_run(const RecordedRun& run) const {
  std::vector<std::vector<AttentionRecord>> maps;
  for (const Key& key : begun_) {
    if (std::get<0>(key) != run.begin.run) continue;
    std::vector<AttentionRecord> of_head;
    if (const auto kept = kept_.find(key); kept != kept_.end()) of_head = kept->second;
    if (const auto latest = latest_.find(key); latest != latest_.end()) {
      of_head.push_back(latest->second);
    }
    if (!of_head.empty()) maps.push_back(std::move(of_head));
  }
  return maps;
}

void ShownMaps::check() const {
  if (seen_.steps.empty()) return;
  if (command_.layer) check_recorded("--layer", "layer", *command_.layer, seen_.layers);
  if (command_.head) check_recorded("--head", "head", *command_.head, seen_.heads);
  check_recorded("--sample", "sample", sample_, seen_.samples);
  for (const int64_t step : numbers_) check_recorded("--step", "step", step, seen_.steps);
}

}  // namespace qkvlab
