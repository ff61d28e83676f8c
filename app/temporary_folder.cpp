#include "app/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "io/durable/leftovers.hpp"
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

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& name, bool keep)
    : keep_(keep) {
  const std::string start = fmt::format(".lapl-{}-", name);
  remove_leftovers(parent, start);
  do {  // again where another process removes it before it is held
    std::string path = (parent / ((keep ? name + "-" : start) + "XXXXXX")).string();
    if (mkdtemp(path.data()) == nullptr)
      throw IoError("{}: no temporary folder can be made there: {}", parent.string(),
                    std::strerror(errno));
    path_ = path;
    held_.emplace(path_, O_RDONLY | O_DIRECTORY, path);
    held_->hold();
  } while (!fs::exists(path_));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed must not hide the result
  if (!keep_) fs::remove_all(path_, ignored);
}

}  // namespace lapl
