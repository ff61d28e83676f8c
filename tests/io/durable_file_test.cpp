#include "io/durable/durable_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <limits>

#include "io/durable/posix_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {
namespace {

constexpr std::uint64_t in_memory = 0;
constexpr std::uint64_t on_disk = std::numeric_limits<std::uint64_t>::max();

std::string sample(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + i / 251);
  return text;
}

void seal(const std::filesystem::path& path, const std::string& bytes,
          std::uint64_t expected_bytes = in_memory) {
  write_sealed(path, expected_bytes,
               [&](const std::filesystem::path& scratch) { write_bytes(scratch, bytes); });
}

/// Limits all files of this process to `bytes` from now on, as a full disk would.
void limit_file_size(std::size_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
}

/// Runs `use` in a child process; returns 0 if it throws an IoError with `path` and the reason.
template <class Use>
int in_child(const std::filesystem::path& path, Use use) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int status = 1;
    try {
      use();
    } catch (const IoError& error) {
      const bool named = contains(error.what(), path.string() + ": cannot ") &&
                         contains(error.what(), "File too large");
      status = named ? 0 : 2;
    } catch (...) {
      status = 4;
    }
    ::_exit(status);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("replace_file puts the text in place and leaves nothing else") {
  const ScratchFolder folder;
  const auto path = folder / "run.json";
  replace_file(path, "one");
  replace_file(path, "two, longer");
  replace_file(path, "");
  CHECK(read_bytes(path).empty());
  const std::string large = sample(9'000'001);
  replace_file(path, large);
  CHECK(read_bytes(path) == large);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a sealed file is what was written plus a seal, made in memory or on disk") {
  const ScratchFolder folder;
  for (const std::uint64_t expected : {in_memory, on_disk})
    for (const std::size_t size : {0, 1, 39, 40, 4096, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1}) {
      CAPTURE(size);
      const auto path = folder / "file";
      const std::string bytes = sample(size);
      seal(path, bytes, expected);
      CHECK(read_bytes(path).substr(0, size) == bytes);
      CHECK(std::filesystem::file_size(path) == size + 40);
      CHECK(has_seal(path));
      CHECK_NOTHROW(verify_seal(path));
      CHECK(folder.entries() == 1);
    }
}

TEST_CASE("the seal is the documented one") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  seal(path, "abc");
  // XXH3-128 of "abc" is 06b05ab6733a6185 78af5f94892f3950 (xxhsum -H2).
  const std::string expected(
      "abcLAPLSEAL"
      "\x01\0\0\0\0\0\0\0"
      "\x03\0\0\0\0\0\0\0"
      "\x50\x39\x2f\x89\x94\x5f\xaf\x78"
      "\x85\x61\x3a\x73\xb6\x5a\xb0\x06",
      43);
  CHECK(read_bytes(path) == expected);
}

TEST_CASE("a seal finds a change of any byte and a cut at any length") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  seal(path, sample(300));
  const std::string good = read_bytes(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    CAPTURE(i);
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    write_bytes(path, bad);
    CHECK_THROWS_AS(verify_seal(path), IoError);
    write_bytes(path, good.substr(0, i));
    CHECK_THROWS_AS(verify_seal(path), IoError);
  }
  write_bytes(path, good + "x");
  CHECK_THROWS_AS(verify_seal(path), IoError);
  write_bytes(path, "x" + good);
  CHECK_THROWS_AS(verify_seal(path), IoError);
}

TEST_CASE("messages of unreadable files name the file and the reason") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  const auto message = [&] { return thrown_message<IoError>([&] { verify_seal(path); }); };
  CHECK(message() == path.string() + ": cannot open: No such file or directory");
  write_bytes(path, "short");
  CHECK(contains(message(), path.string() + ": has no seal (only 5 bytes"));
  write_bytes(path, sample(100));
  CHECK(contains(message(), "has no seal"));
  CHECK_FALSE(has_seal(path));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(contains(message(), "is not a regular file"));
  CHECK(contains(thrown_message<IoError>([&] { replace_file(folder / "none/file", "text"); }),
                 "none/file: cannot create: No such file or directory"));
}

