// Computes and reads the seal at the end of a file; docs/format.md gives its layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lapl {

/// Bytes of a seal.
inline constexpr std::size_t seal_size = 40;
using SealBytes = std::array<std::byte, seal_size>;

/// Computes the seal of a file from its bytes, given in order.
class SealMaker {
 public:
  SealMaker();
  SealMaker(SealMaker&&) noexcept;
  SealMaker& operator=(SealMaker&&) noexcept;
  ~SealMaker();

  void add(std::span<const std::byte> bytes);
  SealBytes seal() const;

  /// The state from which another SealMaker of this program, in any process, can continue.
  std::vector<std::byte> progress() const;
  void go_on_from(std::span<const std::byte> progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True if the bytes begin like a seal of any version.
bool is_seal(std::span<const std::byte> bytes);

/// The low half of the checksum in a seal; 0 if the bytes are not a seal.
std::uint64_t digest_in(const SealBytes& bytes);

}  // namespace lapl
