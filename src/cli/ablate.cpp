#include "base/error.hpp"
#include "cli/commands.hpp"

namespace qkvlab {

void run_ablate(const AblateCommand& /*command*/) {
  throw UserError("ablate: not yet there", ExitCode::kFailed);
}

}  // namespace qkvlab
