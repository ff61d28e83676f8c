// lapl schema
#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "io/config/config.hpp"

namespace lapl {

void add_schema_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of the config, for editors");
  command->footer(
      "Examples:\n"
      "  lapl schema > lapl.schema.json\n"
      "  lapl schema | grep -A 3 spacing");
  command->callback([&action] {
    action = [] {
      fmt::print("{}\n", config_schema());
      return 0;
    };
  });
}

}  // namespace lapl
