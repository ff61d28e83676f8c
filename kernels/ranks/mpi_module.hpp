// The functions of the library lapl_mpi. It alone is linked with MPI, and is loaded where ranks are
// asked for: MPI brings dozens of libraries, and some of them act while they are loaded.
#pragma once

#include <memory>
#include <string>

#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Each as ranks.hpp has it.
struct MpiModule {
  std::string (*mpi_library)();
  std::unique_ptr<Ranks> (*all_ranks)();
  void (*leave_all_ranks)();
  void (*end_all_ranks)(int code);
};

}  // namespace lapl
