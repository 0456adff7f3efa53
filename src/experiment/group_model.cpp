#include "experiment/group_model.hpp"

#include <sys/wait.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "config/task_facts.hpp"
#include "model/replicas.hpp"

namespace qkvlab {

namespace {

/// Asked in a process of its own: CUDA does not survive the fork that workers come from, and
/// counting its devices begins it.
int cuda_devices() {
  constexpr int kMost = 255;
  const pid_t child = fork();
  if (child == 0) _exit(std::min(static_cast<int>(torch::cuda::device_count()), kMost));
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace

GroupModel make_group_model(const ExperimentConfig& config, const std::vector<SeedRun>& runs,
                            const DrawnModel& drawn) {
  GroupModel group;
  std::vector<std::shared_ptr<ModelImpl>> models;
  for (const SeedRun& run : runs) {
    const auto seed = static_cast<uint64_t>(run.seed);
    group.sources.random.emplace_back(config.random.scheme, seed);
    group.sources.data.emplace_back(config.random.scheme, seed);
    if (models.empty() || examples_depend_on_seed(config.task)) {
      group.tasks.push_back(make_task(config.task, group.sources.data.back(), config.limits));
      group.sources.tasks.push_back(group.tasks.back().get());
    }
    models.push_back(
        make_model(config.model, group.tasks.back()->shape(), group.sources.random.back()));
    drawn(models.size() - 1, named_values(*models.back()));
  }
  group.file_digest = group.tasks.front()->file_digest();
  group.model = models.front();
  // Under `keyed` one run is a stack too, so that its bits are those that it has in company.
  if (models.size() > 1 || config.random.scheme == RandomScheme::kKeyed) {
    std::vector<const torch::nn::Module*> modules;
    for (const auto& model : models) modules.push_back(model.get());
    stack_parameters(*group.model, modules);
  }
  group.model->to(at::Device(config.run.device));
  return group;
}

std::string file_digest_of(const ExperimentConfig& config) {
  return TaskReader().facts(config.task).file_digest;
}

void refuse_missing_device(const RunConfig& config) {
  const at::Device device(config.device);
  if (!device.is_cuda()) return;
  const int count = cuda_devices();
  if (device.index() < count) return;
  throw UserError("run.device: " + config.device + " is not there; LibTorch sees " +
                  std::to_string(count) + " CUDA devices here");
}

}  // namespace qkvlab
