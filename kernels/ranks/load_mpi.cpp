// The library lapl_mpi, where this build has one.
#include <atomic>
#include <cstdlib>
#include <string>

#include "kernels/error.hpp"
#include "kernels/machine/module.hpp"
#include "kernels/ranks/mpi_module.hpp"

namespace lapl {
namespace {

std::atomic<const MpiModule*> joined = nullptr;

struct Loaded {
  const MpiModule* module = nullptr;
  std::string missing;
};

Loaded load() {
#ifdef LAPL_HAS_MPI
  // UCX, which some MPIs are made of, takes SIGHUP for itself and makes a folder while it is
  // loaded.
  setenv("UCX_DEBUG_SIGNO", "0", 0);
  setenv("UCX_VFS_ENABLE", "n", 0);
  // MPI's own modules look for its functions in all that is loaded.
  const Module module = load_module("lapl_mpi", true);
  return {static_cast<const MpiModule*>(module.functions), module.missing};
#else
  return {nullptr, "MPI was not compiled in"};
#endif
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

std::string ranks_unavailable() { return loaded().missing; }

std::string mpi_library() {
  return loaded().module == nullptr ? std::string() : loaded().module->mpi_library();
}

std::unique_ptr<Ranks> all_ranks() {
  if (loaded().module == nullptr)
    throw DeviceError("several ranks: {} (install libopenmpi-dev or libmpich-dev and build again)",
                      ranks_unavailable());
  joined = loaded().module;
  return joined.load()->all_ranks();
}

void leave_all_ranks() {
  if (const MpiModule* const module = joined) module->leave_all_ranks();
}

void end_all_ranks(int code) {
  if (const MpiModule* const module = joined) module->end_all_ranks(code);
  std::_Exit(code);
}

}  // namespace lapl
