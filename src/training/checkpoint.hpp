#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/model.hpp"
#include "random/random_source.hpp"
#include "training/optimizer.hpp"
#include "training/trainer.hpp"

namespace qkvlab {

/// Where a run stands, beside its tensors.
struct Checkpoint {
  std::string run;       // its id
  std::string identity;  // what that is made of: one JSON object
  std::string status;    // "running", or what its `end` record says
  TrainingState training;
  int64_t records_length = 0;  // bytes of the run's records so far
  double wall_s = 0;           // spent training so far
};

/// What of a run a checkpoint holds tensors of.
struct RunTensors {
  ModelImpl& model;
  Optimizer& optimizer;
  const RandomSource& random;  // under `torch_stream` its state is kept too
};

/// Writes `file` (JSON), and beside it RUN.STEP.safetensors: the parameters by their PyTorch-style
/// paths, the optimiser's state as "optimizer.<kind>.<path>", a stream's state as "random.stream".
/// The tensors are complete before `file` names them, and those it named before are then removed:
/// whenever this is cut off, one of the two states is whole. Throws UserError where it cannot be
/// written.
void save_checkpoint(const std::string& file, const Checkpoint& checkpoint,
                     const RunTensors& tensors);

/// Reads such a file; nothing where there is none. Throws UserError where it is damaged, or belongs
/// to a run of another identity (the first difference is named).
std::optional<Checkpoint> read_checkpoint(const std::string& file, const std::string& identity);

/// Reads the tensors of a checkpoint into a run. Throws UserError naming the first tensor that is
/// missing, left over, or of another shape or type.
void restore_tensors(const std::string& file, const Checkpoint& checkpoint,
                     const RunTensors& tensors);

}  // namespace qkvlab
