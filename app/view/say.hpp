// How words reach people: whatever a path, a name or a file says, no command reaches a terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "io/config/config_text.hpp"

namespace lapl {

/// Bytes as they are: what this program draws itself. That they cannot be written is no error here:
/// run_program looks at stdout in the end.
void draw(std::FILE* file, std::string_view bytes);

/// Text for people, printable() in all its parts.
template <class... Values>
void say(std::FILE* file, fmt::format_string<Values...> format, Values&&... values) {
  draw(file, printable(fmt::format(format, std::forward<Values>(values)...)));
}
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say(stdout, format, std::forward<Values>(values)...);
}

}  // namespace lapl
