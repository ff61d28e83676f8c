#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace lapl {

/// Runs `work` in a thread of its own, or at once if a limit on processes allows no thread. get()
/// of the returned future rethrows an exception of `work`.
template <class Work>
auto in_background(const Work& work) {
  // Passes a copy, because libstdc++ moves the argument away before it finds that no thread can
  // start.
  auto done = std::async(std::launch::async | std::launch::deferred, work);
  if (done.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) done.wait();
  return done;
}

/// Calls work(first, last) for ranges that cover [0, count), each of at least `least` elements, on
/// at most four threads. Returns once all are done; rethrows one of their exceptions.
template <class Work>
void in_pieces(std::int64_t count, std::int64_t least, const Work& work) {
  // static, because hardware_concurrency() reads a file of the kernel
  static const std::int64_t most =
      std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 4);
  const std::int64_t pieces = std::clamp<std::int64_t>(count / least, 1, most);
  std::vector<std::future<void>> others;
  for (std::int64_t piece = 1; piece < pieces; ++piece)
    others.push_back(in_background([&work, first = count * piece / pieces,
                                    last = count * (piece + 1) / pieces] { work(first, last); }));
  work(std::int64_t{0}, count / pieces);
  for (std::future<void>& other : others) other.get();
}

}  // namespace lapl
