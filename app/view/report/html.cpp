#include "app/view/report/html.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

#include "io/config/config_text.hpp"

namespace lapl {

std::string html_escaped(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::size_t good = first_bad_byte(text);
    for (const char c : text.substr(0, good)) {
      switch (c) {
        case '&': html += "&amp;"; break;
        case '<': html += "&lt;"; break;
        case '>': html += "&gt;"; break;
        case '"': html += "&quot;"; break;
        case '\'': html += "&#39;"; break;
        default: html.push_back(c);
      }
    }
    if (good == text.size()) break;
    html += "\xef\xbf\xbd";
    text.remove_prefix(good + 1);
  }
  return html;
}

std::string html_with_superscripts(std::string_view text) {
  const std::size_t start = text.find("^{");
  const std::size_t end = text.find('}', start);
  if (start == std::string_view::npos || end == std::string_view::npos) return html_escaped(text);
  return html_escaped(text.substr(0, start)) + "<sup>" +
         html_escaped(text.substr(start + 2, end - start - 2)) + "</sup>" +
         html_with_superscripts(text.substr(end + 1));
}

std::string url_escaped(std::string_view path) {
  std::string url;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = std::isalnum(byte) != 0 || std::string_view("-_./~").find(c) != path.npos;
    url += kept && byte < 128 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return url;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text.push_back(at + i <= bytes.size() ? letters[three >> (18 - 6 * i) & 63] : '=');
  }
  return text;
}

}  // namespace lapl
