// Recognises files by their first bytes.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// Kinds of files that readers of their own read; other: HDF5, or what no reader knows.
enum class FileKind { other, npy, npz, tiff, netcdf3, text };

/// True for a file of HDF5 that begins with a block of text of 512 bytes, or of twice as many, and
/// so on.
bool is_hdf5_after_text(const std::filesystem::path& path);

/// The kind of a regular file; `other` for what cannot be read. text: no byte of its first 4 KiB is
/// 0, and none of them is another control character.
FileKind file_kind(const std::filesystem::path& path);

/// A description such as "a NumPy array (.npy)", with the line that converts the file if there is
/// one; empty for unknown or unreadable files.
std::string other_file_kind(const std::filesystem::path& path);

}  // namespace lapl
