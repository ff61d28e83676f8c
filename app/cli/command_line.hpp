// The whole command line: the list of commands, and the parser that returns the action to run.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.hpp"

namespace lapl {

/// The words that can come next on a command line.
struct Completion {
  /// The kind of names that the shell adds: none, files, folders, or configs (YAML files).
  std::string files = "none";
  /// Complete words and their meanings. The shell adds no space after a word that ends in "=".
  std::vector<std::pair<std::string, std::string>> words;
};

class CommandLine;
using AddCommand = void(CommandLine& line);

/// Commands for one purpose, with a title in the help.
struct CommandGroup {
  const char* title;
  std::vector<AddCommand*> commands;
};

class CommandLine {
 public:
  /// `name`: the program; `version`: the text of --version; `footer`: the end of the help.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer, const std::vector<CommandGroup>& groups);
  ~CommandLine();

  /// Adds a command to its group. Called only by the functions of the groups (AddCommand).
  Command add(const std::string& name, const std::string& what_it_does);

  /// The help of a command; that of the program if `command` is empty. Throws ConfigError if there
  /// is no such command.
  std::string help(const std::string& command) const;

  /// Parses the words and returns the action of the command. --help and --version are printed at
  /// once. Throws ConfigError for unknown words and for options that exclude each other.
  Action parse(int argc, char** argv) const;

  /// Completes the last word, which may be empty. `words` begins after the program's name.
  Completion complete(std::vector<std::string> words) const;

  /// The message about the first unknown command or option, with the most similar known one; empty
  /// if all are known.
  std::string unknown_word(const std::vector<std::string>& words) const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Action> chosen_;  // set by the command that was parsed
  std::string group_;
};

}  // namespace lapl
