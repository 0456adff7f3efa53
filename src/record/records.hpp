#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/ablation_cells.hpp"

namespace qkvlab {

/// The schema version that `run` records carry. A reader refuses newer ones. Those of version 1 had
/// no `cell`: in the name of a variant stood what its cell of a grid added, which is left there.
constexpr int64_t kRecordSchema = 2;
constexpr int64_t kRecordSchemaOfCells = 2;  // the first that has them

/// Named values in the order in which they are written.
using NamedFloats = std::vector<std::pair<std::string, float>>;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The record types of an experiment, one struct per type; each is one JSON line whose fields have
/// the members' names (a trailing comment says where they differ). `run` is the 16-digit id of the
/// run it belongs to. Numbers computed in float32 are held as float, so that they are written in
/// float32's shortest form.

/// The first record of a run: what was run.
struct RunRecord {
  static constexpr const char* kType = "run";
  std::string run;
  int64_t schema = kRecordSchema;
  std::string experiment;
  std::string variant;
  Cell cell;  // of the ablation's grid, an object
  int64_t seed = 0;
  std::string config;                // a JSON object as text, written as it is
  int64_t parameters_total = 0;      // "parameters": {"total",
  int64_t parameters_attention = 0;  //                "attention"}
  NamedTexts initial_digests;        // parameter path -> XXH3-64 of its initial values
  int64_t replicas = 1;
  NamedTexts environment;
};

/// One training step, from 1: the loss before its update, the global gradient norm before clipping.
struct StepRecord {
  static constexpr const char* kType = "step";
  std::string run;
  int64_t step = 0;
  float loss = 0;
  double lr = 0;
  float grad_norm = 0;
};

/// L2 norms of gradients by parameter path.
struct GradientsRecord {
  static constexpr const char* kType = "gradients";
  std::string run;
  int64_t step = 0;
  NamedFloats norms;
};

/// Loss and task metrics after the update of `step`; the metrics stand flat beside the loss.
struct EvaluationRecord {
  static constexpr const char* kType = "evaluation";
  std::string run;
  int64_t step = 0;
  std::string split;
  float loss = 0;
  NamedFloats metrics;
};

/// One attention map, weights [queries, keys] row-major before dropout.
struct AttentionRecord {
  static constexpr const char* kType = "attention";
  std::string run;
  int64_t step = 0, layer = 0, head = 0, sample = 0;  // layer, head and sample from 0
  std::vector<std::string> tokens;
  int64_t queries = 0, keys = 0;  // the shape of the nested "weights"
  std::vector<float> weights;
  std::vector<float> entropy;  // nats, one per query
  float diagonal = 0;          // mean weight of a position on itself
};

/// One tensor of one phase, values row-major (nested in the line); or, where it is too large for a
/// line, the name of the safetensors file beside the records that holds it as "<phase>/<name>".
struct TensorRecord {
  static constexpr const char* kType = "tensor";
  std::string run;
  std::string phase;
  std::string name;
  std::vector<int64_t> shape;  // empty for a scalar
  std::vector<float> values = {};
  std::string file = {};  // in place of "values", which then is empty; left out where it is empty
};

/// A run went on, after `step` steps, in another environment than before.
struct ResumedRecord {
  static constexpr const char* kType = "resumed";
  std::string run;
  int64_t step = 0;
  NamedTexts environment;
};

/// The last record of a run.
struct EndRecord {
  static constexpr const char* kType = "end";
  std::string run;
  std::string status;  // completed, diverged, interrupted or failed
  std::string reason;  // why it did not complete: "step 3: blocks.0.attention.scores is not finite"
  int64_t steps = 0;
  NamedFloats metrics;  // "<split>.<metric>" -> final value
  std::string batch_digest;
  double wall_s = 0;  // of the group of replicas
  int64_t replicas = 1;
  double peak_rss_mb = 0;
};

/// The registry of record types; tests iterate it.
using Record = std::variant<RunRecord, StepRecord, GradientsRecord, EvaluationRecord,
                            AttentionRecord, TensorRecord, ResumedRecord, EndRecord>;

}  // namespace qkvlab
