// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/console.hpp"

namespace lapl {

/// Config values given on the command line.
struct ConfigWords {
  std::vector<std::string> settings;  ///< KEY=VALUE
  std::string backend;                ///< empty if --backend is not given

  /// All values as KEY=VALUE, after the elements of `first`.
  std::vector<std::string> all(std::vector<std::string> first = {}) const;
};

/// Adds --set and --backend.
void add_config_options(Command& command, ConfigWords& words);

/// Adds --set KEY=VALUE, which may be repeated.
void add_set_option(Command& command, std::vector<std::string>& settings);

/// Adds --backend.
void add_backend_option(Command& command, std::string& backend);

/// Adds --ranks; the value is 0 if the option is not given.
void add_ranks_option(Command& command, int& ranks);

/// Adds --quiet, for commands that do not use Console.
void add_quiet_option(Command& command, bool& quiet);

/// Adds --json, for commands that print one JSON value.
void add_json_option(Command& command, bool& json);

/// Adds --quiet and --json, for commands that use Console.
void add_console_options(Command& command, Console::Options& options);

/// Adds --quiet, --json and --live, for commands that use Console.
void add_live_console_options(Command& command, Console::Options& options);

}  // namespace lapl
