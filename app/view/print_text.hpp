// Prints text. Control characters in paths, names and files are replaced, so that they never reach
// the terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "io/config/config_text.hpp"

namespace lapl {

/// Writes bytes unchanged, for text from this program alone. Ignores errors; run_program checks
/// stdout at the end.
inline void draw(std::FILE* file, std::string_view bytes) {
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
}

/// Prints a formatted text; printable() replaces control characters.
template <class... Values>
void print_text(std::FILE* file, fmt::format_string<Values...> format, Values&&... values) {
  draw(file, printable(fmt::format(format, std::forward<Values>(values)...)));
}
template <class... Values>
void print_text(fmt::format_string<Values...> format, Values&&... values) {
  print_text(stdout, format, std::forward<Values>(values)...);
}

}  // namespace lapl
