#include "io/durable/durable_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <span>
#include <vector>

#include "io/durable/posix_file.hpp"
#include "io/durable/seal.hpp"
#include "io/durable/temporary_file.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr std::size_t block_size = std::size_t{4} << 20;

/// Fills the buffer with the next bytes of `file`. Throws IoError if the file ends earlier.
void read_fully(const PosixFile& file, const std::string& label, std::span<std::byte> buffer) {
  if (file.read(buffer) < buffer.size())
    throw IoError(label + ": became shorter while it was read");
}

/// Passes the next `length` bytes of `file` to `use` in blocks. Throws IoError if the file ends
/// earlier.
template <class Use>
void for_each_block(const PosixFile& file, const std::string& label, std::uint64_t length,
                    Use use) {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(length, block_size));
  while (length > 0) {
    const auto block = std::span(buffer).first(std::min<std::uint64_t>(length, buffer.size()));
    read_fully(file, label, block);
    use(block);
    length -= block.size();
  }
}

/// The seal at the end of `file`, which has `size` bytes.
SealBytes read_seal(const PosixFile& file, const std::string& label, std::uint64_t size) {
  SealBytes seal{};
  if (size < seal_size)
    throw IoError(label + ": has no seal (only " + std::to_string(size) +
                  " bytes: truncated, or not a file of lapl)");
  file.seek(size - seal_size);
  read_fully(file, label, seal);
  if (!is_seal(seal)) throw IoError(label + ": has no seal (truncated, or not a file of lapl)");
  return seal;
}

}  // namespace

void replace_file(const std::filesystem::path& path, std::string_view text) {
  write_in_blocks(path, [&](const BlockWriter& write) { write(std::as_bytes(std::span(text))); });
}

void write_in_blocks(const std::filesystem::path& path,
                     const std::function<void(const BlockWriter& write)>& make) {
  TemporaryFile temporary(path);
  PosixFile file = temporary.open(O_WRONLY | O_CREAT | O_EXCL);
  make([&](std::span<const std::byte> bytes) { file.write(bytes); });
  temporary.commit(file);
}

void write_sealed(const std::filesystem::path& path, std::uint64_t expected_bytes,
                  const std::function<void(const std::filesystem::path& scratch)>& write_hdf5) {
  const std::string label = path.string();
  TemporaryFile temporary(path);
  const auto memory = write_scratch(temporary.path(), label, expected_bytes, write_hdf5);
  // HDF5 has closed its file; from now on this descriptor protects the temporary file.
  PosixFile file = temporary.open(memory ? O_WRONLY | O_CREAT | O_EXCL : O_RDWR);
  const PosixFile& written = memory ? *memory : file;
  SealMaker maker;
  for_each_block(written, label, written.size(), [&](std::span<const std::byte> bytes) {
    maker.add(bytes);
    if (memory) file.write(bytes);
  });
  file.write(maker.seal());
  temporary.commit(file);
}

SealBytes seal_of_file(const PosixFile& file, const std::string& label) {
  file.seek(0);
  SealMaker maker;
  for_each_block(file, label, file.size(),
                 [&](std::span<const std::byte> bytes) { maker.add(bytes); });
  return maker.seal();
}

void verify_seal(const std::filesystem::path& path) {
  const std::string label = path.string();
  const PosixFile file(path, O_RDONLY, label);
  const std::uint64_t size = file.size();
  const SealBytes stored = read_seal(file, label, size);
  file.seek(0);
  SealMaker maker;
  for_each_block(file, label, size - seal_size,
                 [&](std::span<const std::byte> bytes) { maker.add(bytes); });
  if (stored != maker.seal())
    throw IoError(label + ": the bytes differ from what was sealed (the file is damaged)");
}

namespace {

SealBytes last_bytes(const std::filesystem::path& path) {
  const PosixFile file(path, O_RDONLY, path.string());
  const std::uint64_t size = file.size();
  SealBytes bytes{};
  if (size < seal_size) return bytes;
  file.seek(size - seal_size);
  static_cast<void>(file.read(bytes));
  return bytes;
}

}  // namespace

bool has_seal(const std::filesystem::path& path) { return is_seal(last_bytes(path)); }

std::uint64_t sealed_digest(const std::filesystem::path& path) {
  return digest_in(last_bytes(path));
}

}  // namespace lapl
