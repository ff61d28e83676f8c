// Recognises files of other programs by their first bytes.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// A description such as "a NumPy array (.npy)", with a short way to convert the file if there is
/// one; empty for unknown or unreadable files.
std::string other_file_kind(const std::filesystem::path& path);

}  // namespace lapl
