// Numbers in PNG files, the highest byte first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lapl {

inline std::string big_endian(std::uint32_t number, int bytes = 4) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text.push_back(static_cast<char>(number >> shift & 255));
  return text;
}

inline std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(text.at(at + i));
  return number;
}

}  // namespace lapl
