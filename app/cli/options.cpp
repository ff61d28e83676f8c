#include "app/cli/options.hpp"

namespace lapl {

std::vector<std::string> ConfigWords::all(std::vector<std::string> first) const {
  first.insert(first.end(), settings.begin(), settings.end());
  if (!backend.empty()) first.push_back("compute.backend=" + backend);
  return first;
}

void add_config_options(Command& command, ConfigWords& words) {
  add_set_option(command, words.settings);
  add_backend_option(command, words.backend);
}

void add_set_option(Command& command, std::vector<std::string>& settings) {
  command.option("--set KEY=VALUE", &settings,
                 "Set a config entry, such as time.steps=1000 (repeatable)",
                 {.values = 1, .repeatable = true});
}

void add_backend_option(Command& command, std::string& backend) {
  command.option("--backend", &backend, "Where to compute (compute.backend)",
                 {.one_of = {"auto", "cuda", "cpu"}});
}

void add_ranks_option(Command& command, int& ranks) {
  command.option("--ranks N", &ranks, "Run on this many processes, started by mpirun",
                 {.between = {{1, 1000000}}});
}

void add_quiet_option(Command& command, bool& quiet) {
  command.flag("--quiet", &quiet, "Print nothing but errors");
}

void add_json_option(Command& command, bool& json) { command.flag("--json", &json, "Print JSON"); }

void add_console_options(Command& command, Console::Options& options) {
  add_quiet_option(command, options.quiet);
  command.flag("--json", &options.json, "Print JSON on stdout, one object a line");
}

void add_live_console_options(Command& command, Console::Options& options) {
  add_console_options(command, options);
  command.flag(
      "--live", &options.live,
      "Show the view of lapl watch while running; without a terminal, print progress in lines",
      {.excludes = {"--quiet", "--json"}});
}

}  // namespace lapl
