// What can come next on a command line, for the completion of shells.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lapl {

struct Completion {
  /// The shell's own part: none, files, folders, or configs (YAML files).
  std::string files = "none";
  /// Whole words and what they mean; a word that ends in "=" goes on.
  std::vector<std::pair<std::string, std::string>> words;
};

}  // namespace lapl
