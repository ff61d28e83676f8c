// Inner loops are compiled once for each instruction set (kernels/CMakeLists.txt) and chosen at run
// time for the processor. All give the same bits: only the vector width differs.
#pragma once

namespace lapl {

struct baseline {};
struct avx2 {};    ///< x86-64-v3
struct avx512 {};  ///< x86-64-v4

/// A table of loops as compiled for one instruction set. The files compiled for each of them define
/// `loops` for LAPL_INSTRUCTION_SET.
template <class Loops, class InstructionSet>
struct Compiled {
  static const Loops loops;
};

/// The table for the widest instruction set of this processor.
template <class Loops>
const Loops& widest() {
#ifdef LAPL_X86_64
  if (__builtin_cpu_supports("x86-64-v4")) return Compiled<Loops, avx512>::loops;
  if (__builtin_cpu_supports("x86-64-v3")) return Compiled<Loops, avx2>::loops;
#endif
  return Compiled<Loops, baseline>::loops;
}

}  // namespace lapl
