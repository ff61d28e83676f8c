// Pages of docs/ for tests that compare them with the program.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace lapl::test {

/// The text of a page, such as "recipes.md".
inline std::string docs_page(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(LAPL_SOURCE_DIR "/docs/" + name).rdbuf();
  REQUIRE_MESSAGE(!text.str().empty(), name);
  return text.str();
}

}  // namespace lapl::test
