#include "app/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "kernels/error.hpp"

namespace lapl {

namespace fs = std::filesystem;

fs::path nearest_existing(fs::path path) {
  while (!fs::exists(path)) path = path.parent_path();
  return path;
}

fs::path parent_of(const std::string& run_folder) {
  fs::path path = fs::absolute(run_folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // it ended with a slash
  return nearest_existing(path.parent_path());
}

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& prefix, bool keep)
    : keep_(keep) {
  std::string name = (parent / (prefix + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw IoError(fmt::format("{}: no temporary folder can be made there: {}", parent.string(),
                              std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed must not hide the result
  if (!keep_) fs::remove_all(path_, ignored);
}

}  // namespace lapl
