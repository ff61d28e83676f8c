// Memory limits set by control groups of both versions, on each level.
#include "kernels/machine/available_memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "tests/io/scratch_folder.hpp"

using namespace lapl;

namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

struct Groups : test::ScratchFolder {
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((*this / name).parent_path());
    std::ofstream(*this / name) << text;
  }
  std::uint64_t memory(const std::string& groups) const {
    write("cgroup", groups);
    return group_memory(*this / "cgroup", path());
  }
};

}  // namespace

TEST_CASE("memory limits of control groups are seen on every level") {
  const Groups groups;
  CHECK(groups.memory("") == none);
  CHECK(groups.memory("0::/a/b\n") == none);

  SUBCASE("version 2") {
    groups.write("a/b/memory.max", "max\n");
    groups.write("a/b/memory.current", "600\n");
    groups.write("a/memory.max", "1000\n");
    groups.write("a/memory.current", "700\n");
    CHECK(groups.memory("0::/a/b\n") == 300);
    groups.write("a/memory.stat", "anon 500\nactive_file 40\ninactive_file 10\n");
    CHECK(groups.memory("1:cpu:/\n0::/a/b\n") == 350);
    CHECK(groups.memory("0::/other\n") == none);
  }
  SUBCASE("version 1") {
    groups.write("memory/a/memory.limit_in_bytes", "1000\n");
    groups.write("memory/a/memory.usage_in_bytes", "900\n");
    groups.write("memory/a/memory.stat",
                 "active_file 7\ntotal_active_file 30\ntotal_inactive_file 20\n");
    groups.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
    groups.write("memory/memory.usage_in_bytes", "5000\n");
    CHECK(groups.memory("4:cpu,cpuacct:/a\n3:memory:/a/b\n0::/a\n") == 150);
    CHECK(groups.memory("3:cpuset,memory:/a\n") == 150);
    CHECK(groups.memory("3:hugetlb:/a\n") == none);
  }
  SUBCASE("version 1, in a container that sees its own group as the root") {
    groups.write("memory/memory.limit_in_bytes", "1000\n");
    groups.write("memory/memory.usage_in_bytes", "1200\n");
    CHECK(groups.memory("3:memory:/docker/0123\n") == 0);
  }
}
