// The headers that code compiled at run time includes, as text (cmake/embed_headers.cmake).
#pragma once

#include <span>

namespace lapl {

struct EmbeddedHeader {
  const char* name;  ///< NAME in #include "NAME"
  const char* text;
};
extern const std::span<const EmbeddedHeader> embedded_headers;

}  // namespace lapl
