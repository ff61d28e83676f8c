// Builds pieces of HTML.
#pragma once

#include <string>
#include <string_view>

namespace lapl {

/// Escapes text for an element's content or an attribute in double quotes. Control characters and
/// bytes that are not UTF-8 become U+FFFD.
std::string html_escaped(std::string_view text);

/// The same for content only; ^{...} in `text` becomes a superscript.
std::string html_with_superscripts(std::string_view text);

/// A relative path as an address (RFC 3986).
std::string url_escaped(std::string_view path);

/// Bytes as base64 (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace lapl
