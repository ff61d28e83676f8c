#include "kernels/machine/load_module.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <filesystem>

namespace lapl {

LoadedModule load_module(const std::string& name, bool global) {
  std::error_code error;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {  // without /proc, which the loader needs to find $ORIGIN, too
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = std::filesystem::canonical(started, error);
  }
  const std::string file = "lib" + name + ".so";
  // A relative path would be relative to the current folder.
  if (error) return {nullptr, file + ": the program's folder is unknown"};
  void* const library = dlopen((program.parent_path() / LAPL_MODULES / file).c_str(),
                               RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const table = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (table == nullptr) return {nullptr, dlerror()};
  return {table, ""};
}

}  // namespace lapl
