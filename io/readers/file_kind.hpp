// What a file is that is none of ours, by its first bytes.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// "a NumPy array (.npy)" and the like, and how to make something else of it where there is a short
/// way; empty for what is not known, or cannot be read.
std::string other_file_kind(const std::filesystem::path& path);

}  // namespace lapl
