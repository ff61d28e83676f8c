#include "io/run/run_view.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>

#include "io/config/config.hpp"
#include "io/durable/posix_file.hpp"
#include "io/json.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_table.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/paths_in.hpp"
#include "solver/diagnostics.hpp"
#include "solver/run.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Seconds without news of a run after which the user is told; a run reports every two seconds.
constexpr double notable_silence = 30;

// The text of a file; empty if the file does not exist yet.
std::string file_text(const fs::path& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  return fs::exists(path) ? read_start(path, most) : "";
}

std::string text_in(const Json& values, const char* key) {
  const auto found = values.find(key);
  return found != values.end() && found->is_string() ? found->get<std::string>() : "";
}

template <class T>
T number_in(const Json& values, const char* key) {
  const auto found = values.find(key);
  return found != values.end() && found->is_number() ? found->get<T>() : T{};
}

// The process named in .lock; 0 if it does not have that file open. Does not try the lock, because
// a run that starts at the same moment would find it taken.
int writing_process(const fs::path& folder) {
  struct stat lock, other;
  if (stat((folder / ".lock").c_str(), &lock) != 0) return 0;
  const std::string text = file_text(folder / ".lock");
  const char* const end = text.data() + text.size();
  int process = 0;
  const auto [after, error_in_text] = std::from_chars(text.data(), end, process);
  if (error_in_text != std::errc() || after != end || process <= 0) return 0;
  const fs::path files = fs::path("/proc") / std::to_string(process) / "fd";
  std::error_code error;
  for (const fs::path& file : paths_in(files, error))
    if (stat(file.c_str(), &other) == 0 && other.st_ino == lock.st_ino &&
        other.st_dev == lock.st_dev)
      return process;
  // Processes of other users cannot be inspected; it suffices that the process exists.
  return !error || error == std::errc::no_such_file_or_directory ? 0 : process;
}

double seconds_since_written(const fs::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return 0;
  return std::difftime(std::time(nullptr), status.st_mtim.tv_sec);
}

void describe_status(RunView& view, const fs::path& folder, const std::string& host) {
  const Json& summary = view.summary;
  view.status = text_in(summary, "status");
  if (view.status == "failed") {
    const std::string error = text_in(summary, "error");
    view.note = error.substr(0, error.find('\n'));  // the log has the whole error
  }
  if (view.status == "complete" && text_in(summary, "stopped_by") == stopped_by_steady)
    view.note = "steady: no value changes as fast as limits.steady";
  if (view.status == "complete" && text_in(summary, "stopped_by") == stopped_by_condition)
    view.note = "limits.stop holds";
  if (view.status == "stopped")
    view.note = fmt::format("stopped by {}", text_in(summary, "stopped_by"));
  if (view.status != "running") return;
  const bool is_here = view.host.empty() || view.host == host;
  if (is_here) view.process = writing_process(folder);
  if (is_here && view.process == 0) {
    view.status = "died";
    view.note = "its process is gone";
  } else if (const double silence = seconds_since_written(folder / "run.json");
             silence > notable_silence) {
    view.note = fmt::format("nothing heard from {} for {:.0f} s", view.host, silence);
  }
}

// Reads the digests of outputs and the parts of the run from its log.
void read_log(RunView& view, const fs::path& log) {
  const std::vector<std::string> used = {"digest",   "started", "resumed",
                                         "complete", "stopped", "failed"};
  for_each_event(log, used, [&](const Json& event) {
    const std::string name = text_in(event, "event");
    const auto step = number_in<std::int64_t>(event, "step");
    if (!text_in(event, "output").empty()) view.digests[step] = text_in(event, "digest");
    if (name == "started" || name == "resumed")
      view.parts.push_back({text_in(event, "at"), step, step, text_in(event, "host"),
                            text_in(event, "ranks"), text_in(event, "command_line"), ""});
    if (view.parts.empty()) return;
    RunPart& part = view.parts.back();
    part.last = std::max(part.last, step);
    if (name == "complete" || name == "stopped" || name == "failed") part.end = name;
  });
}

// A number of a table; none if the text is something else.
std::optional<double> table_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

// The config that the run wrote; none if there is none yet, or none that this version can read.
std::optional<RunConfig> config_in_folder(const fs::path& folder) try {
  return load_config(folder / "config.yaml", {}).run;
} catch (const ConfigError&) {
  return std::nullopt;
} catch (const IoError&) {
  return std::nullopt;
}

}  // namespace

