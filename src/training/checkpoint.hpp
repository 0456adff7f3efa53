#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/records.hpp"
#include "training/checkpoint_tensors.hpp"
#include "training/run_state.hpp"

namespace qkvlab {

/// Where a group of runs stands, beside its tensors.
struct Checkpoint {
  std::vector<std::string> runs;  // their ids; the group is named after the first
  std::string identity;           // what the first one's id is made of: one JSON object
  std::string status;             // "running", "interrupted", or "ended" once every run has
  std::string reason;             // why it was interrupted
  TrainingState training;
  int64_t records_length = 0;  // bytes of the group's records so far
  std::string records_digest;  // XXH3-64 of them
  NamedTexts environment;      // that it was trained in last
  double wall_s = 0;           // spent training so far
  std::string tensors_digest;  // of the file of tensors; saving fills it in
};

/// Writes `file`, RUN.json (RUN is the group's first), and beside it RUN.STEP.safetensors
/// (checkpoint_tensors.hpp). The tensors are complete before `file` names them, and those of the
/// step `previous` are removed after that: whenever this is cut off, one of the two states is
/// whole. Throws UserError where it cannot be written.
void save_checkpoint(const std::string& file, Checkpoint checkpoint, const RunTensors& tensors,
                     std::optional<int64_t> previous = {});

/// Reads such a file; nothing where there is none. Throws UserError where it is damaged, of another
/// version's format, or, where `identity` is given, belongs to a group of another (the first
/// difference is named).
std::optional<Checkpoint> read_checkpoint(const std::string& file,
                                          const std::optional<std::string>& identity = {});

/// Reads the tensors of a checkpoint into a group; throws UserError as restore_tensors does.
void restore_checkpoint(const std::string& file, const Checkpoint& checkpoint,
                        const RunTensors& tensors);

/// Removes every file of tensors of a group but that of `step`: an interrupted save may have left
/// one.
void remove_stray_tensors(const std::string& file, int64_t step);

/// Removes a group's checkpoint and every file of its tensors, those that were never named too.
void remove_checkpoint(const std::string& file);

/// Removes the checkpoint of a group that has ended, where one is left that was saved before. One
/// that cannot be read stays.
void remove_outlived_checkpoint(const std::string& file);

}  // namespace qkvlab
