// What can come next on a command line, for the completion of shells.
#pragma once

#include <CLI/CLI.hpp>
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

/// `words` are those after the program's name, the last being the one to complete, maybe empty.
Completion complete(const CLI::App& app, std::vector<std::string> words);

/// The script that a shell (bash, zsh or fish) is given: it asks `lapl complete` at each use.
std::string completion_script(const std::string& shell);

}  // namespace lapl
