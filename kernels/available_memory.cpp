#include "kernels/available_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "kernels/error.hpp"
#include "kernels/size_text.hpp"

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

/// The number in a control group's file; `unlimited` where there is none ("max", or no file).
std::uint64_t group_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : unlimited;
}

/// The file cache of a control group, which counts as used but gives way.
std::uint64_t group_cache(const std::filesystem::path& group) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  std::uint64_t bytes = 0, cache = 0;
  while (file >> name >> bytes)
    if (name == "active_file" || name == "inactive_file") cache += bytes;
  return cache;
}

/// What the control groups (version 2) leave: batch systems set limits on any of the levels.
std::uint64_t group_memory() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::/")) continue;
  if (!line.starts_with("0::/")) return unlimited;
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::uint64_t least = unlimited;
  for (auto group = root / line.substr(4);; group = group.parent_path()) {
    const std::uint64_t limit = group_number(group / "memory.max");
    const std::uint64_t used = group_number(group / "memory.current");
    if (limit != unlimited && used != unlimited)
      least = std::min(least, limit - std::min(limit, used - std::min(used, group_cache(group))));
    if (group == root || !group.has_relative_path()) return least;
  }
}

}  // namespace

std::uint64_t available_memory() { return std::min(machine_memory(), group_memory()); }

void throw_out_of_memory(std::uint64_t needed) {
  throw DeviceError(
      "out of host memory: a field needs {} more, about {} are available (lapl plan says what a "
      "run takes)",
      size_text(static_cast<double>(needed)), size_text(static_cast<double>(available_memory())));
}

}  // namespace lapl
