#include "kernels/machine/leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "kernels/machine/paths_in.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

bool is_own_folder(const struct stat& status) {
  return S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

bool is_file(const struct stat& status) { return S_ISREG(status.st_mode); }

void remove_unless_locked(const fs::path& path, bool (*right_kind)(const struct stat&)) {
  // With O_NONBLOCK, opening a pipe does not wait for a writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  std::error_code ignored;
  if (::fstat(file, &status) == 0 && right_kind(status) && ::flock(file, LOCK_EX | LOCK_NB) == 0)
    fs::remove_all(path, ignored);
  ::close(file);
}

bool is_leftover(const std::string& name, const std::string& start) {
  return name.starts_with(start) && name.size() > start.size() &&
         std::ranges::all_of(name.substr(start.size()),
                             [](unsigned char c) { return std::isalnum(c) != 0; });
}

std::vector<std::string> hidden_names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::path& path : paths_in(folder.empty() ? "." : folder, error))
    if (std::string name = path.filename().string(); name.starts_with('.'))
      names.push_back(std::move(name));
  return names;
}

// The name itself; if it is too long, its beginning and a hash.
std::string short_name(const std::string& name) {
  // the longest name of a file, less the bytes of ".", ".tmp-" and a process number
  constexpr std::size_t longest = 255 - 16;
  if (name.size() <= longest) return name;
  const std::string number = std::to_string(std::hash<std::string>()(name));
  return name.substr(0, longest - number.size()) + number;
}

}  // namespace

void remove_leftovers(const fs::path& folder, const std::string& start) {
  for (const std::string& name : hidden_names_in(folder))
    if (is_leftover(name, start)) remove_unless_locked(folder / name, is_own_folder);
}

fs::path temporary_beside(const fs::path& target) {
  // A process searches for leftovers in each folder only once, even if it writes many files there.
  static std::mutex mutex;
  static std::map<fs::path, std::vector<std::string>> hidden;
  const fs::path folder = target.parent_path();
  const std::string start = "." + short_name(target.filename().string()) + ".tmp-";
  const std::lock_guard lock(mutex);
  const auto [at, first] = hidden.try_emplace(folder);
  if (first) at->second = hidden_names_in(folder);
  std::erase_if(at->second, [&](const std::string& name) {
    if (!is_leftover(name, start)) return false;
    remove_unless_locked(folder / name, is_file);
    return true;
  });
  return folder / (start + std::to_string(::getpid()));
}

void remove_openmp_name() {
  ::unlink(fmt::format("/dev/shm/__KMP_REGISTERED_LIB_{}_{}", ::getpid(), ::getuid()).c_str());
}

}  // namespace lapl
