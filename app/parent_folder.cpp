#include "app/parent_folder.hpp"

namespace lapl {

namespace fs = std::filesystem;

fs::path nearest_existing(fs::path path) {
  while (!fs::exists(path)) path = path.parent_path();
  return path;
}

fs::path parent_of(const std::string& run_folder) {
  fs::path path = fs::absolute(run_folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // the path ended with a slash
  return nearest_existing(path.parent_path());
}

}  // namespace lapl
