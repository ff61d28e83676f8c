#include "io/durable/seal.hpp"

#include <cstring>
#include <new>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lapl {
namespace {

constexpr std::string_view magic = "LAPLSEAL";
constexpr std::uint64_t seal_version = 1;

void store_little_endian(std::byte* out, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) out[byte] = static_cast<std::byte>(value >> (8 * byte));
}

}  // namespace

struct SealMaker::State {
  XXH3_state_t hash;  // needs 64-byte alignment, which make_unique honours
  std::uint64_t length = 0;
};

SealMaker::SealMaker() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->hash);
  if (XXH3_128bits_reset(&state_->hash) != XXH_OK) throw std::bad_alloc();
}

SealMaker::SealMaker(SealMaker&&) noexcept = default;
SealMaker& SealMaker::operator=(SealMaker&&) noexcept = default;
SealMaker::~SealMaker() = default;

void SealMaker::add(std::span<const std::byte> bytes) {
  // The call fails only for a null pointer.
  static_cast<void>(XXH3_128bits_update(&state_->hash, bytes.data(), bytes.size()));
  state_->length += bytes.size();
}

std::vector<std::byte> SealMaker::progress() const {
  const auto bytes = std::as_bytes(std::span(state_.get(), 1));
  return {bytes.begin(), bytes.end()};
}

void SealMaker::go_on_from(std::span<const std::byte> progress) {
  // This pointer to XXH3's constants is valid in this process only, so it is not copied.
  const auto* const secret = state_->hash.extSecret;
  std::memcpy(state_.get(), progress.data(), sizeof(State));
  state_->hash.extSecret = secret;
}

SealBytes SealMaker::seal() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(&state_->hash);
  SealBytes bytes;
  std::memcpy(bytes.data(), magic.data(), magic.size());
  store_little_endian(&bytes[8], seal_version);
  store_little_endian(&bytes[16], state_->length);
  store_little_endian(&bytes[24], digest.low64);
  store_little_endian(&bytes[32], digest.high64);
  return bytes;
}

bool is_seal(std::span<const std::byte> bytes) {
  return bytes.size() == seal_size && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

std::uint64_t digest_in(const SealBytes& bytes) {
  std::uint64_t digest = 0;
  if (is_seal(bytes))
    for (int byte = 0; byte < 8; ++byte)
      digest |= std::to_integer<std::uint64_t>(bytes[24 + byte]) << (8 * byte);
  return digest;
}

}  // namespace lapl
