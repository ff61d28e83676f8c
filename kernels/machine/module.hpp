// Libraries of ours that are loaded where they are first needed, each for one that is not ours and
// brings many more to every start: MPI, cairo, FFTW.
#pragma once

#include <string>

namespace lapl {

struct Module {
  const void* functions = nullptr;  ///< the module's variable that has its name
  std::string missing;              ///< why there are none
};

/// Loads lib`name`.so, from beside the program's folder. What is `global` serves as symbols for
/// what is loaded later.
Module load_module(const std::string& name, bool global = false);

}  // namespace lapl