std::vector<DiagnosticsLine> parse_diagnostics(const std::string& text, const RunConfig& config) {
  std::vector<std::string> columns = diagnostics_table_columns(config);
  columns.insert(columns.begin(), {"step", "time"});
  TableReader table(text, columns);
  std::vector<DiagnosticsLine> lines;
  while (const auto texts = table.next()) {
    std::vector<double> numbers;
    for (const std::string& part : *texts) {
      const std::optional<double> number = table_number(part);
      if (!number) return lines;
      numbers.push_back(*number);
    }
    if (numbers.empty() || !table.has(0) || !table.has(1)) break;
    DiagnosticsLine& line = lines.emplace_back();
    line.step = static_cast<std::int64_t>(numbers[0]);
    line.time = numbers[1];
    line.cells_per_second = numbers.back();
    auto number = numbers.begin() + 2;
    for (std::size_t field = 0; field < config.fields.size(); ++field) {
      Statistics& of_field = line.fields.emplace_back();
      for (const StatisticsColumn& column : statistics_columns) of_field.*column.value = *number++;
    }
    line.integrals.assign(number, numbers.end() - 1);
  }
  return lines;
}

ProbeTable read_probes(const fs::path& folder, const RunConfig& config) {
  ProbeTable probes;
  if (!config.probes) return probes;
  probes.names = probe_columns(config);
  probes.values.resize(probes.names.size());
  std::vector<std::string> columns = probes.names;
  columns.insert(columns.begin(), {"step", "time"});
  TableReader table(file_text(folder / "probes.csv"), columns);
  while (const auto texts = table.next()) {
    std::vector<double> numbers;
    for (const std::string& text : *texts)
      if (const std::optional<double> number = table_number(text)) numbers.push_back(*number);
    if (numbers.size() != columns.size()) break;
    probes.steps.push_back(numbers[0]);
    probes.times.push_back(numbers[1]);
    for (std::size_t i = 2; i < numbers.size(); ++i) probes.values[i - 2].push_back(numbers[i]);
  }
  return probes;
}

RunView read_run_status(const fs::path& folder, const std::string& host) {
  if (!fs::exists(folder)) throw IoError("{}: no such file or folder", folder.string());
  if (!RunFolder::has_run(folder))
    throw IoError("{}: not a run folder (no run.json in it)", folder.string());
  RunView view;
  view.name = fs::canonical(folder).filename().string();
  view.summary = read_summary(folder);
  const Json& summary = view.summary;
  view.engine = text_in(summary, "engine");
  view.device = text_in(summary, "device");
  view.precision = text_in(summary, "precision");
  view.host = text_in(summary, "host");
  view.started = text_in(summary, "start_time");
  if (const auto shape = summary.find("shape");
      shape != summary.end() && shape->is_array() && shape->size() >= 1 && shape->size() <= 3 &&
      std::ranges::all_of(*shape, [](const Json& extent) { return extent.is_number(); }))
    view.shape = Shape::of(shape->get<std::vector<std::int64_t>>());
  view.steps = number_in<std::int64_t>(summary, "steps");
  view.step = number_in<std::int64_t>(summary, "step");
  view.cells_per_second = number_in<double>(summary, "cells_per_second");
  view.seconds_left = number_in<double>(summary, "seconds_left");
  describe_status(view, folder, host);
  return view;
}

RunView read_run_view(const fs::path& folder, const std::string& host) {
  RunView view = read_run_status(folder, host);
  view.config = config_in_folder(folder);
  if (const auto& config = view.config) {
    view.fields = config->fields.size() == 1 ? std::vector<std::string>{""} : config->fields;
    for (const std::string& field : config->fields)
      view.labels.push_back(field_labels(*config, field));
    view.units = config->units;
    const std::vector<std::string> columns = diagnostics_columns(*config);
    view.integrals.assign(columns.begin() + static_cast<std::ptrdiff_t>(view.fields.size() *
                                                                        statistics_columns.size()),
                          columns.end());
    view.diagnostics = parse_diagnostics(file_text(folder / "diagnostics.csv"), *config);
  }
  read_log(view, folder / "log.jsonl");
  if (!view.diagnostics.empty()) view.step = std::max(view.step, view.diagnostics.back().step);
  return view;
}

}  // namespace lapl
