// The words of a command line against the tree of commands: what a word is, which one nobody knows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/completion.hpp"

namespace lapl {

/// Goes along the words as CLI11 does when it parses them.
class WordWalk {
 public:
  explicit WordWalk(const CLI::App& app) : command_(&app) {}

  /// False where the word is a command or an option that does not exist.
  bool take(const std::string& word);

  /// The innermost command so far.
  const CLI::App& command() const { return *command_; }
  /// The option that the next word is a value of; none: nullptr.
  const CLI::Option* waiting() const { return values_left_ > 0 ? option_ : nullptr; }
  /// The positional that the next word is, unless it is an option; none: nullptr.
  const CLI::Option* next_positional() const;
  /// Whether "--" came: all that follows is positional.
  bool only_positionals() const { return only_positionals_; }

 private:
  const CLI::App* command_;
  const CLI::Option* option_ = nullptr;
  int values_left_ = 0;
  std::size_t positionals_ = 0;
  bool only_positionals_ = false;
};

/// Commands of `command` that are shown to people.
std::vector<const CLI::App*> shown_commands(const CLI::App& command);

/// CommandLine::unknown_word.
std::string first_unknown_word(const CLI::App& app, const std::vector<std::string>& words);

/// CommandLine::complete.
Completion completion_of(const CLI::App& app, std::vector<std::string> words);

}  // namespace lapl
