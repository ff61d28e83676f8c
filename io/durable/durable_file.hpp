// Writing so that nothing is lost: temporary name, checked writes, fsync, rename, fsync of the
// folder; and the seal, a digest over every byte of a file, appended after the HDF5 image.
//
//   | HDF5 image, length bytes | "LAPLSEAL" | version | length | XXH3-128 low | high |
//                                 8 bytes      u64       u64       u64          u64 little-endian
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/durable/posix_file.hpp"
#include "io/durable/seal.hpp"

namespace lapl {

/// Replaces `path` by `text` atomically and durably. Throws IoError.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Takes the next bytes of a file.
using BlockWriter = std::function<void(std::span<const std::byte> bytes)>;

/// The same for a file that is handed over block by block, in order; where `make` throws, what was
/// at `path` stays. Throws IoError.
void write_in_blocks(const std::filesystem::path& path,
                     const std::function<void(const BlockWriter& write)>& make);

/// Has `write_hdf5` write an HDF5 file at a scratch path it is given, then puts the file at `path`
/// with a seal appended, atomically and durably. Leaves no temporary file behind. Throws IoError.
/// The scratch file is in memory while `expected_bytes` are at most a quarter of what is available,
/// so that a full disk meets checked code alone; beyond that it is a temporary file beside `path`.
void write_sealed(const std::filesystem::path& path, std::uint64_t expected_bytes,
                  const std::function<void(const std::filesystem::path& scratch)>& write_hdf5);

/// The seal of all bytes of an open file. Throws IoError.
SealBytes seal_of_file(const PosixFile& file, const std::string& label);

/// Throws IoError where the file is unreadable, has no seal, or differs from what was sealed.
void verify_seal(const std::filesystem::path& path);

/// Whether the file ends with a seal (whatever its digest). Throws IoError where it is unreadable.
bool has_seal(const std::filesystem::path& path);

/// The low half of the digest in the file's seal, which is not verified; 0 where there is none.
/// Throws IoError where it is unreadable.
std::uint64_t sealed_digest(const std::filesystem::path& path);

/// The bytes of a file, without its seal.
struct SealedImage {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
};

/// Reads a file into memory once and verifies that copy's seal. Throws IoError as verify_seal does.
SealedImage read_sealed(const std::filesystem::path& path);

}  // namespace lapl
