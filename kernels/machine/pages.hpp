#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "kernels/machine/background.hpp"

namespace lapl {

/// Makes the operating system provide the pages of memory that was just allocated, on several
/// threads; else the first thread that writes there waits for them one by one. They have 2 MiB if
/// the system grants them. Does nothing for less than 16 MiB. Ignores failures, which come again
/// when the memory is written.
inline void make_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = 2 << 20;
  if (bytes < 8 * page) return;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (address + page - 1) / page, last = (address + bytes) / page;
  const auto advise = [](std::uintptr_t from, std::uintptr_t to, int advice) {
    static_cast<void>(::madvise(reinterpret_cast<void*>(from * page), (to - from) * page, advice));
  };
  advise(first, last, MADV_HUGEPAGE);
  in_pieces(static_cast<std::int64_t>(last - first), 4, [&](std::int64_t from, std::int64_t to) {
    advise(first + from, first + to, MADV_POPULATE_WRITE);
  });
}

}  // namespace lapl
