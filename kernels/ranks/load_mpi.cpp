// Loads the library lapl_mpi, if this build has it.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "kernels/error.hpp"
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
  // UCX, which some MPI libraries use, would handle SIGHUP and create a folder when it is loaded.
  setenv("UCX_DEBUG_SIGNO", "0", 0);
  setenv("UCX_VFS_ENABLE", "n", 0);
  // $ORIGIN needs no /proc, but is another folder where a sanitizer's dlopen calls the loader's.
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string folder = error ? "$ORIGIN" : program.parent_path().string();
  // RTLD_GLOBAL, because MPI's own modules look for its functions among all that is loaded.
  void* const library =
      dlopen((folder + "/" LAPL_MODULES "/liblapl_mpi.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const module = library == nullptr ? nullptr : dlsym(library, "lapl_mpi");
  if (module == nullptr) return {nullptr, dlerror()};
  return {static_cast<const MpiModule*>(module), ""};
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
