// A run folder as an observer sees it. Takes no lock, writes nothing, and reads only files that
// have their final names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

/// A part of a run: from a start or a resume to its end.
struct RunPart {
  std::string began;                 ///< time of day
  std::int64_t first = 0, last = 0;  ///< steps; the last that it stored or reached
  std::string host, ranks;           ///< empty in logs of earlier versions
  std::string command;
  std::string end;  ///< complete, stopped or failed; empty: it runs, or was killed
};

/// probes.csv: a column for each probe and field.
struct ProbeTable {
  std::vector<std::string> names;
  std::vector<double> steps, times;
  std::vector<std::vector<double>> values;  ///< by column
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
  std::optional<RunConfig> config;              ///< none if this version cannot read it
  std::vector<RunPart> parts;                   ///< in order
  std::map<std::int64_t, std::string> digests;  ///< state digests by the step of an output
  nlohmann::ordered_json summary;               ///< run.json

  /// The name of a field, also if there is one.
  std::string field_name(std::size_t field) const {
    return config ? config->fields.at(field) : fields.at(field);
  }
  /// Its label, or else its name.
  std::string field_title(std::size_t field) const {
    const bool has_label = field < labels.size() && !labels[field].label.empty();
    return has_label ? labels[field].label : field_name(field);
  }

  /// State digest at a step; empty if the log has none.
  std::string digest_at(std::int64_t of_step) const {
    const auto digest = digests.find(of_step);
    return digest == digests.end() ? "" : digest->second;
  }
};

/// Reads run.json alone: a view without fields, diagnostics and digests. Throws as read_run_view.
RunView read_run_status(const std::filesystem::path& folder, const std::string& host);

/// Reads run.json, log.jsonl, config.yaml and diagnostics.csv. The status is "died" if run.json
/// says that the run is running on this machine, named `host`, but its process is gone. Throws
/// IoError if `folder` is not a run folder.
RunView read_run_view(const std::filesystem::path& folder, const std::string& host);

/// The values of the probes up to the last complete line; empty if there are none.
ProbeTable read_probes(const std::filesystem::path& folder, const RunConfig& config);

/// The lines of diagnostics.csv of a run with this config, up to the last complete and valid line;
/// NaN in columns that the table lacks.
std::vector<DiagnosticsLine> parse_diagnostics(const std::string& text, const RunConfig& config);

}  // namespace lapl
