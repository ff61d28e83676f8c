// Options that several commands share.
#include "app/cli/commands.hpp"

namespace lapl {

void add_set_option(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "Set a config entry, such as time.steps=1000 (repeatable)")
      ->expected(1)
      ->type_name("KEY=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_backend_option(CLI::App& command, std::string& backend) {
  command.add_option("--backend", backend, "Where to compute (compute.backend)")
      ->check(CLI::IsMember({"auto", "cuda", "cpu"}));
}

void add_console_options(CLI::App& command, Console::Options& options) {
  command.add_flag("--quiet", options.quiet, "Print errors alone");
  command.add_flag("--json", options.json, "Print JSON, one object a line, on stdout");
}

void add_live_option(CLI::App& command, Console::Options& options) {
  command
      .add_flag("--live", options.live,
                "Show the view of lapl watch while running; without a terminal, progress in lines")
      ->excludes(command.get_option("--quiet"))
      ->excludes(command.get_option("--json"));
}

}  // namespace lapl
