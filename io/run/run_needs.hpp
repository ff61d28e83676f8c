// Estimates of the memory and the disk space of a run, before it allocates anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/memory_needed.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/model.hpp"
#include "solver/schedule.hpp"

namespace lapl {

/// Numbers of bytes.
struct RunMemory {
  Memory backend;       ///< the backend alone
  Memory transforms;    ///< in addition, for engine spectral, etdrk2 and etdrk4
  Memory stepping;      ///< both, and coefficient fields and copies of the state
  double initial = 0;   ///< in addition, on the host, while the initial state is computed
  double file = 0;      ///< in addition, on the host, while an output is written
  double estimate = 0;  ///< in addition, on the host, while a stable step is estimated
  /// in addition on the first of several ranks: coefficient fields, and the source of engine
  /// spectral
  double first_coefficients = 0;
  /// in addition there: first_coefficients, and initial fields stored whole or an estimate
  double first = 0;

  /// The memory of a run on one rank, at its maximum.
  Memory all() const;
};

/// The memory of a run on backend "cpu" or "cuda" on a grid of this shape.
RunMemory memory_of_run(const Model& model, const std::string& backend, Shape shape);

/// A message with both numbers if less host memory is available than the backend and the initial
/// field take; empty if it suffices. Linux would otherwise grant the memory and kill the process
/// when it is used. (Files are not counted: they are built on the disk if memory does not suffice.)
/// Ranks of one machine share its memory.
std::string memory_shortage(const Model& model, const std::string& backend, const Ranks& ranks);

/// The nearest existing folder above a run folder, which need not exist.
std::filesystem::path nearest_folder(const std::string& run_folder);

/// Disk space of a run in bytes, accurate to some 10 KB per file.
struct RunDisk {
  FileCount outputs;
  std::optional<FileCount> checkpoints = {};  ///< none if they are written at intervals of time
  double output = 0;                          ///< one output; the most that it can take
  bool compressed = false;                    ///< outputs are, so they take less
  double checkpoint = 0;                      ///< one checkpoint
  double all = 0;         ///< all outputs and checkpoints, by their least numbers
  double available = -1;  ///< on the disk of the run folder; -1 if not known
  std::string shortage;   ///< message with the needed and the free space; empty if it suffices
};

/// `steps`: a guess at the number of steps, if it is known only at the end of the run.
RunDisk disk_of_run(const RunConfig& config, std::optional<std::int64_t> steps = {});

}  // namespace lapl
