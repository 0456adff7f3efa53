#include "task/task.hpp"

#include "task/factories.hpp"

namespace qkvlab {

std::unique_ptr<Task> make_task(const TaskConfig& config, const RandomSource& data,
                                const Limits& limits) {
  return std::visit([&](const auto& task) { return new_task(task, data, limits); }, config);
}

}  // namespace qkvlab
