// Writes files so that a crash loses no data: temporary name, checked writes, fsync, rename, fsync
// of the folder. A seal, a checksum of all bytes before it, follows the HDF5 file's bytes:
//
//   | HDF5 image, length bytes | "LAPLSEAL" | version | length | XXH3-128 low | high |
//                                 8 bytes      u64       u64       u64          u64 little-endian
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "io/durable/posix_file.hpp"
#include "io/durable/seal.hpp"

namespace lapl {

/// Atomically and durably replaces the file at `path` by one with `text`. Throws IoError.
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Receives the next bytes of a file.
using BlockWriter = std::function<void(std::span<const std::byte> bytes)>;

/// Does the same for a file that `make` writes block by block, in order. If `make` throws, the old
/// file stays. Throws IoError.
void write_in_blocks(const std::filesystem::path& path,
                     const std::function<void(const BlockWriter& write)>& make);

/// Calls `write_hdf5` with a scratch path, appends a seal to the file created there and puts it at
/// `path`, atomically and durably, without leftovers. Throws IoError. The scratch file is in memory
/// if `expected_bytes` are at most a quarter of the available memory, so that a full disk fails our
/// checked writes, not those of HDF5; larger files are temporary files in the folder of `path`.
void write_sealed(const std::filesystem::path& path, std::uint64_t expected_bytes,
                  const std::function<void(const std::filesystem::path& scratch)>& write_hdf5);

/// The seal for all bytes of an open file; `label` names it in messages. Throws IoError.
SealBytes seal_of_file(const PosixFile& file, const std::string& label);

/// Throws IoError if the file is unreadable, has no seal, or does not match its seal.
void verify_seal(const std::filesystem::path& path);

/// True if the file ends with a seal, matching or not. Throws IoError if it is unreadable.
bool has_seal(const std::filesystem::path& path);

/// The low half of the checksum in the file's seal, not verified; 0 if there is no seal. Throws
/// IoError if the file is unreadable.
std::uint64_t sealed_digest(const std::filesystem::path& path);

}  // namespace lapl
