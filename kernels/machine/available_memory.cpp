#include "kernels/machine/available_memory.hpp"

#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "kernels/error.hpp"
#include "kernels/machine/size_text.hpp"

namespace lapl {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

/// The number in a control group's file. `unlimited` if the file has "max" or is missing, and for
/// numbers larger than any memory, which mean "no limit" in version 1.
std::uint64_t group_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number && number < std::uint64_t{1} << 60 ? number : unlimited;
}

/// The file cache of a control group, in bytes. It counts as used memory, but is freed on demand.
std::uint64_t group_cache(const std::filesystem::path& group, const std::string& prefix) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  std::uint64_t bytes = 0, cache = 0;
  while (file >> name >> bytes)
    if (name == prefix + "active_file" || name == prefix + "inactive_file") cache += bytes;
  return cache;
}

struct GroupFiles {
  const char* limit;
  const char* used;
  const char* prefix;  ///< prefix of entries in memory.stat that include the groups below
};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"};
constexpr GroupFiles version_2 = {"memory.max", "memory.current", ""};

/// The memory left by a control group and all groups above it, since batch systems set limits on
/// any level. In a container the group's own folder may be hidden; then the top folder, `root`, is
/// that of the container.
std::uint64_t memory_of_groups(const std::filesystem::path& root, const std::string& name,
                               const GroupFiles& files) {
  std::uint64_t least = unlimited;
  for (auto group = name == "/" ? root : root / name.substr(1);; group = group.parent_path()) {
    const std::uint64_t limit = group_number(group / files.limit);
    const std::uint64_t used = limit == unlimited ? limit : group_number(group / files.used);
    if (used != unlimited)
      least = std::min(
          least, limit - std::min(limit, used - std::min(used, group_cache(group, files.prefix))));
    if (group == root || !group.has_relative_path()) return least;
  }
}

}  // namespace

std::uint64_t group_memory(const std::filesystem::path& groups, const std::filesystem::path& root) {
  std::ifstream file(groups);
  std::uint64_t least = unlimited;
  for (std::string line; std::getline(file, line);) {  // NUMBER:CONTROLLERS:/GROUP
    const std::size_t first = line.find(':'), second = line.find(":/", first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string name = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, memory_of_groups(root, name, version_2));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, memory_of_groups(root / "memory", name, version_1));
  }
  return least;
}

std::uint64_t available_memory() {
  return std::min(machine_memory(), group_memory("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void throw_out_of_memory(std::uint64_t needed) {
  throw DeviceError(
      "out of host memory: a field needs {} more, about {} are available (lapl plan says what a "
      "run takes)",
      size_text(static_cast<double>(needed)), size_text(static_cast<double>(available_memory())));
}

void keep_freed_memory() {
#ifdef __GLIBC__
  // No block of its own for a large vector, and nothing given back from the end of the heap.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace lapl
