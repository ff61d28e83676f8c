// A library for LD_PRELOAD that makes memory run out. Environment:
//   LAPL_FAIL_ALLOCATION=N      the Nth allocation fails
//   LAPL_FAIL_FOREVER=1         so does every later one
//   LAPL_FAIL_OWN=1             only allocations of the program and of C++'s new count and fail
//   LAPL_ALLOCATION_COUNT=FILE  file that receives the number of counted allocations at exit
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The C library's own functions, under the names reserved for libraries that replace malloc.
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
bool armed = false;  // set when main starts, because programs cannot handle earlier failures

// A range of code; `own`: of the program and the C++ library; if empty, all allocations count.
struct Range {
  std::uintptr_t begin, end;
  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
};
Range own[16];
int own_count = 0;
Range hdf5 = {};  // in the program, if it is linked with the static HDF5

// Sets `hdf5` to the range from the first to the last of HDF5's functions in the program.
void find_hdf5(std::uintptr_t loaded_at) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
  void* const map = size <= 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (map == MAP_FAILED) _exit(99);
  const char* const bytes = static_cast<const char*>(map);
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(bytes);
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const names = bytes + sections[sections[i].sh_link].sh_offset;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
      const auto& symbol = symbols[k];
      const bool is_code = (symbol.st_info & 15) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (!is_code || std::strncmp(names + symbol.st_name, "H5", 2) != 0) continue;
      const std::uintptr_t begin = loaded_at + symbol.st_value, end = begin + symbol.st_size;
      hdf5 = {hdf5.begin == 0 ? begin : std::min(hdf5.begin, begin), std::max(hdf5.end, end)};
    }
  }
  munmap(map, size);
  close(file);
}

int take_library(dl_phdr_info* library, std::size_t, void*) {
  const bool is_own =
      library->dlpi_name[0] == '\0' || std::strstr(library->dlpi_name, "libstdc++") != nullptr;
  if (library->dlpi_name[0] == '\0') find_hdf5(library->dlpi_addr);
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
    if (own[i].has(address)) return !hdf5.has(address);
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

// The C library's start code calls this with the program's main.
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
