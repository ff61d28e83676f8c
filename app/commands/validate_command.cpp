// lapl validate CONFIG
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.hpp"
#include "io/config/config.hpp"
#include "io/filter_source.hpp"
#include "io/initial_source.hpp"

namespace lapl {

void add_validate_command(CLI::App& app, Action& action) {
  struct Options {
    std::string config;
    std::vector<std::string> settings;
  };
  CLI::App* command =
      app.add_subcommand("validate", "Say every mistake in a config, or print it resolved");
  const auto options = std::make_shared<Options>();
  command->add_option("CONFIG", options->config, "YAML run config")->required();
  add_set_option(*command, options->settings);
  command->footer(
      "Examples:\n"
      "  lapl validate configs/tutorial.yaml\n"
      "  lapl validate configs/tutorial.yaml --set boundary=periodic > resolved.yaml");
  command->callback([options, &action] {
    action = [options] {
      const LoadedConfig config = load_config(options->config, options->settings);
      load_filters(config.run);
      load_initial_field(config.run);  // the file that it names is there and fits the grid
      fmt::print("{}", resolved_yaml(config));
      fmt::print(stderr, "lapl: {}: valid\n", options->config);
      return 0;
    };
  });
}

}  // namespace lapl
