#include "kernels/machine/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "kernels/error.hpp"
#include "kernels/machine/leftovers.hpp"

namespace lapl {

namespace fs = std::filesystem;

fs::path folder_of_temporaries() {
  const char* const given = std::getenv("TMPDIR");
  std::error_code error;
  fs::path folder =
      given != nullptr && *given == '\0' ? fs::path("/tmp") : fs::temp_directory_path(error);
  if (!error) folder = fs::absolute(folder, error);
  if (error) throw IoError("TMPDIR: no folder for temporary files: {}", error.message());
  return folder;
}

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& name, bool keep)
    : keep_(keep) {
  const std::string start = ".lapl-" + name + "-";
  remove_leftovers(parent, start);
  for (;;) {  // repeats if another process removes the folder before it is locked
    std::string path = (parent / ((keep ? name + "-" : start) + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr)
      throw IoError("{}: no temporary folder can be made there: {}", parent.string(),
                    std::strerror(errno));
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENOENT) continue;
    if (descriptor_ < 0) throw IoError("{}: cannot open: {}", path, std::strerror(errno));
    while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
    path_ = std::move(path);
    if (::access(path_.c_str(), F_OK) == 0) return;
    ::close(descriptor_);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a folder that cannot be removed must not hide the result
  if (!keep_) fs::remove_all(path_, ignored);
  ::close(descriptor_);
}

}  // namespace lapl
