#pragma once

#include <string>
#include <vector>

#include "record/record_lines.hpp"

namespace qkvlab {

/// Records of runs as `ablate` writes them, made by hand.
struct RecordedExperiment {
  std::vector<std::string> variants = {"full", "uniform", "none"};
  int64_t seeds = 6;
  std::vector<std::string> tokens = {"我", "喜欢", "机器人"};
  int64_t maps = 2;  // of each run but those of the last variant, at steps 0, 1, …

  /// One file. The loss at the end is 0.25 · (variant + 1) + seed / 64, at the start twice that.
  std::string lines() const {
    std::string text;
    for (size_t variant = 0; variant < variants.size(); ++variant) {
      for (int64_t seed = 0; seed < seeds; ++seed) append_run(text, variant, seed);
    }
    return text;
  }

 private:
  void append_run(std::string& text, size_t variant, int64_t seed) const {
    const std::string id = std::to_string(variant) + "-" + std::to_string(seed);
    RunRecord run;
    run.run = id;
    run.experiment = "by hand";
    run.variant = variants[variant];
    run.seed = seed;
    run.config = R"({"record":{},"model":{"attention":{"mode":"m)" + std::to_string(variant) +
                 R"("}},"random":{"seed":)" + std::to_string(seed) + "}}";
    run.environment = {{"cpu", "a <fast> one"}};
    append_record(text, run);
    const auto loss = 0.25f * static_cast<float>(variant + 1) + static_cast<float>(seed) / 64;
    for (const int64_t step : {1, 2}) {
      append_record(text, StepRecord{id, step, 2 * loss, 0.1, loss});
      const float now = step == 1 ? 2 * loss : loss;
      append_record(text, EvaluationRecord{id, step, "test", now, {{"accuracy", 1 - loss / 4}}});
    }
    const auto count = static_cast<int64_t>(tokens.size());
    for (int64_t step = 0; variant + 1 < variants.size() && step < maps; ++step) {
      AttentionRecord map;
      map.run = id;
      map.step = step;
      map.tokens = tokens;
      map.queries = map.keys = count;
      map.weights.assign(static_cast<size_t>(count * count), 1 / static_cast<float>(count));
      map.entropy.assign(static_cast<size_t>(count), 1.0986123f);
      map.diagonal = 1 / static_cast<float>(count);
      append_record(text, map);
    }
    EndRecord end;
    end.run = id;
    end.status = "completed";
    end.steps = 2;
    append_record(text, end);
  }
};

}  // namespace qkvlab
