#include "app/signals.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace lapl {
namespace {

volatile std::sig_atomic_t received = 0;
std::atomic<bool> wants_checkpoint = false;
std::atomic<std::int64_t> first_at = 0;  // in nanoseconds of the monotonic clock
static_assert(decltype(first_at)::is_always_lock_free &&
                  decltype(wants_checkpoint)::is_always_lock_free,
              "used in a signal handler");

void on_signal(int signal) {
  if (signal == checkpoint_signal) {
    wants_checkpoint = true;
    return;
  }
  timespec clock{};
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = std::int64_t{clock.tv_sec} * 1'000'000'000 + clock.tv_nsec;
  std::int64_t first = 0;
  if (first_at.compare_exchange_strong(first, now))
    received = signal;
  else if (signal != SIGXCPU && now - first >= 1'000'000'000)
    _exit(128 + signal);
}

}  // namespace

void fail_without_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, exit codes of children are lost
  struct rlimit core {};
  if (getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    static_cast<void>(setrlimit(RLIMIT_CORE, &core) == 0);  // lowering the limit cannot fail
  }
}

sigset_t heeded_stop_signals() {
  sigset_t heeded;
  sigemptyset(&heeded);
  for (const int signal : stop_signals) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (signal != SIGHUP || now.sa_handler != SIG_IGN) sigaddset(&heeded, signal);
  }
  return heeded;
}

void catch_stop_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  const sigset_t heeded = heeded_stop_signals();
  for (const int signal : stop_signals)
    if (sigismember(&heeded, signal) == 1) sigaction(signal, &action, nullptr);
  sigaction(checkpoint_signal, &action, nullptr);
}

std::string name_of_signal(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

std::string stop_signal() { return received == 0 ? "" : name_of_signal(received); }

bool checkpoint_was_asked() { return wants_checkpoint.exchange(false); }

}  // namespace lapl
