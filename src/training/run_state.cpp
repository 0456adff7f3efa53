#include "training/run_state.hpp"

namespace qkvlab {

std::string status_name(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::kCompleted:
      return "completed";
    case TrainingEnd::kDiverged:
      return "diverged";
    case TrainingEnd::kInterrupted:
      break;
  }
  return "interrupted";
}

}  // namespace qkvlab
