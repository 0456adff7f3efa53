#include "task/drawn_task.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class InductionExamples : public DrawnTask {
 public:
  InductionExamples(const InductionTask& config, const TaskShape& shape, uint64_t seed)
      : DrawnTask(shape, config.train_examples, config.test_examples, seed), config_(config) {}

 private:
  void write(Split, int64_t, Draws draws, const Example& example) const override {
    const int64_t last = config_.length - 1;
    const int64_t repeated = draws.below(config_.vocabulary);
    for (int64_t i = 0; i < last; ++i) {
      const int64_t other = draws.below(config_.vocabulary - 1);
      example.tokens[i] = other + (other >= repeated ? 1 : 0);
    }
    // Not just before the last token, whose answer would be the token itself.
    const int64_t before = draws.below(last - 1);
    example.tokens[before] = repeated;
    example.tokens[last] = repeated;
    example.targets[last] = example.tokens[before + 1];
  }

  InductionTask config_;
};

}  // namespace

std::unique_ptr<Task> new_task(const InductionTask& config, const RandomSource& data,
                               const Limits& limits) {
  return std::make_unique<InductionExamples>(config, task_shape(config, limits),
                                             examples_seed(data));
}

}  // namespace qkvlab
