// Parts of the program that depend on many libraries (MPI, cairo) are separate libraries. They are
// loaded when they are first needed, so that other starts of the program are fast.
#pragma once

#include <string>

namespace lapl {

struct LoadedModule {
  const void* table = nullptr;  ///< the library's functions; null if it could not be loaded
  std::string missing;          ///< the loader's message if it could not be loaded
};

/// Loads lib<name>.so from the program's folder of modules, and finds its table, the symbol <name>.
/// With `global`, libraries that are loaded later see its symbols and its dependencies'.
LoadedModule load_module(const std::string& name, bool global);

}  // namespace lapl
