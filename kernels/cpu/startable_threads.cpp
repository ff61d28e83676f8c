#include "kernels/cpu/startable_threads.hpp"

#include <algorithm>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace lapl {

int startable_threads(int wanted) {
  // The threads must all exist at the same time, as in a team of OpenMP. They wait for a latch that
  // opens at the end of this scope, before they are joined, however the scope is left.
  struct OpenedLatch {
    std::latch latch{1};
    std::vector<std::jthread> started;
    ~OpenedLatch() { latch.count_down(); }
  } waiting;
  waiting.started.reserve(static_cast<std::size_t>(std::max(wanted - 1, 0)));
  try {
    while (static_cast<int>(waiting.started.size()) + 1 < wanted)
      waiting.started.emplace_back([&latch = waiting.latch] { latch.wait(); });
  } catch (const std::system_error&) {  // the limit is reached
  }
  return static_cast<int>(waiting.started.size()) + 1;
}

}  // namespace lapl
