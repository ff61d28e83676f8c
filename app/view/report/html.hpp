// Pieces of HTML.
#pragma once

#include <string>
#include <string_view>

namespace lapl {

/// Text, whatever is in it, for an element's content or an attribute in double quotes. Bytes that
/// are not UTF-8, and control characters, become U+FFFD.
std::string html_escaped(std::string_view text);

/// The same, where ^{...} in `text` is a superscript; for content only.
std::string html_with_superscripts(std::string_view text);

/// Bytes as base64 (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace lapl
