// Inner loops are compiled once for each instruction set (kernels/CMakeLists.txt); the processor
// decides at run time which version is used. All versions give the same bits, because only the
// width of vectors differs.
#pragma once

namespace lapl {

struct baseline {};
struct avx2 {};    ///< x86-64-v3
struct avx512 {};  ///< x86-64-v4

/// A table of loops compiled for one instruction set. Each file that is compiled for several sets
/// defines `loops` for LAPL_INSTRUCTION_SET.
template <class Loops, class InstructionSet>
struct Compiled {
  static const Loops loops;
};

#ifdef __x86_64__
// Tests the features that on all existing processors mean x86-64-v3 and v4; Clang before 18 lacks
// __builtin_cpu_supports("x86-64-v3").
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

/// The loops compiled for the widest instruction set that this processor supports.
template <class Loops>
const Loops& widest() {
#ifdef LAPL_X86_64
  if (has_avx512()) return Compiled<Loops, avx512>::loops;
  if (has_avx2()) return Compiled<Loops, avx2>::loops;
#endif
  return Compiled<Loops, baseline>::loops;
}

}  // namespace lapl
