// The content of a folder.
#pragma once

#include <dirent.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace lapl {

/// The paths in a folder; `error` is set if not all could be read. (GNU's directory_iterator would
/// end the process if memory ran out, and leave temporary files.)
inline std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder,
                                                   std::error_code& error) {
  std::vector<std::filesystem::path> paths;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  int problem = opened ? 0 : errno;
  while (opened) {
    errno = 0;
    const dirent* const entry = ::readdir(opened.get());
    problem = errno;
    if (entry == nullptr) break;
    if (const std::string_view name = entry->d_name; name != "." && name != "..")
      paths.push_back(folder / name);
  }
  error.assign(problem, std::generic_category());
  return paths;
}

}  // namespace lapl
