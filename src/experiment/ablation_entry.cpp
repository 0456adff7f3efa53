#include "experiment/ablation_entry.hpp"

#include "config/experiment_writer.hpp"
#include "config/group_size.hpp"
#include "config/input_files.hpp"
#include "experiment/machine.hpp"
#include "task/task.hpp"

namespace qkvlab {

namespace {

/// An experiment and its variants are the same whatever the seed.
ExperimentConfig of_all_seeds(ExperimentConfig config) {
  config.random.seed = 0;
  config.ablation.reset();
  return config;
}

/// Of what a task is read from; empty where it is drawn.
std::string file_digest(const ExperimentConfig& config) {
  if (examples_depend_on_seed(config.task)) return "";
  return make_task(config.task, {config.random.scheme, 0}, config.limits)->file_digest();
}

VariantRuns runs_of(const Variant& variant, const std::vector<int64_t>& seeds,
                    const std::string& digest) {
  VariantRuns wanted;
  wanted.name = variant.name;
  wanted.identity = identity_json(of_all_seeds(variant.config), digest);
  wanted.replicas = replicas_of_group(variant.config, variant.shape);
  ExperimentConfig config = variant.config;
  for (const int64_t seed : seeds) {
    config.random.seed = seed;
    wanted.runs.push_back({run_id(config, digest), seed});
  }
  return wanted;
}

}  // namespace

std::vector<RunGroup> enter_ablation(const AblationPlan& plan, const ExperimentFolder& folder) {
  const ExperimentConfig base = of_all_seeds(plan.base);
  const std::string digest = file_digest(base);
  std::vector<VariantRuns> variants;
  for (const Variant& variant : plan.variants) {
    const bool same_files = input_files(variant.config.task) == input_files(base.task);
    variants.push_back(
        runs_of(variant, plan.seeds, same_files ? digest : file_digest(variant.config)));
  }
  return folder.enter({config_line(plan.base), identity_json(base, digest), environment()},
                      variants);
}

}  // namespace qkvlab
