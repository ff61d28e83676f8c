// lapl: solves PDEs on regular grids. Prepares the process (streams, stack, memory, signals), then
// calls run_program. To read the program, start with commands/run_command.cpp.
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

// Prints a message without allocating memory; returns the exit code.
int fail_without_memory() {
  returned = true;
  std::fputs("lapl: error: out of host memory\n", stderr);
  return lapl::exit_device;
}

std::atomic<bool> memory_ran_out = false;

// The new-handler: operator new calls it where an allocation fails.
[[noreturn]] void note_no_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

// std::bad_alloc calls terminate where no exception may pass: out of a thread of OpenMP, a
// destructor (that of nlohmann::json allocates) or a directory_iterator. memory_ran_out tells that
// this was the reason.
[[noreturn]] void terminate() {
  if (memory_ran_out) lapl::end_all_ranks(fail_without_memory());
  std::abort();
}

// Opens /dev/null for each standard stream that is closed. Otherwise the next file that is opened
// would get its number, and printed text would go into that file.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) _exit(lapl::exit_io);
}

// The number of threads of other programs that run or wait for a core; 0 if it is not known.
long others_that_run() {
  std::FILE* const file = std::fopen("/proc/loadavg", "re");
  if (file == nullptr) return 0;
  long running = 1;  // this thread too
  if (std::fscanf(file, "%*s %*s %*s %ld/", &running) != 1) running = 1;
  std::fclose(file);
  return running - 1;
}

// By default a waiting thread of GNU's OpenMP spins for some milliseconds. On a busy machine it
// takes this time from the thread that it waits for. Here threads spin for a fraction of a
// millisecond, or sleep at once if other programs use half of the cores. OpenMP reads
// GOMP_SPINCOUNT in a constructor that runs after this one (cmake/dependencies.cmake).
__attribute__((constructor(101))) void let_threads_spin_shortly() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  const bool is_busy = 2 * others_that_run() >= sysconf(_SC_NPROCESSORS_ONLN);
  setenv("GOMP_SPINCOUNT", is_busy ? "0" : "10000", 0);
}

// malloc reserves 64 MiB of addresses for the heap of each thread. If a limit on addresses forbids
// that, each allocation of the thread takes a whole page, and lapl cannot predict whether memory
// suffices for a library; HDF5 1.10 crashes if not. So under a limit all threads share one heap.
void share_heap_under_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
}

// Bytes of stack: several times what recursive functions need for formulas of the largest depth. If
// this thread's stack cannot have this size, the program runs on another thread.
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
  sigset_t all;  // blocked here, so that the new thread gets the signals
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &call.signals);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, least_stack);
  if (pthread_create(&thread, &attributes, run_on_thread, &call) != 0)
    std::exit(lapl::exit_device);  // on_exit prints the reason
  pthread_join(thread, nullptr);
  if (call.without_memory) throw std::bad_alloc();
  return call.code;
}

// Runs at every exit. If main has not returned, a thread could not be started: OpenMP then ends the
// process by itself.
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
  lapl::end_all_ranks(fail_without_memory());  // outside of the command, or for an error message
}
