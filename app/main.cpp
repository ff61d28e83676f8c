// lapl: solves PDEs on regular grids. Gets the process ready for what program.hpp does. Start
// reading at run_command.cpp.
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "app/exit_code.hpp"
#include "app/program.hpp"
#include "app/signals.hpp"
#include "kernels/ranks/ranks.hpp"

namespace {

std::atomic<bool> returned = false;

// Prints without allocating memory.
int fail_without_memory() {
  returned = true;
  std::fputs("lapl: error: out of host memory\n", stderr);
  return lapl::exit_device;
}

std::atomic<bool> memory_ran_out = false;

// operator new calls this before it fails.
[[noreturn]] void note_no_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

// Memory can run out where no exception may pass: in a thread of OpenMP, in a destructor (those of
// nlohmann::json allocate), in a directory_iterator. This handler cannot tell which.
[[noreturn]] void terminate() {
  if (memory_ran_out) lapl::end_all_ranks(fail_without_memory());
  std::abort();
}

// A file that is opened must not get the number of a standard stream that is closed: what is
// printed would go into it.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) _exit(lapl::exit_io);
}

// How many threads of other programs run or wait for a core of this machine; 0 if it is not known.
long others_that_run() {
  std::FILE* const file = std::fopen("/proc/loadavg", "re");
  if (file == nullptr) return 0;
  long running = 1;  // this thread too
  if (std::fscanf(file, "%*s %*s %*s %ld/", &running) != 1) running = 1;
  std::fclose(file);
  return running - 1;
}

// Threads of OpenMP that wait for others spin, by GNU's presets for some milliseconds: on a busy
// machine that is time taken from the very thread that they wait for. They spin for a fraction of a
// millisecond, and where half of the cores have other work already, they sleep at once. The runtime
// reads how long from the environment in a constructor, which comes after this one
// (cmake/dependencies.cmake).
__attribute__((constructor(101))) void let_threads_spin_shortly() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  const bool is_busy = 2 * others_that_run() >= sysconf(_SC_NPROCESSORS_ONLN);
  setenv("GOMP_SPINCOUNT", is_busy ? "0" : "10000", 0);
}

// The heap of a thread reserves 64 MiB of addresses. If a limit prevents that, every allocation of
// the thread needs a page, however small. Checks of free memory before a library starts are then
// wrong, and HDF5 1.10 crashes if memory runs out. So under a limit all threads share one heap.
void share_heap_under_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
}

// The stack that formulas of the largest depth need, several times over: functions that call
// themselves go that deep. Where the stack is limited to less, a thread gets one of its own.
constexpr rlim_t least_stack = rlim_t{8} << 20;

bool has_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least_stack) return true;
  limit.rlim_cur = std::min(limit.rlim_max, least_stack);
  return limit.rlim_cur == least_stack && setrlimit(RLIMIT_STACK, &limit) == 0;
}

struct Call {
  int argc;
  char** argv;
  sigset_t signals;
  int code;
  bool without_memory;
};

void* run_on_thread(void* call_of_main) {
  Call& call = *static_cast<Call*>(call_of_main);
  pthread_sigmask(SIG_SETMASK, &call.signals, nullptr);
  try {
    call.code = lapl::run_program(call.argc, call.argv);
  } catch (const std::bad_alloc&) {
    call.without_memory = true;
  }
  return nullptr;
}

int run_with_stack(int argc, char** argv) {
  if (has_stack()) return lapl::run_program(argc, argv);
  Call call{argc, argv, {}, lapl::exit_device, false};
  pthread_attr_t attributes;
  pthread_t thread{};
  sigset_t all;  // signals are for the thread that waits for them
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &call.signals);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, least_stack);
  if (pthread_create(&thread, &attributes, run_on_thread, &call) != 0)
    std::exit(lapl::exit_device);  // on_exit says why
  pthread_join(thread, nullptr);
  if (call.without_memory) throw std::bad_alloc();
  return call.code;
}

// OpenMP ends the process by itself where it cannot start a thread.
void on_exit() {
  if (returned) return;
  std::fflush(stdout);
  std::fputs("lapl: error: a thread could not be started (a limit on processes?)\n", stderr);
  lapl::end_all_ranks(lapl::exit_device);
}

}  // namespace

int main(int argc, char** argv) try {
  open_closed_streams();
  share_heap_under_limit();
  std::set_new_handler(note_no_memory);
  std::set_terminate(terminate);
  lapl::fail_without_signals();
  std::atexit(on_exit);
  const int code = run_with_stack(argc, argv);
  returned = true;
  return code;
} catch (const std::bad_alloc&) {
  std::fflush(stdout);
  lapl::end_all_ranks(fail_without_memory());  // before the action, or in saying what went wrong
}
