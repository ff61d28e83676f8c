#include <string_view>

#include "io/images/big_endian.hpp"
#include "io/images/movie.hpp"
#include "io/images/picture_texts.hpp"

namespace lapl {
namespace {

constexpr std::size_t signature_size = 8;

}  // namespace

AnimatedPng::AnimatedPng(int frames, int frames_per_second)
    : frames_(frames), frames_per_second_(frames_per_second) {}

void AnimatedPng::add(const std::string& png) {
  // Each chunk of the file: length of its data, type, data, checksum.
  std::string header, compressed;
  for (std::size_t at = signature_size; at + 12 <= png.size();) {
    const std::size_t length = number_at(png, at);
    const std::string_view type = std::string_view(png).substr(at + 4, 4);
    if (type == "IHDR") header = png.substr(at + 8, length);
    if (type == "IDAT") compressed += png.substr(at + 8, length);
    at += 12 + length;
  }
  if (added_ == 0) {
    bytes_ = png.substr(0, signature_size);
    bytes_ += png_chunk("IHDR", header);
    bytes_ += png_chunk("acTL", big_endian(static_cast<std::uint32_t>(frames_)) + big_endian(0));
  }
  const std::string place = header.substr(0, 8) + big_endian(0) + big_endian(0);
  const std::string delay =
      big_endian(1, 2) + big_endian(static_cast<std::uint32_t>(frames_per_second_), 2);
  bytes_ += png_chunk("fcTL", big_endian(sequence_++) + place + delay + std::string(2, '\0'));
  if (added_ == 0)
    bytes_ += png_chunk("IDAT", compressed);
  else
    bytes_ += png_chunk("fdAT", big_endian(sequence_++) + compressed);
  ++added_;
}

std::string AnimatedPng::finished() {
  bytes_ += png_chunk("IEND", "");
  return std::move(bytes_);
}

}  // namespace lapl
