#include <algorithm>
#include <cmath>
#include <numeric>

#include "task/drawn_task.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class RecallExamples : public DrawnTask {
 public:
  RecallExamples(const RecallTask& config, const TaskShape& shape, uint64_t seed)
      : DrawnTask(shape, config.train_examples, config.test_examples, seed), config_(config) {
    const int64_t slots = (config.length - 2 * config.pairs) / 2;
    for (int64_t i = 1; i <= slots; ++i) {
      slot_weights_.push_back(std::pow(static_cast<double>(i), config.power - 1.0));
    }
  }

 private:
  void write(Split, int64_t, Draws draws, const Example& example) const override {
    const int64_t values = config_.vocabulary / 2;  // the first of them; keys are 1 to values - 1
    const std::vector<int64_t> key = draws.distinct(values - 1, config_.pairs);
    const std::vector<int64_t> value = draws.distinct(config_.vocabulary - values, config_.pairs);
    const std::vector<int64_t> slot = draw_slots(draws);
    std::fill(example.tokens, example.tokens + config_.length, 0);
    for (int64_t pair = 0; pair < config_.pairs; ++pair) {
      const int64_t query = 2 * config_.pairs + 2 * slot[pair];
      example.tokens[2 * pair] = 1 + key[pair];
      example.tokens[2 * pair + 1] = values + value[pair];
      example.tokens[query] = 1 + key[pair];
      example.targets[query] = values + value[pair];
    }
  }

  /// A distinct slot, from 0, for each pair, drawn one after the other by weight among those left.
  /// As in a race of exponential waiting times with the weights as rates, whose first, second, …
  /// winner has just that distribution (Efraimidis and Spirakis 2006).
  std::vector<int64_t> draw_slots(Draws& draws) const {
    std::vector<double> waiting;
    waiting.reserve(slot_weights_.size());
    for (const double weight : slot_weights_) {
      waiting.push_back(-std::log1p(-draws.uniform()) / weight);
    }
    std::vector<int64_t> slots(waiting.size());
    std::iota(slots.begin(), slots.end(), 0);
    std::partial_sort(slots.begin(), slots.begin() + config_.pairs, slots.end(),
                      [&](int64_t a, int64_t b) { return waiting[a] < waiting[b]; });
    slots.resize(static_cast<size_t>(config_.pairs));
    return slots;
  }

  RecallTask config_;
  std::vector<double> slot_weights_;  // in proportion to their probabilities
};

}  // namespace

std::unique_ptr<Task> new_task(const RecallTask& config, const RandomSource& data,
                               const Limits& limits) {
  return std::make_unique<RecallExamples>(config, task_shape(config, limits), examples_seed(data));
}

}  // namespace qkvlab
