// Disk that a run takes, known before anything is created.
#pragma once

#include <cstdint>
#include <string>

#include "solver/run_config.hpp"

namespace lapl {

/// Bytes, within some 10 KB a file.
struct RunDisk {
  std::int64_t outputs = 0;
  double output = 0;      ///< one of them
  double checkpoint = 0;  ///< likewise
  double all = 0;
  double available = -1;  ///< where the run folder is or will be; -1 where that is not known
};

RunDisk disk_of_run(const RunConfig& config);

/// What is needed and what is free, in words; empty where it suffices.
std::string disk_shortage(const RunConfig& config, const RunDisk& disk);

}  // namespace lapl
