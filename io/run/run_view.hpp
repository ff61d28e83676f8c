// A run folder as a bystander sees it: takes no lock, writes nothing, and reads only files that lie
// under their final names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "solver/statistics.hpp"

namespace lapl {

/// A line of diagnostics.csv.
struct DiagnosticsLine {
  std::int64_t step = 0;
  double time = 0;                 ///< s
  std::vector<Statistics> fields;  ///< at least one
  double cells_per_second = 0;     ///< since the output before; 0 where nothing was stepped
  std::vector<double> integrals = {};
};

/// How far a run is. What a file does not say, or says with another type than it should, keeps the
/// value here.
struct RunView {
  std::string name;    ///< of the run folder
  std::string status;  ///< running, complete, stopped, failed or died
  std::string note;    ///< what a person should know of the status, such as an error
  std::string engine, device, precision, host, started;
  Shape shape{0, 0};
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double cells_per_second = 0;
  double seconds_left = 0;             ///< while running; 0: not known
  std::vector<std::string> fields;     ///< those of the diagnostics; one that is alone has no name
  std::vector<std::string> integrals;  ///< names of theirs
  std::vector<DiagnosticsLine> diagnostics;
  std::map<std::int64_t, std::string> digests;  ///< of the state, by the step of an output
  nlohmann::ordered_json summary;               ///< run.json

  /// Digest of the state at a step; empty where the log does not say.
  std::string digest_at(std::int64_t of_step) const {
    const auto digest = digests.find(of_step);
    return digest == digests.end() ? "" : digest->second;
  }
};

/// Reads run.json, log.jsonl and diagnostics.csv. A run that says that it is running is "died"
/// where it runs on this machine, which is named `host`, and its process is gone.
/// Throws IoError where `folder` is not a run folder.
RunView read_run_view(const std::filesystem::path& folder, const std::string& host);

/// Names of the integrals that a head of diagnostics.csv has after those of its fields.
std::vector<std::string> integrals_in_head(const std::string& head);

/// Names of the fields that a head of diagnostics.csv has statistics of; of one that is alone,
/// empty. None where it is another head.
std::vector<std::string> fields_in_head(const std::string& head);

/// The lines of diagnostics.csv's text, its header apart, up to the last one that ends in a line
/// end and is well formed.
std::vector<DiagnosticsLine> parse_diagnostics(const std::string& text);

}  // namespace lapl
