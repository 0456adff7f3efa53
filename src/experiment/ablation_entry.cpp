#include "experiment/ablation_entry.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "config/experiment_writer.hpp"
#include "config/group_size.hpp"
#include "experiment/machine.hpp"

namespace qkvlab {

namespace {

VariantRuns runs_of(const Variant& variant, const std::vector<int64_t>& seeds) {
  const std::string& digest = variant.file_digest;
  VariantRuns wanted;
  wanted.name = variant.name;
  wanted.cell = variant.cell;
  wanted.identity = identity_of_all_seeds(variant.config, digest);
  wanted.replicas = replicas_of_group(variant.config, variant.shape);
  ExperimentConfig config = variant.config;
  for (const int64_t seed : seeds) {
    config.random.seed = seed;
    wanted.runs.push_back({run_id(config, digest), seed});
  }
  return wanted;
}

}  // namespace

std::vector<EnteredGroup> enter_ablation(const AblationPlan& plan, const ExperimentFolder& folder,
                                         const Warn& warn) {
  std::vector<VariantRuns> variants;
  std::unordered_map<std::string, size_t> variant_of_run;
  for (const Variant& variant : plan.variants) {
    variants.push_back(runs_of(variant, plan.seeds));
    for (const SeedRun& run : variants.back().runs) {
      variant_of_run[run.run] = variants.size() - 1;
    }
  }
  const Experiment experiment{config_line(plan.base),
                              identity_of_all_seeds(plan.base, plan.base_file_digest),
                              environment()};
  std::vector<EnteredGroup> groups;
  for (RunGroup& group : folder.enter(experiment, variants, warn)) {
    // The folder may know the same runs by another name.
    const auto known = std::find_if(group.runs.begin(), group.runs.end(), [&](const SeedRun& run) {
      return variant_of_run.count(run.run) > 0;
    });
    const size_t variant = variant_of_run.at(known->run);
    groups.push_back({variant, std::move(group)});
  }
  return groups;
}

}  // namespace qkvlab
