#include <zlib.h>

#include <string_view>

#include "io/images/movie.hpp"

namespace lapl {
namespace {

constexpr std::size_t signature_size = 8;

std::string big_endian(std::uint32_t number, int bytes = 4) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text.push_back(static_cast<char>(number >> shift & 255));
  return text;
}

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(text.at(at + i));
  return number;
}

}  // namespace

AnimatedPng::AnimatedPng(int frames, int frames_per_second)
    : frames_(frames), frames_per_second_(frames_per_second) {}

void AnimatedPng::chunk(const char* type, const std::string& data) {
  const std::string body = type + data;
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  bytes_ += big_endian(static_cast<std::uint32_t>(data.size())) + body +
            big_endian(static_cast<std::uint32_t>(sum));
}

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
    chunk("IHDR", header);
    chunk("acTL", big_endian(static_cast<std::uint32_t>(frames_)) + big_endian(0));
  }
  const std::string place = header.substr(0, 8) + big_endian(0) + big_endian(0);
  const std::string delay =
      big_endian(1, 2) + big_endian(static_cast<std::uint32_t>(frames_per_second_), 2);
  chunk("fcTL", big_endian(sequence_++) + place + delay + std::string(2, '\0'));
  if (added_ == 0)
    chunk("IDAT", compressed);
  else
    chunk("fdAT", big_endian(sequence_++) + compressed);
  ++added_;
}

std::string AnimatedPng::finished() {
  chunk("IEND", "");
  return std::move(bytes_);
}

}  // namespace lapl
