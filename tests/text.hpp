// Searches in texts.
#pragma once

#include <string>

namespace lapl::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace lapl::test
