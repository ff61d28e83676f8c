// The members of a sweep: the product of the lists on the command line, each checked.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

struct SweepMember {
  std::string name;  ///< of its run folder, such as coefficient-0.05_seed-1
  std::vector<std::pair<std::string, std::string>> values;  ///< key and value, as YAML
  std::vector<std::string> settings;                        ///< for --set: common ones and its own
  RunConfig run;                                            ///< its directory is the run folder
  bool complete = false;  ///< its folder holds this very run, done to the end
};

/// One member for each combination of the values in `settings` (KEY=VALUE,VALUE,...); the last list
/// varies fastest; `text` is that of the file `config`; their run folders are to be made below
/// `folder`. Throws ConfigError with the mistakes of all members at once, which a folder that holds
/// a run is too (with `go_on`: one of another problem); IoError where a file that a config names
/// cannot be read.
std::vector<SweepMember> sweep_members(const std::string& config, const std::string& text,
                                       const std::vector<std::string>& settings,
                                       const std::filesystem::path& folder, bool go_on);

}  // namespace lapl
