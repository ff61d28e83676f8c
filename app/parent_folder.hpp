// Where a run folder is, or will be.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// `path`, or the nearest folder above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path);

/// The folder that a run folder is in, or would be made in: the nearest that exists.
std::filesystem::path parent_of(const std::string& run_folder);

}  // namespace lapl
