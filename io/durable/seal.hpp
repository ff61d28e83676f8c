// The seal at the end of a file: how it is made and taken apart. docs/format.md gives its layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lapl {

inline constexpr std::size_t seal_size = 40;
using SealBytes = std::array<std::byte, seal_size>;

/// Takes the bytes of a file in order and makes their seal.
class SealMaker {
 public:
  SealMaker();
  SealMaker(SealMaker&&) noexcept;
  SealMaker& operator=(SealMaker&&) noexcept;
  ~SealMaker();

  void add(std::span<const std::byte> bytes);
  SealBytes seal() const;

  /// What another SealMaker of this program, in whatever process, needs to go on from here; and
  /// going on from there.
  std::vector<std::byte> progress() const;
  void go_on_from(std::span<const std::byte> progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether these bytes start as every seal does, of whatever version.
bool is_seal(std::span<const std::byte> bytes);

/// The low half of the digest in a seal; 0 where it is none.
std::uint64_t digest_in(const SealBytes& bytes);

}  // namespace lapl
