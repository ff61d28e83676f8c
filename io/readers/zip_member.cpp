#include "io/readers/zip_member.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "kernels/error.hpp"

namespace lapl {
namespace {

/// The largest compression ratio of deflate.
constexpr std::uint64_t deflate_ratio = 1032;

struct Member {
  std::uint64_t method = 0, crc = 0, packed = 0, size = 0, header = 0;
};

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path)
      : name(path.string()), bytes(file_bytes(path)) {}

  [[noreturn]] void refuse(const std::string& what) const { throw IoError("{}: {}", name, what); }

  std::string text(std::uint64_t first, std::uint64_t count) const {
    if (first > bytes.size || count > bytes.size - first) refuse("is cut short");
    std::string text(count, '\0');
    bytes.read(first, std::as_writable_bytes(std::span(text)));
    return text;
  }

  std::string name;
  ByteSource bytes;
};

std::uint64_t number(std::string_view text, std::size_t at, int size) {
  std::uint64_t value = 0;
  while (size-- > 0) value = value << 8 | static_cast<unsigned char>(text.at(at + size));
  return value;
}

// Finds the member in the archive's directory, which its end record points to.
Member find_member(const Archive& archive, const std::string& wanted, const std::string& ending) {
  constexpr std::uint64_t end_size = 22, longest_end = end_size + 0xffff;
  const std::uint64_t tail = std::min(archive.bytes.size, longest_end);
  const std::string last = archive.text(archive.bytes.size - tail, tail);
  const auto end = last.rfind("PK\x05\x06");
  if (end == std::string::npos || last.size() - end < end_size)
    archive.refuse("is a zip archive without its end: it is truncated");
  const std::string directory = archive.text(number(last, end + 16, 4), number(last, end + 12, 4));
  std::vector<std::string> names;
  for (std::size_t at = 0; directory.size() - at >= 46;) {
    const std::size_t length = number(directory, at + 28, 2);
    std::string member = directory.substr(at + 46, length);
    if (member == wanted + ending) {
      if ((number(directory, at + 8, 2) & 1) != 0) archive.refuse(member + " is encrypted");
      return {number(directory, at + 10, 2), number(directory, at + 16, 4),
              number(directory, at + 20, 4), number(directory, at + 24, 4),
              number(directory, at + 42, 4)};
    }
    if (member.ends_with(ending)) names.push_back(member.substr(0, member.size() - ending.size()));
    at += 46 + length + number(directory, at + 30, 2) + number(directory, at + 32, 2);
    if (at > directory.size()) break;
  }
  archive.refuse(fmt::format("no array {}; the file holds {} (dataset: names one)", wanted,
                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

// Sizes are below 4 GiB, as zlib's counts are.
std::string inflated(const Archive& archive, const Member& member, std::uint64_t first) {
  std::string packed = archive.text(first, member.packed);
  if (member.method == 0) return packed;
  std::string bytes(member.size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) archive.refuse("cannot set up zlib");
  inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (stream.avail_out > 0) archive.refuse("its array is damaged");
  return bytes;
}

}  // namespace

ByteSource zip_member(const std::filesystem::path& path, const std::string& name,
                      const std::string& ending) {
  const Archive archive(path);
  const Member member = find_member(archive, name, ending);
  constexpr std::uint64_t in_zip64 = 0xffffffff;
  if (member.size == in_zip64 || member.packed == in_zip64 || member.header == in_zip64)
    archive.refuse("an array of 4 GiB and more is not read (numpy.save writes it as .npy)");
  if (member.method != 0 && member.method != 8)
    archive.refuse(
        fmt::format("is packed by method {} (expected stored or deflated: "
                    "numpy.savez, numpy.savez_compressed)",
                    member.method));
  const std::string local = archive.text(member.header, 30);
  const std::uint64_t first = member.header + 30 + number(local, 26, 2) + number(local, 28, 2);
  if (!local.starts_with("PK\x03\x04") || first > archive.bytes.size ||
      member.packed > archive.bytes.size - first ||
      member.size > (member.method == 0 ? member.packed : member.packed * deflate_ratio) ||
      (member.method == 0 && member.size != member.packed))
    archive.refuse("its zip directory is damaged");
  const auto bytes = std::make_shared<std::string>(inflated(archive, member, first));
  if (crc32_z(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes->data()), bytes->size()) !=
      member.crc)
    archive.refuse("its array is damaged (its checksum differs)");
  return held_bytes(bytes);
}

}  // namespace lapl
