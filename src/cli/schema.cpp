#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "config/experiment_schema.hpp"
#include "config/field_table.hpp"

namespace qkvlab {

void run_schema(const SchemaCommand& command) {
  Output output(command.out);
  output.write(command.format == Format::kMarkdown ? field_table() : experiment_schema());
  output.finish();
}

}  // namespace qkvlab
