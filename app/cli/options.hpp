// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/console.hpp"

namespace lapl {

/// Values of a config that the command line sets.
struct ConfigWords {
  std::vector<std::string> settings;  ///< KEY=VALUE
  std::string backend;                ///< empty where it is not given

  /// All as KEY=VALUE, those of `first` before them.
  std::vector<std::string> all(std::vector<std::string> first = {}) const;
};

/// --set and --backend.
void add_config_options(Command& command, ConfigWords& words);

/// --set KEY=VALUE, repeatable.
void add_set_option(Command& command, std::vector<std::string>& settings);

/// --backend.
void add_backend_option(Command& command, std::string& backend);

/// --ranks; 0 where it is not given.
void add_ranks_option(Command& command, int& ranks);

/// --quiet for commands that have no console.
void add_quiet_option(Command& command, bool& quiet);

/// --json for commands that print one value.
void add_json_option(Command& command, bool& json);

/// --quiet and --json.
void add_console_options(Command& command, Console::Options& options);

/// --quiet, --json and --live.
void add_live_console_options(Command& command, Console::Options& options);

}  // namespace lapl
