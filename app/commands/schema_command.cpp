// lapl schema: prints the JSON Schema of configs.
#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config.hpp"

namespace lapl {

void add_schema_command(CommandLine& line) {
  Command command = line.add("schema", "Print the JSON Schema of the config, for editors");
  command.does([] {
    print_text("{}\n", config_schema());
    return 0;
  });
  command.footer(R"(Examples:
  lapl schema > lapl.schema.json
  lapl schema | grep -A 3 spacing)");
}

}  // namespace lapl
