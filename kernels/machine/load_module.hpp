// Parts of the program that bring many libraries (MPI, cairo) are libraries of its own, loaded when
// they are first needed, so that every other start is fast.
#pragma once

#include <string>

namespace lapl {

struct LoadedModule {
  const void* table = nullptr;  ///< its functions; null where it could not be loaded
  std::string missing;          ///< why, in the loader's words
};

/// Loads lib<name>.so from the program's folder of modules, and finds its table, the symbol <name>.
/// `global`: libraries that are loaded later see the symbols of those that it brings.
LoadedModule load_module(const std::string& name, bool global);

}  // namespace lapl
