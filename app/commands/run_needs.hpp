// Memory and disk that a run takes, known before any of it is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/machine/memory.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/model.hpp"

namespace lapl {

/// The memory that the backend "cpu" or "cuda" takes for a model, were its grid of this shape.
Memory backend_memory(const Model& model, const std::string& backend, Shape shape);

/// The memory of a whole run on "cpu" or "cuda", were its grid of this shape: the backend's, and
/// that of making the initial field and of putting a file together.
Memory memory_of_run(const Model& model, const std::string& backend, Shape shape);

/// Extra memory of the first of several ranks: it makes or reads initial fields and parameters
/// whole.
double memory_of_first_rank(const RunConfig& config);

/// Throws DeviceError with both numbers where less host memory is available than the backend and
/// the initial field take. Without this check Linux would grant it, and end the process once it is
/// used. (A file that finds no room in memory is put together on the disk.)
/// Ranks of this machine share it.
void require_host_memory(const Model& model, const std::string& backend, const Ranks& ranks);

/// Bytes, within some 10 KB a file.
struct RunDisk {
  std::int64_t outputs = 0;
  std::optional<std::int64_t> checkpoints = {};  ///< none where they are made at times
  double output = 0;                             ///< one of them
  double checkpoint = 0;                         ///< likewise
  double all = 0;
  double available = -1;  ///< where the run folder is or will be; -1 where that is not known
  std::string shortage;   ///< what is needed and what is free; empty where it suffices
};

RunDisk disk_of_run(const RunConfig& config);

}  // namespace lapl
