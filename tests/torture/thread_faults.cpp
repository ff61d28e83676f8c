// A library for LD_PRELOAD that makes pthread_create fail with EAGAIN, as under a limit on
// processes (which does not apply to root).
//
//   LAPL_FAIL_THREAD     N: the Nth thread of a process cannot be started
//   LAPL_FAIL_FOREVER    1: later threads cannot be started either
//   LAPL_FAIL_RANK       the only rank in which threads fail
//   LAPL_THREAD_COUNT    file that receives the number of requested threads when the process ends
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> asked_for = 0;

long number_in(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atol(value);
}

bool is_meant() {
  const char* const meant = std::getenv("LAPL_FAIL_RANK");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  return meant == nullptr || (rank != nullptr && std::strcmp(meant, rank) == 0);
}

struct Count {
  ~Count() {
    const char* path = std::getenv("LAPL_THREAD_COUNT");
    std::FILE* file = path == nullptr || !is_meant() ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%ld\n", asked_for.load());
    std::fclose(file);
  }
} count;

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
  static const long fails = is_meant() ? number_in("LAPL_FAIL_THREAD") : 0;
  static const bool forever = number_in("LAPL_FAIL_FOREVER") != 0;
  const long number = ++asked_for;
  if (fails > 0 && (number == fails || (forever && number > fails))) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  void* const symbol = ::dlsym(RTLD_NEXT, "pthread_create");
  Create real;
  std::memcpy(&real, &symbol, sizeof real);
  return real(thread, attributes, run, argument);
}
