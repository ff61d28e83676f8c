#include "kernels/cpu/compiler/library_check.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace lapl {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);

constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char own_order =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr int own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int own_machine = EM_AARCH64;
#else
// on other processors only the loader checks the architecture
constexpr int own_machine = EM_NONE;
#endif

// The value at offset `at`; none if the file is too short.
template <class T>
std::optional<T> value_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

bool is_within(std::uint64_t start, std::uint64_t size, std::uint64_t low, std::uint64_t room) {
  return start >= low && start - low <= room && size <= room - (start - low);
}

}  // namespace

std::string library_fault(std::string_view bytes) {
  const auto header = value_at<Header>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "no library";
  if (header->e_ident[EI_CLASS] != own_class || header->e_ident[EI_DATA] != own_order ||
      (own_machine != EM_NONE && header->e_machine != own_machine) || header->e_type != ET_DYN ||
      header->e_phentsize != sizeof(Segment))
    return "no shared library of this machine";

  std::vector<Segment> loaded;
  std::optional<Segment> dynamic;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = value_at<Segment>(bytes, header->e_phoff + i * sizeof(Segment));
    if (!segment || !is_within(segment->p_offset, segment->p_filesz, 0, bytes.size()))
      return "cut short";
    if (segment->p_type == PT_LOAD) loaded.push_back(*segment);
    if (segment->p_type == PT_DYNAMIC) dynamic = segment;
  }
  const auto is_loaded = [&](std::uint64_t address) {
    return std::ranges::any_of(loaded, [&](const Segment& segment) {
      return is_within(address, 1, segment.p_vaddr, segment.p_filesz);
    });
  };
  if (!dynamic) return "no shared library";
  int names = 0, symbols = 0, tables = 0;
  for (std::uint64_t at = 0; at < dynamic->p_filesz; at += sizeof(Entry)) {
    const auto entry = value_at<Entry>(bytes, dynamic->p_offset + at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_STRTAB) names += is_loaded(entry->d_un.d_ptr) ? 1 : 0;
    if (entry->d_tag == DT_SYMTAB) symbols += is_loaded(entry->d_un.d_ptr) ? 1 : 0;
    if (entry->d_tag == DT_HASH || entry->d_tag == DT_GNU_HASH)
      tables += is_loaded(entry->d_un.d_ptr) ? 1 : 0;
  }
  return names > 0 && symbols > 0 && tables > 0 ? "" : "without a table of its functions";
}

}  // namespace lapl
