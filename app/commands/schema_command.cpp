// lapl schema: prints the JSON Schema of configs.
#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config.hpp"
#include "io/filters/filter_job.hpp"

namespace lapl {
namespace {

struct SchemaOptions {
  bool filter = false;
};

int schema_command(const SchemaOptions& options) {
  print_text("{}\n", options.filter ? filter_job_schema() : config_schema());
  return 0;
}

}  // namespace

void add_schema_command(CommandLine& line) {
  Command command = line.add("schema", "Print the JSON Schema of the config, for editors");
  SchemaOptions& options = command.calls(schema_command);
  command.flag("--filter", &options.filter, "That of configs of lapl filter");
  command.footer(R"(Examples:
  lapl schema > lapl.schema.json
  lapl schema --filter > filter.schema.json
  lapl schema | grep -A 3 spacing)");
}

}  // namespace lapl
