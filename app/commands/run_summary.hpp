// Writes run.json while a run goes on, and makes the text that lapl run prints at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/backend.hpp"
#include "solver/clock.hpp"
#include "solver/run.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The seconds that a process spent in each phase of a run. Time in which files are stored while
/// steps go on counts as stepping.
struct Phases {
  double start = 0;  ///< from the start of the process to the first step, without initial_field
  double initial_field = 0;
  double stepping = 0;
  double estimating = 0;  ///< estimates of the largest stable step
  double storing = 0;
  double end = 0;

  double sum() const { return start + initial_field + stepping + estimating + storing + end; }
};

/// The seconds of each phase by its name, for run.json and log.jsonl.
nlohmann::ordered_json phases_json(const Phases& phases);

/// The command that continues this run: to its end, or beyond it if it is complete, also where
/// `stopped_by` completes it.
std::string resume_words(const RunConfig& config, bool complete,
                         const std::string& stopped_by = {});

/// The command that makes the missing outputs: a restart if an earlier checkpoint is left, else the
/// run again.
std::string words_for_missing(const RunConfig& config, bool can_resume);

/// The lines printed at the end of a run. `cells`: cell updates, cells times steps; `digest`: of
/// the last state.
std::string summary_text(const RunConfig& config, const RunResult& result,
                         const BackendDescription& by, double cells, std::uint64_t digest,
                         const Phases& phases);

class RunSummary {
 public:
  /// Calls `warn` once if progress cannot be saved.
  RunSummary(std::filesystem::path path, nlohmann::ordered_json first_values,
             std::function<void(const std::string&)> warn);

  nlohmann::ordered_json values;

  /// Writes the values to the file. Throws IoError.
  void save();

  /// Writes the step, the speed and the time left to the file every two seconds. A separate thread
  /// writes, so that stepping never waits for the disk. A failure does not stop the run.
  void progress(const Progress& progress);

 private:
  void finish_saving();

  std::filesystem::path path_;
  std::function<void(const std::string&)> warn_;
  bool warned_ = false;
  Clock::time_point last_saved_ = Clock::now();
  std::future<void> saving_;
};

}  // namespace lapl
