// The folder that contains, or will contain, a run folder.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// `path`, or the nearest folder above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path);

/// The nearest existing folder above a run folder, which need not exist.
std::filesystem::path parent_of(const std::string& run_folder);

}  // namespace lapl
