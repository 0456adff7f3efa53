#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "training/checkpoint_tensors.hpp"
#include "training/trainer.hpp"

namespace qkvlab {

/// Where a run stands, beside its tensors.
struct Checkpoint {
  std::string run;       // its id
  std::string identity;  // what that is made of: one JSON object
  std::string status;    // "running", or what its `end` record says
  std::string reason;    // and why, as that says
  TrainingState training;
  int64_t records_length = 0;  // bytes of the run's records so far
  double wall_s = 0;           // spent training so far
  std::string tensors_digest;  // of the file of tensors; saving fills it in
};

/// Writes `file`, RUN.json, and beside it RUN.STEP.safetensors (checkpoint_tensors.hpp). The
/// tensors are complete before `file` names them, and those of the step `previous` are removed
/// after that: whenever this is cut off, one of the two states is whole. Throws UserError where it
/// cannot be written.
void save_checkpoint(const std::string& file, Checkpoint checkpoint, const RunTensors& tensors,
                     std::optional<int64_t> previous = {});

/// Reads such a file; nothing where there is none. Throws UserError where it is damaged, or belongs
/// to a run of another identity (the first difference is named).
std::optional<Checkpoint> read_checkpoint(const std::string& file, const std::string& identity);

/// Reads the tensors of a checkpoint into a run; throws UserError as restore_tensors does.
void restore_checkpoint(const std::string& file, const Checkpoint& checkpoint,
                        const RunTensors& tensors);

/// Removes every file of tensors of a run but that of `step`: an interrupted save may have left
/// one.
void remove_stray_tensors(const std::string& file, int64_t step);

/// Removes a run's checkpoint and every file of its tensors, those that were never named too.
void remove_checkpoint(const std::string& file);

}  // namespace qkvlab
