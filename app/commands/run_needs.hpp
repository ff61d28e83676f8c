// Estimates of the memory and the disk space of a run, before it allocates anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/machine/memory.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/model.hpp"

namespace lapl {

/// The memory of the backend "cpu" or "cuda" for a model on a grid of this shape.
Memory backend_memory(const Model& model, const std::string& backend, Shape shape);

/// The memory of a whole run on "cpu" or "cuda" on a grid of this shape: the backend, the initial
/// field and the writing of files.
Memory memory_of_run(const Model& model, const std::string& backend, Shape shape);

/// Extra bytes on the first of several ranks, which holds whole initial fields and coefficient
/// fields.
double memory_of_first_rank(const RunConfig& config);

/// Throws DeviceError with both numbers if less host memory is available than the backend and the
/// initial field take. Linux would otherwise grant the memory and kill the process when it is used.
/// (Files are not counted: they are built on the disk if memory does not suffice.) Ranks of one
/// machine share its memory.
void require_host_memory(const Model& model, const std::string& backend, const Ranks& ranks);

/// False if require_host_memory would throw.
bool has_host_memory(const Model& model, const std::string& backend, const Ranks& ranks);

/// Disk space of a run in bytes, accurate to some 10 KB per file.
struct RunDisk {
  std::int64_t outputs = 0;
  std::optional<std::int64_t> checkpoints = {};  ///< none if they are written at intervals of time
  double output = 0;                             ///< one output
  double checkpoint = 0;                         ///< one checkpoint
  double all = 0;
  double available = -1;  ///< on the disk of the run folder; -1 if not known
  std::string shortage;   ///< message with the needed and the free space; empty if it suffices
};

RunDisk disk_of_run(const RunConfig& config);

}  // namespace lapl
