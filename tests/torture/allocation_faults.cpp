//
// A library for LD_PRELOAD that makes memory run out. Environment:
//   LAPL_FAIL_ALLOCATION=N      the Nth allocation fails
//   LAPL_FAIL_FOREVER=1         so does every later one
//   LAPL_FAIL_OWN=1             only allocations of the program and of C++'s new count and fail
//   LAPL_ALLOCATION_COUNT=FILE  file that receives the number of counted allocations at exit
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The C library's own functions, under the names that it keeps for such libraries.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<long> counted = 0;
long fail_at = 0;
bool forever = false;
bool armed = false;  // from main on, since programs cannot handle failures before it

// The code of the program and of the C++ library; without it all allocations count.
struct Range {
  std::uintptr_t begin, end;
};
Range own[16];
int own_count = 0;

int take_library(dl_phdr_info* library, std::size_t, void*) {
  const bool is_own =
      library->dlpi_name[0] == '\0' || std::strstr(library->dlpi_name, "libstdc++") != nullptr;
  for (int i = 0; is_own && i < library->dlpi_phnum && own_count < 16; ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    own[own_count++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

bool is_counted(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  for (int i = 0; i < own_count; ++i)
    if (address >= own[i].begin && address < own[i].end) return true;
  return own_count == 0;
}

[[gnu::constructor]] void read_environment() {
  const auto number = [](const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  };
  if (number("LAPL_FAIL_OWN") != 0) dl_iterate_phdr(take_library, nullptr);
  forever = number("LAPL_FAIL_FOREVER") != 0;
  fail_at = number("LAPL_FAIL_ALLOCATION");
}

[[gnu::destructor]] void write_count() {
  const char* path = std::getenv("LAPL_ALLOCATION_COUNT");
  if (path == nullptr) return;
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%ld\n", counted.load());
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, text, static_cast<std::size_t>(length)) != length) _exit(99);
}

bool fails(const void* caller) {
  if (!armed || !is_counted(caller)) return false;
  const long number = ++counted;
  if (fail_at == 0 || !(forever ? number >= fail_at : number == fail_at)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

#define LAPL_CALLER __builtin_return_address(0)

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int armed_main(int count, char** arguments, char** environment) {
  armed = true;
  return real_main(count, arguments, environment);
}

extern "C" {

// The C library calls this with the program's main.
int __libc_start_main(Main* main, int count, char** arguments, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  const auto next =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(armed_main, count, arguments, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t size) { return fails(LAPL_CALLER) ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) {
  return fails(LAPL_CALLER) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  return size != 0 && fails(LAPL_CALLER) ? nullptr : __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return fails(LAPL_CALLER) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(LAPL_CALLER) ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = fails(LAPL_CALLER) ? nullptr : __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
