// Memory that a whole run takes.
#pragma once

#include "kernels/memory.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// What a run of `config` takes on "cpu" or "cuda", were its grid of this shape: the backend's
/// memory, and what making the initial field and putting a file together take besides.
Memory memory_of_run(const RunConfig& config, const std::string& backend, Shape shape);

}  // namespace lapl
