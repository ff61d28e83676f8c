// Background work if threads can be started and if they cannot.
#include "kernels/machine/background.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <string>
#include <utility>

namespace {

// Makes the start of any thread fail: no address space is large enough for its stack.
class NoThreads {
 public:
  NoThreads() {
    REQUIRE(pthread_getattr_default_np(&before_) == 0);
    pthread_attr_t endless;
    REQUIRE(pthread_getattr_default_np(&endless) == 0);
    REQUIRE(pthread_attr_setstacksize(&endless, std::size_t{1} << 50) == 0);
    REQUIRE(pthread_setattr_default_np(&endless) == 0);
    pthread_attr_destroy(&endless);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace

TEST_CASE("work for which no thread can be started is done at once") {
  const std::string given = "longer than what fits into a string itself";
  const auto start = [&] {
    return lapl::in_background([text = given] { return std::pair(text, pthread_self()); });
  };
  CHECK(start().get().first == given);
  const NoThreads no_threads;
  auto done = start();
  CHECK(done.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  const auto [text, thread] = done.get();
  CHECK(text == given);
  CHECK(pthread_equal(thread, pthread_self()) != 0);
}
