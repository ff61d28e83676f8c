// Memory that a run takes, known before any of it is taken.
#pragma once

#include "kernels/memory.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// What a whole run of `config` takes on "cpu" or "cuda", were its grid of this shape: the
/// backend's memory, and what making the initial field and putting a file together take besides.
Memory memory_of_run(const RunConfig& config, const std::string& backend, Shape shape);

/// Throws DeviceError with both numbers where less host memory is available than the backend and
/// the initial field take. Without this check Linux would grant it, and end the process once it is
/// used. (A file that finds no room in memory is put together on the disk.)
void require_host_memory(const RunConfig& config, const std::string& backend);

}  // namespace lapl
