// A run folder as an observer sees it. Takes no lock, writes nothing, and reads only files that
// have their final names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "solver/run_config.hpp"
#include "solver/statistics.hpp"

namespace lapl {

/// A line of diagnostics.csv.
struct DiagnosticsLine {
  std::int64_t step = 0;
  double time = 0;
  std::vector<Statistics> fields;  ///< at least one
  double cells_per_second = 0;     ///< since the last output; 0 if no step was taken
  std::vector<double> integrals = {};
};

/// The progress of a run. A member keeps its default if no file gives it with the right type.
struct RunView {
  std::string name;    ///< of the run folder
  std::string status;  ///< running, complete, stopped, failed or died
  std::string note;    ///< more about the status, such as an error
  std::string engine, device, precision, host, started;
  int process = 0;  ///< id of the process that runs it here; 0: none, or on another machine
  Shape shape{0, 0};
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double cells_per_second = 0;
  double seconds_left = 0;          ///< while running; 0: unknown
  std::vector<std::string> fields;  ///< of the diagnostics; an empty name if there is one field
  std::vector<FieldLabels> labels;  ///< of `fields`
  Units units;
  std::vector<std::string> integrals;  ///< names of the integrals, and of columns about steps
  std::vector<DiagnosticsLine> diagnostics;
  std::map<std::int64_t, std::string> digests;  ///< state digests by the step of an output
  nlohmann::ordered_json summary;               ///< run.json

  /// State digest at a step; empty if the log has none.
  std::string digest_at(std::int64_t of_step) const {
    const auto digest = digests.find(of_step);
    return digest == digests.end() ? "" : digest->second;
  }
};

/// Reads run.json, log.jsonl, config.yaml and diagnostics.csv. The status is "died" if run.json
/// says that the run is running on this machine, named `host`, but its process is gone. Throws
/// IoError if `folder` is not a run folder.
RunView read_run_view(const std::filesystem::path& folder, const std::string& host);

/// The lines of diagnostics.csv of a run with this config, up to the last complete and valid line;
/// NaN in columns that the table lacks.
std::vector<DiagnosticsLine> parse_diagnostics(const std::string& text, const RunConfig& config);

}  // namespace lapl
