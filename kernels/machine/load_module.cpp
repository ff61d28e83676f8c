#include "kernels/machine/load_module.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <filesystem>

namespace lapl {
namespace {

// The folder of the program. Python's module lapl.Simulation lies beside it.
std::filesystem::path program_folder(std::error_code& error) {
  Dl_info found;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&load_module), &found, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) != 0 &&
      *map->l_name != '\0')  // this code is in a library
    return std::filesystem::canonical(map->l_name, error).parent_path() / "bin";
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {  // without /proc, which the loader needs to find $ORIGIN, too
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = std::filesystem::canonical(started, error);
  }
  return program.parent_path();
}

}  // namespace

LoadedModule load_module(const std::string& name, bool global) {
  std::error_code error;
  const auto folder = program_folder(error);
  const std::string file = "lib" + name + ".so";
  // A relative path would be relative to the current folder.
  if (error) return {nullptr, file + ": the program's folder is unknown"};
  void* const library = dlopen((folder / LAPL_MODULES / file).c_str(),
                               RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const table = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (table == nullptr) return {nullptr, dlerror()};
  return {table, ""};
}

}  // namespace lapl
