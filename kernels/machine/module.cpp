#include "kernels/machine/module.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace lapl {

Module load_module(const std::string& name, bool global) {
  // $ORIGIN, which needs no /proc, is another folder where a sanitizer's dlopen calls the loader's.
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string folder = error ? "$ORIGIN" : program.parent_path().string();
  const std::string file = "lib" + name + ".so";
  void* const library = dlopen((folder + "/" LAPL_MODULES "/" + file).c_str(),
                               RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const functions = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (functions == nullptr) return {nullptr, file + " cannot be loaded: " + dlerror()};
  return {functions, ""};
}

}  // namespace lapl
