#include "kernels/cpu/startable_threads.hpp"

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace lapl {

int startable_threads(int wanted) {
  // All at the same time, as a team of OpenMP is.
  std::latch done(1);
  std::vector<std::jthread> started;
  try {
    while (static_cast<int>(started.size()) + 1 < wanted)
      started.emplace_back([&done] { done.wait(); });
  } catch (const std::system_error&) {  // so many, then
  }
  done.count_down();
  return static_cast<int>(started.size()) + 1;
}

}  // namespace lapl
