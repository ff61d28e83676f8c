#include "kernels/machine/module.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <filesystem>

namespace lapl {

Module load_module(const std::string& name, bool global) {
  std::error_code error;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {  // without /proc: the name that it was started by
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = std::filesystem::canonical(started, error);
  }
  const std::string file = "lib" + name + ".so";
  const auto missing = [&](const std::string& why) {
    return Module{nullptr, file + " cannot be loaded: " + why};
  };
  if (error) return missing("the program's folder is unknown");  // not from the current one
  void* const library = dlopen((program.parent_path() / LAPL_MODULES / file).c_str(),
                               RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const functions = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (functions == nullptr) return missing(dlerror());
  return {functions, ""};
}

}  // namespace lapl
