#include "kernels/cpu/startable_threads.hpp"

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace lapl {

int startable_threads(int wanted) {
  // The threads must all exist at the same time, as in a team of OpenMP.
  std::latch done(1);
  std::vector<std::jthread> started;
  try {
    while (static_cast<int>(started.size()) + 1 < wanted)
      started.emplace_back([&done] { done.wait(); });
  } catch (const std::system_error&) {  // the limit is reached
  }
  done.count_down();
  return static_cast<int>(started.size()) + 1;
}

}  // namespace lapl
