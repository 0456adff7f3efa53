#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "record/recorded_runs.hpp"

namespace qkvlab {

/// Runs that differ in their seed alone.
struct ShownVariant {
  std::string name;  // with the folder or file where others hold one of the same name
  std::vector<const RecordedRun*> runs;
};

/// The folder of the experiment that a run is of, or the file that was read alone.
const std::string& origin_of(const RecordedRun& run);

/// The variants that --variant and --seed leave, in the order in which they were read; pointers
/// into the recording. Throws UserError where a name is of no variant, or no run has the seed.
std::vector<ShownVariant> shown_variants(const Recording& recording, const ShowCommand& command);

/// Some lines for each experiment: how many of its runs ended how, their seeds and variants.
std::string experiments_text(const Recording& recording, size_t width);

/// "0 to 9, 12 and 20"; of more than a few pieces the first, the last, and how many numbers there
/// are.
std::string numbers_text(const std::set<int64_t>& numbers);

/// Throws UserError where no run has a seed that --seed asks for.
[[noreturn]] void fail_for_seeds(const std::set<int64_t>& wanted,
                                 const std::set<int64_t>& recorded);

}  // namespace qkvlab
