// lapl run --from: a run that starts from an output of another run.
#pragma once

#include <string>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// An output of another run as the start of a run.
struct RunOrigin {
  std::vector<std::string> settings;  ///< of the config: initial.from and, unless given, time.start
  std::string text;                   ///< for the provenance: file, time, digests, interpolation
  std::vector<std::string> notes;     ///< fields that are taken, and those that are not
};

/// Finds the output that `words` name: a run folder or a file of outputs, and after @ a time or
/// `last` (without it, the last one). `text` is that of the config file at `path`, `settings` are
/// given besides. Throws IoError if there is no such output, and ConfigError if it has none of the
/// config's fields, or another number of axes.
RunOrigin run_origin(const std::string& words, Interpolation interpolation, const std::string& text,
                     const std::string& path, const std::vector<std::string>& settings);

}  // namespace lapl
