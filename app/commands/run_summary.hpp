// run.json while a run goes on.
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
  /// `warn` is told, once, that progress could not be saved.
  RunSummary(std::filesystem::path path, nlohmann::ordered_json first_values,
             std::function<void(const std::string&)> warn);

  nlohmann::ordered_json values;

  /// Puts the values into the file. Throws IoError.
  void save();

  /// Puts the step, the speed and the time left into the file for whoever watches: every other
  /// second, from a thread of its own, so that stepping never waits for the disk. That it fails
  /// does no harm to the run.
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
