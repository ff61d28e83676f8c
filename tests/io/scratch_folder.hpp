// Helpers for tests of files: a folder that removes itself, whole files as bytes, expected errors.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/scratch_root.hpp"

namespace lapl::test {

/// An empty folder; the destructor removes it with all its content.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (scratch_root() / "lapl-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  /// Number of files and folders in it, including hidden ones.
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ostringstream bytes;  // iterators of streams take seconds for a large file under sanitizers
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The message of the Error that `use` throws; the test fails if it throws none or another one.
template <class Error, class Use>
std::string thrown_message(Use use) {
  try {
    use();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    FAIL_CHECK("another type of exception: ", error.what());
    return {};
  }
  FAIL_CHECK("no exception");
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace lapl::test
