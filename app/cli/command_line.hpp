// The whole command line: the commands that there are, and from words to what is to be done.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.hpp"

namespace lapl {

/// The words that can come next on a command line.
struct Completion {
  /// The shell's own part: none, files, folders, or configs (YAML files).
  std::string files = "none";
  /// Whole words and what they mean; a word that ends in "=" goes on.
  std::vector<std::pair<std::string, std::string>> words;
};

class CommandLine {
 public:
  /// `name`: the program; `version`: the text of --version; `footer`: the end of the help.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command add(const std::string& name, const std::string& what_it_does);

  /// Parses the words and returns the command to call; --help and --version are done at once.
  /// Throws ConfigError for words that are unknown or exclude each other.
  Action parse(int argc, char** argv) const;

  /// Completes the last of the words after the program's name; it may be empty.
  Completion complete(std::vector<std::string> words) const;

  /// The message about the first command or option that does not exist, with the nearest one that
  /// does; empty where all exist.
  std::string unknown_word(const std::vector<std::string>& words) const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Action> chosen_;  // by the words that were parsed
};

}  // namespace lapl
