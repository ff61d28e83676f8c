// Passes the input of a fuzz target to lapl in a file.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace lapl::fuzz {

inline std::string_view input_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Writes the input to one file per process and returns its path.
inline const std::filesystem::path& file_with(std::string_view bytes) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lapl-fuzz-" + std::to_string(getpid()));
  static const bool removed_at_exit = std::atexit([] { std::filesystem::remove(path); }) == 0;
  static_cast<void>(removed_at_exit);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace lapl::fuzz
