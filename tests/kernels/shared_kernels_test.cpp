// CUDA kernels shared between processes. Threads replace the processes; this works because each
// call locks the file anew.
#include "kernels/machine/shared_kernels.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace lapl;
using namespace std::chrono_literals;

TEST_CASE(
    "one of several processes compiles a kernel that all want, and other kernels need not wait") {
  const int file = open_shared_kernels();
  REQUIRE(file >= 0);
  std::atomic<int> made = 0, wrong = 0;
  std::atomic<bool> other_is_there = false;
  std::vector<std::thread> members;
  for (int member = 0; member < 6; ++member)
    members.emplace_back([&, member] {
      const bool other = member == 5;
      const std::string code = shared_kernel(file, other ? "text, other" : "text", [&] {
        ++made;
        if (other) other_is_there = true;
        while (!other_is_there) std::this_thread::sleep_for(1ms);
        return std::string(other ? "B" : "A");
      });
      if (code != (other ? "B" : "A")) ++wrong;
    });
  for (std::thread& member : members) member.join();
  CHECK(made == 2);
  CHECK(wrong == 0);
  const auto not_made = [] { return std::string("made"); };
  CHECK(shared_kernel(file, "text", not_made) == "A");
  CHECK(shared_kernel(file, "text, other", not_made) == "B");
  CHECK(shared_kernel(file, "tex", not_made) == "made");
  ::close(file);
}

TEST_CASE("nobody waits for a process that died or failed while compiling, or uses its code") {
  const int file = open_shared_kernels();
  const pid_t child = ::fork();
  if (child == 0) shared_kernel(file, "text", []() -> std::string { ::_exit(7); });
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(shared_kernel(file, "text", [] { return std::string(); }).empty());
  CHECK(shared_kernel(file, "text", [] { return std::string("A"); }) == "A");
  CHECK(shared_kernel(file, "text", [] { return std::string("B"); }) == "A");
  ::close(file);
}

TEST_CASE("without a file each process compiles for itself") {
  for (const char* const code : {"A", "B"})
    CHECK(shared_kernel(-1, "text", [&] { return std::string(code); }) == code);
}