TEST_CASE("a writer that fails leaves the old file and no other") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  for (const std::uint64_t expected : {in_memory, on_disk}) {
    seal(path, "old");
    const std::string old = read_bytes(path);
    const auto fail = [&](const std::filesystem::path& scratch) {
      write_bytes(scratch, "half");
      throw IoError("the reason");
    };
    CHECK(thrown_message<IoError>([&] { write_sealed(path, expected, fail); }) == "the reason");
    CHECK(read_bytes(path) == old);
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("a full disk leaves the old file and no other") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  seal(path, "old");
  const std::string old = read_bytes(path);
  const std::string large = sample(3'000'000);
  SUBCASE("replace_file") {
    CHECK(in_child(path, [&] {
            limit_file_size(1'000'000);
            replace_file(path, large);
          }) == 0);
  }
  SUBCASE("block by block") {
    CHECK(in_child(path, [&] {
            limit_file_size(1'000'000);
            write_in_blocks(path, [&](const BlockWriter& write) {
              for (int i = 0; i < 4; ++i) write(std::as_bytes(std::span(large).first(300'000)));
            });
          }) == 0);
  }
  // The limit starts late, because a full disk does not limit the file in memory.
  SUBCASE("sealed, from memory") {
    CHECK(in_child(path, [&] {
            write_sealed(path, in_memory, [&](const std::filesystem::path& scratch) {
              write_bytes(scratch, large);
              limit_file_size(1'000'000);
            });
          }) == 0);
  }
  SUBCASE("sealed, in place: no room for the last byte of the seal") {
    CHECK(in_child(path, [&] {
            write_sealed(path, on_disk, [&](const std::filesystem::path& scratch) {
              write_bytes(scratch, large);
              limit_file_size(large.size() + 39);
            });
          }) == 0);
  }
  // HDF5 meets the limit only when it closes the file, which must not be touched again.
  SUBCASE("sealed, in place: HDF5 itself meets the full disk") {
    CHECK(in_child(path, [&] {
            limit_file_size(1'000'000);
            write_sealed(path, on_disk, [&](const std::filesystem::path& scratch) {
              naming_file(path, [&] {
                const Hdf5Session session;
                Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
                for (int i = 0; i < 5000; ++i) create_hdf5_group(file, std::to_string(i));
                file.close("close the HDF5 file");
              });
            });
          }) == 0);
  }
  CHECK(read_bytes(path) == old);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a temporary file of an earlier process with the same number is no obstacle") {
  const ScratchFolder folder;
  const auto path = folder / "file";
  write_bytes(folder / (".file.tmp-" + std::to_string(::getpid())), "left behind");
  seal(path, "new");
  CHECK_NOTHROW(verify_seal(path));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a killed process's temporary file is removed, a living one's is kept") {
  const ScratchFolder folder;
  for (const char* name : {".file.tmp-1", ".file.tmp-2", ".file.tmp-x y", ".other.tmp-3"})
    write_bytes(folder / name, "half");
  std::filesystem::create_symlink(folder / ".other.tmp-3", folder / ".file.tmp-4");
  const PosixFile writing(folder / ".file.tmp-2", O_RDWR, "file");
  writing.protect();
  replace_file(folder / "file", "whole");
  CHECK(read_bytes(folder / "file") == "whole");
  CHECK_FALSE(std::filesystem::exists(folder / ".file.tmp-1"));
  for (const char* name : {".file.tmp-2", ".file.tmp-4", ".file.tmp-x y", ".other.tmp-3"})
    CHECK(read_bytes(folder / name) == "half");
}

TEST_CASE("a file may have the longest name that there is") {
  const ScratchFolder folder;
  const std::string longest(255, 'n'), other = longest.substr(1) + 'o';
  write_bytes(folder / ("." + longest.substr(0, 239) + ".tmp-1"), "another one's");
  for (int i = 0; i < 2; ++i) {  // the second time, the file already exists
    replace_file(folder / longest, "text");
    seal(folder / other, "sealed");
  }
  CHECK(read_bytes(folder / longest) == "text");
  CHECK_NOTHROW(verify_seal(folder / other));
  CHECK(folder.entries() == 3);
}

}  // namespace lapl::test
