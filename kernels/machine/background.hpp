// Work beside the stepping.
#pragma once

#include <chrono>
#include <future>

namespace lapl {

/// Does `work` in a thread of its own, or at once where a limit on processes allows no more
/// threads; what it throws comes out of get().
template <class Work>
auto in_background(const Work& work) {
  // A copy: libstdc++ has moved away what it is handed before it finds that there is no thread.
  auto done = std::async(std::launch::async | std::launch::deferred, work);
  if (done.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) done.wait();
  return done;
}

}  // namespace lapl
