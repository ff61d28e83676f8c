// The words of a command line against the tree of commands: what a word is, which one nobody knows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

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

/// Commands and options of `command` that are shown to people, by name; options with their dashes.
std::vector<const CLI::App*> shown_commands(const CLI::App& command);
std::vector<std::string> option_names(const CLI::App& command);

/// The words that an option or a positional takes, where it takes certain ones alone: those between
/// the braces of its type name, such as {auto,cuda,cpu}.
std::vector<std::string> choices_of(const CLI::Option& option);

/// "lapl run"; "lapl" where `command` is `app`.
std::string full_name(const CLI::App& app, const CLI::App& command, char between = ' ');

/// What to say of the first command or option that does not exist, with the nearest one that does;
/// empty where all exist.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace lapl
