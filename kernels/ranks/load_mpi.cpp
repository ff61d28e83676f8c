// Loads the library lapl_mpi, if this build has it.
#include <atomic>
#include <cstdlib>
#include <string>

#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"
#include "kernels/ranks/mpi_module.hpp"

namespace lapl {
namespace {

std::atomic<const MpiModule*> joined = nullptr;

LoadedModule load() {
#ifdef LAPL_HAS_MPI
  // Else UCX, which some MPI libraries use, would handle SIGHUP and create a folder when loaded.
  setenv("UCX_DEBUG_SIGNO", "0", 0);
  setenv("UCX_VFS_ENABLE", "n", 0);
  return load_module("lapl_mpi", true);  // MPI's own modules need its symbols
#else
  return {nullptr, "MPI was not compiled in"};
#endif
}

const LoadedModule& loaded() {
  static const LoadedModule once = load();
  return once;
}

const MpiModule* module() { return static_cast<const MpiModule*>(loaded().table); }

}  // namespace

std::string ranks_unavailable() { return loaded().missing; }

std::string mpi_library() { return module() == nullptr ? std::string() : module()->mpi_library(); }

std::unique_ptr<Ranks> all_ranks() {
  if (module() == nullptr)
    throw DeviceError("several ranks: {} (install libopenmpi-dev or libmpich-dev and build again)",
                      ranks_unavailable());
  joined = module();
  return module()->all_ranks();
}

void leave_all_ranks() {
  if (const MpiModule* const mpi = joined) mpi->leave_all_ranks();
}

void end_all_ranks(int code) {
  if (const MpiModule* const mpi = joined) mpi->end_all_ranks(code);
  std::_Exit(code);
}

}  // namespace lapl
