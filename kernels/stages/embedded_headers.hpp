// The texts of headers that code compiled at run time includes; cmake/embed_headers.cmake writes
// them.
#pragma once

#include <span>

namespace lapl {

struct EmbeddedHeader {
  const char* name;  ///< NAME in #include "NAME"
  const char* text;
};
extern const std::span<const EmbeddedHeader> embedded_headers;

}  // namespace lapl
