// lapl schema
#include <fmt/format.h>

#include "app/commands.hpp"
#include "io/config/config.hpp"

namespace lapl {

void add_schema_command(CLI::App& app, Action& action) {
  app.add_subcommand("schema", "Print the JSON Schema of the config, for editors")
      ->callback([&action] {
        action = [] {
          fmt::print("{}\n", config_schema());
          return 0;
        };
      });
}

}  // namespace lapl
