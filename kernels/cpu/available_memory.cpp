#include "kernels/cpu/available_memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

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
      least = std::min(least, limit > used ? limit - used : 0);
    if (group == root || !group.has_relative_path()) return least;
  }
}

}  // namespace

std::uint64_t available_memory() { return std::min(machine_memory(), group_memory()); }

}  // namespace lapl
