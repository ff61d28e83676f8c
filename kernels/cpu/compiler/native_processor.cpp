#include "kernels/cpu/compiler/native_processor.hpp"

#include <fmt/format.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <array>
#include <utility>
#else
#include <sys/auxv.h>

#include <fstream>
#endif

namespace lapl {

#if defined(__x86_64__) || defined(__i386__)

std::string native_processor() {
  // Leaves and subleaves of CPUID: maker and model, features, register states, and the name.
  constexpr auto leaves = std::to_array<std::pair<unsigned, unsigned>>({{0, 0},
                                                                        {1, 0},
                                                                        {7, 0},
                                                                        {7, 1},
                                                                        {7, 2},
                                                                        {0xd, 1},
                                                                        {0x14, 0},
                                                                        {0x19, 0},
                                                                        {0x24, 0},
                                                                        {0x80000001, 0},
                                                                        {0x80000002, 0},
                                                                        {0x80000003, 0},
                                                                        {0x80000004, 0},
                                                                        {0x80000008, 0}});
  std::string text;
  for (const auto& [leaf, part] : leaves) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, part, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0;           // the number of this core
    if (leaf == 0xd) b = 0;         // the size of the register states that this thread has used
    if (leaf == 0x80000008) c = 0;  // the number of cores
    text += fmt::format("{:x}.{}:{:x},{:x},{:x},{:x} ", leaf, part, a, b, c, d);
    constexpr unsigned system_saves_states = 1U << 27;
    if (leaf != 1 || (c & system_saves_states) == 0) continue;
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    text += fmt::format("states:{:x},{:x} ", low, high);
  }
  return text;
}

#else

std::string native_processor() {
  std::string text = fmt::format("{:x},{:x} ", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
  std::ifstream info("/proc/cpuinfo");  // only the first core's lines: which others run may change
  for (std::string line; std::getline(info, line) && !line.empty();)
    if (line.find("MHz") == std::string::npos) text += line + '\n';
  return text;
}

#endif

}  // namespace lapl
