#include "kernels/machine/program_on_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace lapl {

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> absolute_folders_of_path() {
  const char* path = std::getenv("PATH");
  std::istringstream all(path == nullptr ? "" : path);
  std::vector<std::string> folders;
  for (std::string folder; std::getline(all, folder, ':');)
    if (folder.starts_with('/')) folders.push_back(folder);
  return folders;
}

std::string program_in(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (std::string path = folder + "/" + name; is_program(path)) return path;
  return "";
}

}  // namespace lapl
