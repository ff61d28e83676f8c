// The cache of compiled code: what it returns, what it refuses, and processes that share it.
#include "kernels/machine/code_cache.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/kernels/fake_compiler.hpp"

using namespace lapl;
using namespace std::chrono_literals;
using test::EmptyCache;
using test::read_bytes;
using test::ScratchFolder;
using test::Variable;
using test::write_bytes;
namespace fs = std::filesystem;

namespace {

constexpr auto patience = std::chrono::hours(1);

void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

// The code of a key; empty if it must be compiled.
std::string cached(const std::string& key) {
  CachedCode code(key, patience);
  wait_for([&] { return code.settled(); });
  return code.code().value_or("");
}

void store(const std::string& key, const std::string& code) {
  CachedCode place(key, patience);
  wait_for([&] { return place.settled(); });
  place.store(code);
}

std::vector<fs::path> codes_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& path : fs::directory_iterator(folder / "lapl"))
    if (path.extension() == ".code") files.push_back(path);
  return files;
}

std::size_t file_bytes(const fs::path& path) { return fs::exists(path) ? fs::file_size(path) : 0; }

void add_byte(const fs::path& path) { std::ofstream(path, std::ios::app) << '.' << std::flush; }

// Starts a process that ends with the result of `body`.
pid_t start(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

int wait_for_end(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("code comes from the cache for the same key alone, byte for byte") {
  const EmptyCache cache;
  CHECK(cached("key") == "");
  std::string code(100'000, 'x');
  code[5000] = '\0';
  store("key", code);
  CHECK(cached("key") == code);
  for (const char* const other : {"", "ke", "key ", "Key"}) CHECK(cached(other) == "");
  store("key", "other");
  CHECK(cached("key") == "other");
  struct stat status {};
  REQUIRE(::stat((cache / "lapl").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  REQUIRE(codes_in(cache.path()).size() == 1);
  REQUIRE(::stat(codes_in(cache.path()).front().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a file of the cache that is damaged or another's is compiled again and replaced") {
  const EmptyCache cache;
  const std::string code = "machine code";
  store("key", code);
  const fs::path file = codes_in(cache.path()).front();
  const std::string whole = read_bytes(file);
  const auto refused = [&] {
    const std::string found = cached("key");
    store("key", code);
    return found.empty() && cached("key") == code && read_bytes(file) == whole;
  };
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file, whole.substr(0, length));
    REQUIRE(refused());
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_bytes(file, damaged);
    REQUIRE(refused());
  }
  write_bytes(file, whole + '\0');
  CHECK(refused());

  store("another key", "another code");
  for (const fs::path& other : codes_in(cache.path()))
    if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  CHECK(refused());

  for (const mode_t mode : {0620, 0602, 0666}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK(refused());
  }
  const fs::path elsewhere = cache / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  CHECK(refused());
  CHECK(read_bytes(elsewhere) == whole);
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(refused());
  if (::geteuid() == 0) {
    REQUIRE(::chown(file.c_str(), 1, 1) == 0);
    CHECK(refused());
  }
  // A folder is not replaced; the code is compiled each time.
  fs::remove(file);
  fs::create_directory(file);
  store("key", code);
  CHECK(cached("key") == "");
}

TEST_CASE("a folder that others could change is no cache") {
  const EmptyCache cache;
  const fs::path folder = cache / "lapl";
  store("key", "code");
  const auto is_unused = [&] {
    const bool missed = cached("key").empty();
    store("other", "code");
    return missed && codes_in(cache.path()).size() == 1;
  };
  for (const mode_t mode : {0720, 0702, 0777}) {
    REQUIRE(::chmod(folder.c_str(), mode) == 0);
    CHECK(is_unused());
  }
  REQUIRE(::chmod(folder.c_str(), 0700) == 0);
  if (::geteuid() == 0) {
    REQUIRE(::chown(folder.c_str(), 1, 1) == 0);
    CHECK(is_unused());
    REQUIRE(::chown(folder.c_str(), 0, 0) == 0);
  }
  CHECK(cached("key") == "code");
  fs::rename(folder, cache / "elsewhere");
  fs::create_directory_symlink(cache / "elsewhere", folder);
  CHECK(is_unused());
}

TEST_CASE("the cache is made in XDG_CACHE_HOME, else below HOME, else there is none") {
  const ScratchFolder home;
  const Variable no_cache("XDG_CACHE_HOME", "relative"), variable("HOME", home.path().string());
  store("key", "code");
  CHECK(codes_in(home / ".cache").size() == 1);
  for (const std::string end : {"", "/"}) {
    const Variable given("XDG_CACHE_HOME", (home / "given").string() + end);
    CHECK(cached("key") == (end.empty() ? "" : "code"));
    store("key", "code");
    CHECK(codes_in(home / "given").size() == 1);
  }
  for (const char* const nowhere : {"", "relative", "/proc/none", "/dev/null"}) {
    const Variable no_home("HOME", nowhere);
    store("key", "code");
    CHECK(cached("key") == "");
  }
  if (::geteuid() == 0) {  // nothing is made in another user's home
    const ScratchFolder other;
    REQUIRE(::chown(other.path().c_str(), 1, 1) == 0);
    const Variable of_other("HOME", other.path().string());
    store("key", "code");
    CHECK(other.entries() == 0);
  }
}

TEST_CASE("without the cache nothing is read or written") {
  const EmptyCache cache;
  store("key", "code");
  const auto before = fs::last_write_time(codes_in(cache.path()).front());
  use_code_cache(false);
  CHECK(cached("key") == "");
  store("other", "code");
  use_code_cache(true);
  CHECK(codes_in(cache.path()).size() == 1);
  CHECK(fs::last_write_time(codes_in(cache.path()).front()) == before);
  CHECK(cached("key") == "code");
}

TEST_CASE("a write that fails leaves no file, and no error") {
  const EmptyCache cache;
  store("key", "code");
  const std::string large(100'000, 'x');
  const pid_t child = start([&] {  // a limit on files' size stands for a full disk
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    store("large", large);
    return cached("large").empty() ? 0 : 1;
  });
  CHECK(wait_for_end(child) == 0);
  std::set<std::string> names;
  for (const fs::path& path : fs::directory_iterator(cache / "lapl"))
    names.insert(path.filename().string());
  CHECK(names == std::set<std::string>{"lock", codes_in(cache.path()).front().filename().string()});
  CHECK(cached("key") == "code");
}

TEST_CASE("one of several processes compiles a code, and the others wait for it") {
  const EmptyCache cache;
  const fs::path made = cache / "made", waiting = cache / "waiting";
  constexpr int count = 5;
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i)
    children.push_back(start([&] {
      CachedCode code("key", patience);
      if (!code.settled()) add_byte(waiting);
      wait_for([&] { return code.settled(); });
      if (code.code()) return code.code() == "code" ? 0 : 1;
      add_byte(made);
      wait_for([&] { return file_bytes(waiting) == count - 1; });
      if (cached("another key") != "") return 2;  // its process need not wait
      code.store("code");
      return 0;
    }));
  for (const pid_t child : children) CHECK(wait_for_end(child) == 0);
  CHECK(file_bytes(made) == 1);
}

TEST_CASE("nobody waits for a process that has died or failed, nor longer than its patience") {
  const EmptyCache cache;
  const fs::path compiling = cache / "compiling";
  const pid_t child = start([&]() -> int {
    CachedCode code("key", patience);
    wait_for([&] { return code.settled(); });
    add_byte(compiling);
    for (;;) ::pause();
  });
  wait_for([&] { return file_bytes(compiling) == 1; });
  CachedCode code("key", patience);
  CHECK_FALSE(code.settled());
  {
    CachedCode hasty("key", 0s);
    CHECK(hasty.settled());
    CHECK_FALSE(hasty.code());
  }
  CHECK_FALSE(code.settled());
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(code.settled());
  CHECK_FALSE(code.code());
  CachedCode same("key", patience);  // a process does not wait for itself
  CHECK(same.settled());
  CHECK_FALSE(same.code());
}

TEST_CASE("what was not used for the longest time is removed from a full cache") {
  const EmptyCache cache;
  const fs::path folder = cache / "lapl";
  using Time = fs::file_time_type;
  const auto add = [&](const std::string& name, std::uint64_t bytes, std::chrono::minutes age) {
    std::ofstream(folder / name) << "";
    fs::resize_file(folder / name, bytes);  // takes no room on the disk
    fs::last_write_time(folder / name, Time::clock::now() - age);
  };
  store("used", "code");
  const fs::path used = codes_in(cache.path()).front();
  fs::last_write_time(used, Time::clock::now() - std::chrono::hours(100));
  add("a.code", code_cache_bytes / 2, 90min);
  add("b.code", code_cache_bytes / 2, 80min);
  add("c.code", code_cache_bytes / 4, 70min);
  add("d.code", code_cache_bytes / 4 - 10'000, 60min);
  add(".leftover", 10, 61min);
  add(".at-work", 10, 50min);
  add("foreign", 2 * code_cache_bytes, 1000min);
  CHECK(cached("used") == "code");
  store("new", "code");
  for (const char* const name : {"a.code", ".leftover"}) CHECK_FALSE(fs::exists(folder / name));
  for (const char* const name : {"b.code", "c.code", "d.code", ".at-work", "foreign"})
    CHECK(fs::exists(folder / name));
  CHECK(cached("used") == "code");
  CHECK(cached("new") == "code");
}
