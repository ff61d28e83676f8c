// The functions of the library lapl_mpi. Only this library is linked with MPI. It is loaded only
// for a run on several ranks, because MPI depends on dozens of libraries, and some of them install
// signal handlers or create folders when they are loaded.
#pragma once

#include <memory>
#include <string>

#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The functions of the same names in ranks.hpp.
struct MpiModule {
  std::string (*mpi_library)();
  std::unique_ptr<Ranks> (*all_ranks)();
  void (*leave_all_ranks)();
  void (*end_all_ranks)(int code);
};

}  // namespace lapl
