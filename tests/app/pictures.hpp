// Pictures that lapl plot draws.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/images/big_endian.hpp"
#include "tests/app/program.hpp"

namespace lapl::test {

/// The bytes of a file; of a PNG without texts, which have the command that drew it.
inline std::string drawing(const fs::path& path) {
  std::string bytes = file_text(path);
  if (!bytes.starts_with("\x89PNG")) return bytes;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::size_t size = 12 + number_at(bytes, at);
    if (bytes.compare(at + 4, 4, "iTXt") == 0)
      bytes.erase(at, size);
    else
      at += size;
  }
  return bytes;
}

/// Width and height.
using Size = std::array<std::uint32_t, 2>;
inline Size png_size(const fs::path& path) {
  const std::string bytes = file_text(path);
  REQUIRE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
  return {number_at(bytes, 16), number_at(bytes, 20)};
}

/// The drawing of lapl plot out with these options, whose picture stays as p.png.
inline std::string drawn(const std::vector<std::string>& options) {
  std::vector<std::string> command = {"plot", "out", "-o", "p.png"};
  command.insert(command.end(), options.begin(), options.end());
  const Outcome outcome = run_lapl(command);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  return drawing("p.png");
}

}  // namespace lapl::test
