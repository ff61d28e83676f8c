// Wall-clock time; setting the system's clock does not change it.
#pragma once

#include <chrono>

namespace lapl {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// When this process began. A forked process that runs a member of a sweep sets it anew.
inline Clock::time_point process_began = Clock::now();

}  // namespace lapl
