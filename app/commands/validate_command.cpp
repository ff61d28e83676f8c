// lapl validate CONFIG
#include <fmt/format.h>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "io/config/config.hpp"
#include "io/filter_source.hpp"
#include "io/initial_source.hpp"

namespace lapl {
namespace {

struct ValidateOptions {
  std::string config;
  std::vector<std::string> settings;
};

int validate_command(const ValidateOptions& options) {
  const LoadedConfig config = load_config(options.config, options.settings);
  load_filters(config.run);
  load_initial_fields(config.run);  // the files that it names are there and fit the grid
  load_coefficients(config.run);
  fmt::print("{}", resolved_yaml(config));
  fmt::print(stderr, "lapl: {}: valid\n", options.config);
  return 0;
}

}  // namespace

void add_validate_command(CommandLine& line) {
  Command command = line.add("validate", "Say every mistake in a config, or print it resolved");
  ValidateOptions& options = command.calls(validate_command);
  command.positional("CONFIG", &options.config, "YAML run config", {.required = true});
  add_set_option(command, options.settings);
  command.footer(R"(Examples:
  lapl validate configs/tutorial.yaml
  lapl validate configs/tutorial.yaml --set boundary=periodic > resolved.yaml)");
}

}  // namespace lapl
