#include "kernels/machine/load_module.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace lapl {

LoadedModule load_module(const std::string& name, bool global) {
  // $ORIGIN, which needs no /proc, is another folder where a sanitizer's dlopen calls the loader's.
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string folder = error ? "$ORIGIN" : program.parent_path().string();
  void* const library = dlopen((folder + "/" LAPL_MODULES "/lib" + name + ".so").c_str(),
                               RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const table = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (table == nullptr) return {nullptr, dlerror()};
  return {table, ""};
}

}  // namespace lapl
