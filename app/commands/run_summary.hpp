// run.json of a run in progress.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <string>

#include "solver/clock.hpp"
#include "solver/run.hpp"

namespace lapl {

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
