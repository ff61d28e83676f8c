// The whole command line: the commands that there are, and from words to what is to be done.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.hpp"

namespace lapl {

/// What can come next on a command line.
struct Completion {
  /// The shell's own part: none, files, folders, or configs (YAML files).
  std::string files = "none";
  /// Whole words and what they mean; a word that ends in "=" goes on.
  std::vector<std::pair<std::string, std::string>> words;
};

class CommandLine {
 public:
  /// Of the program `name`: what it is, what `--version` prints, and what the help ends with.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command add(const std::string& name, const std::string& what_it_does);

  /// What the words ask for; --help and --version are done at once. Throws ConfigError for words
  /// that nobody knows or that do not go together.
  Action parse(int argc, char** argv) const;

  /// What can come next; the last of the words (those after the program's name) is the one to
  /// complete, maybe empty.
  Completion complete(std::vector<std::string> words) const;

  /// What to say of the first command or option that does not exist, with the nearest one that
  /// does; empty where all exist.
  std::string unknown_word(const std::vector<std::string>& words) const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Action> chosen_;  // by the words that were parsed
};

}  // namespace lapl
