// Headers of this program as texts, for compilers at run time; made by cmake/embed_headers.cmake.
#pragma once

#include <span>

namespace lapl {

struct EmbeddedHeader {
  const char* name;  ///< as in #include "NAME"
  const char* text;
};
extern const std::span<const EmbeddedHeader> embedded_headers;

}  // namespace lapl
