// Text in XML.
#pragma once

#include <string>
#include <string_view>

namespace lapl {

/// The text as content of an element.
inline std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;  // as in ]]>
      default: escaped += c;
    }
  return escaped;
}

}  // namespace lapl
