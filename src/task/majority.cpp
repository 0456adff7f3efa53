#include <algorithm>

#include "task/drawn_task.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class MajorityExamples : public DrawnTask {
 public:
  MajorityExamples(const MajorityTask& config, const TaskShape& shape, uint64_t seed)
      : DrawnTask(shape, config.train_examples, config.test_examples, seed), config_(config) {}

 private:
  void write(Split, int64_t, Draws draws, const Example& example) const override {
    std::vector<int64_t> counts(static_cast<size_t>(config_.symbols));
    auto most = counts.begin();
    do {
      std::fill(counts.begin(), counts.end(), 0);
      for (int64_t i = 0; i < config_.length; ++i) {
        example.tokens[i] = draws.below(config_.symbols);
        ++counts[example.tokens[i]];
      }
      most = std::max_element(counts.begin(), counts.end());
    } while (std::count(counts.begin(), counts.end(), *most) > 1);
    *example.targets = most - counts.begin();
  }

  MajorityTask config_;
};

}  // namespace

std::unique_ptr<Task> new_task(const MajorityTask& config, const RandomSource& data,
                               const Limits& limits) {
  return std::make_unique<MajorityExamples>(config, task_shape(config, limits),
                                            examples_seed(data));
}

}  // namespace qkvlab
