// The inner loops of all usable instruction sets.
#pragma once

#include <vector>

#include "kernels/cpu/instruction_set.hpp"

namespace lapl::test {

/// The loops for each instruction set that this processor supports.
template <class Loops>
std::vector<const Loops*> usable_loops() {
  std::vector<const Loops*> found = {&Compiled<Loops, baseline>::loops};
#ifdef LAPL_X86_64  // compiled for all of them (kernels/CMakeLists.txt)
  if (has_avx2()) found.push_back(&Compiled<Loops, avx2>::loops);
  if (has_avx512()) found.push_back(&Compiled<Loops, avx512>::loops);
#endif
  return found;
}

}  // namespace lapl::test
