// Compiled code kept on disk: libraries of the machine's compiler, and machine code of NVRTC. A
// process reads code that any process of this user has compiled before. If several processes need
// the same code at the same time, one compiles it and the others wait.
//
//   CachedCode cached(key);
//   while (!cached.settled()) do_something_else();
//   std::string code = cached.code() ? *cached.code() : compile();
//   if (!cached.code()) cached.store(code);
//
// The folder is lapl in $XDG_CACHE_HOME or ~/.cache. Its code is executed, so the folder must
// belong to this user, and nobody else may write to it or to its files; no link is followed. A file
// has its whole key and a seal (a checksum), and both are checked on the bytes that are then used.
// If a check fails, the code is compiled again. Without such a folder, on a full disk and on one
// that can only be read, there is no cache, and no error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/machine/private_files.hpp"

namespace lapl {

/// If `use` is false, this process neither reads nor writes the cache from now on. It does at
/// first.
void use_code_cache(bool use);

/// From now on, if there is no cache or it is off, codes are kept in this open folder, which must
/// be this user's alone. The caller removes the folder.
void keep_codes_in(int folder);

/// From now on, if code is no longer needed while it is being compiled, its compilation may still
/// take up to a second to end: other processes, such as members of a sweep, will ask for the code.
void finish_compilations();
bool finishes_compilations();

/// The most bytes that all files in the cache may have together. If they have more, those that were
/// not used for the longest time are removed.
inline constexpr std::uint64_t code_cache_bytes = std::uint64_t{256} << 20;

/// How long a process waits for another one that compiles the same code.
inline constexpr std::chrono::seconds code_cache_patience{5};

/// The place of one code in the cache.
class CachedCode {
 public:
  /// `key` is everything that determines the code. Reads the code, if the cache has it.
  explicit CachedCode(std::string key, std::chrono::milliseconds patience = code_cache_patience);
  CachedCode(const CachedCode&) = delete;
  CachedCode& operator=(const CachedCode&) = delete;
  /// Lets other processes that wait for this code go on.
  ~CachedCode();

  /// False if there is no cache: store() would do nothing.
  bool is_usable() const { return folder_.get() >= 0; }
  /// False while another process compiles this code, for at most `patience`; a process that has
  /// died does not count. Returns at once.
  bool settled();
  /// The code from the cache; none if this process has to compile it. Call it only once settled().
  const std::optional<std::string>& code() const { return code_; }

  /// Writes the code that this process has compiled. Ignores failures.
  void store(std::string_view code) const;

 private:
  std::optional<std::string> stored() const;
  bool others_compile();

  std::string key_, name_;
  std::chrono::steady_clock::time_point wait_until_;
  Descriptor folder_, lock_;
  std::optional<std::string> code_;
  bool settled_ = false, compiling_ = false;
};

}  // namespace lapl
