// lapl new [USE]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "app/cli/commands.hpp"
#include "io/config/config_uses.hpp"
#include "io/durable/durable_file.hpp"
#include "kernels/error.hpp"

namespace lapl {

void add_new_command(CLI::App& app, Action& action) {
  struct Options {
    std::string use = "quick";
    std::string output;
    bool list = false;
  };
  CLI::App* command = app.add_subcommand("new", "Write a config to start from, with every key");
  const auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const ConfigUse& use : config_uses()) names.push_back(use.name);
  command->add_option("USE", options->use, "What for; --list shows them all. Default: quick")
      ->type_name(fmt::format("{{{}}}", fmt::join(names, ",")));
  command
      ->add_option("-o,--output", options->output,
                   "Config file, which must not exist; default: standard output")
      ->type_name("FILE");
  command->add_flag("--list", options->list, "Show the uses, one a line");
  command->footer(
      "Examples:\n"
      "  lapl new --list\n"
      "  lapl new tutorial -o tutorial.yaml\n"
      "  lapl run tutorial.yaml");
  command->callback([options, &action] {
    action = [options] {
      if (options->list) {
        for (const ConfigUse& use : config_uses()) fmt::print("{:<14}{}\n", use.name, use.summary);
        return 0;
      }
      const std::string text = config_for(options->use);
      if (options->output.empty()) {
        fmt::print("{}", text);
        return 0;
      }
      if (std::filesystem::exists(options->output))
        throw ConfigError(options->output + ": exists already (name another file)");
      replace_file(options->output, text);
      fmt::print("{}: {}\n", options->output, options->use);
      return 0;
    };
  });
}

}  // namespace lapl
