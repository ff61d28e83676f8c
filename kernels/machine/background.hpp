#pragma once

#include <chrono>
#include <future>

namespace lapl {

/// Runs `work` in a thread of its own, or at once if a limit on processes allows no thread. get()
/// of the future rethrows its exception.
template <class Work>
auto in_background(const Work& work) {
  // Passes a copy, because libstdc++ moves its argument away before it finds that no thread can
  // start.
  auto done = std::async(std::launch::async | std::launch::deferred, work);
  if (done.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) done.wait();
  return done;
}

}  // namespace lapl
