// Follows the words of a command line through the tree of commands: finds unknown words and lists
// the possible next words.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <sstream>

#include "app/cli/command_line.hpp"
#include "app/cli/help_text.hpp"
#include "io/config/config.hpp"
#include "io/config/config_text.hpp"

namespace lapl {
namespace {

// True for -o, --output and --output=FILE; false for "-" and for negative numbers.
bool is_option_like(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

// Reads words one by one, by the same rules as CLI11.
class WordWalk {
 public:
  explicit WordWalk(const CLI::App& app) : program_(app), command_(&app) {}

  // False if the word is an unknown command or option.
  bool read(const std::string& word);

  // The innermost command so far.
  const CLI::App& command() const { return *command_; }

  // The words that can replace `typed`, including those that do not begin with it.
  Completion next(const std::string& typed) const;

 private:
  // The words that `lapl help` explains.
  Completion topics() const;

  const CLI::App& program_;
  const CLI::App* command_;
  const CLI::Option* option_ = nullptr;
  int values_left_ = 0;  // values that option_ still expects
  std::vector<std::string> positionals_;
  bool only_positionals_ = false;  // after "--"
};

bool WordWalk::read(const std::string& word) {
  if (values_left_ > 0) {
    --values_left_;
    return true;
  }
  if (!only_positionals_ && is_option_like(word)) {
    if (word == "--") {
      only_positionals_ = true;
      return true;
    }
    const bool is_long = word[1] == '-';
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    option_ = command_->get_option_no_throw(name);
    if (option_ == nullptr) return false;
    values_left_ = name.size() < word.size() ? 0 : option_->get_items_expected_min();
    return true;
  }
  if (!command_->get_subcommands([](const CLI::App*) { return true; }).empty()) {
    const auto named =
        command_->get_subcommands([&](const CLI::App* inner) { return inner->get_name() == word; });
    if (named.empty()) return false;
    command_ = named.front();
    return true;
  }
  positionals_.push_back(word);
  return true;
}

// The subcommands that help and completions show: all but the hidden ones.
std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* inner) { return !inner->get_group().empty(); });
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The values that can replace `typed`; `before` is put before each value, such as "--backend=".
Completion value_completions(const CLI::Option& option, const std::string& before,
                             const std::string& typed) {
  Completion values;
  for (const std::string& word : option_choices(option))
    values.words.emplace_back(before + word, "");
  if (!values.words.empty()) return values;
  const std::string type = option.get_type_name();
  if (option.get_positional()) {
    const std::string name = option.get_name();
    values.files = name == "CONFIG" ? "configs" : name == "RUN_DIR" ? "folders" : "files";
  } else if (type.starts_with("KEY=VALUE") && before.empty()) {
    const bool has_value = typed.find('=') != std::string::npos;
    for (const KeyChoices& key : config_key_choices())
      for (const std::string& word : has_value ? key.words : std::vector<std::string>{""})
        values.words.emplace_back(key.name + '=' + word, key.meaning);
  } else if (before.empty() && (type == "FILE" || type == "DIR")) {
    values.files = type == "FILE" ? "files" : "folders";
  }
  return values;
}

Completion WordWalk::next(const std::string& typed) const {
  if (values_left_ > 0) return value_completions(*option_, "", typed);
  Completion can_come;
  if (typed.starts_with('-') && !only_positionals_) {
    if (const auto equals = typed.find('='); equals != std::string::npos) {
      const CLI::Option* option = command_->get_option_no_throw(typed.substr(0, equals));
      return option == nullptr ? can_come
                               : value_completions(*option, typed.substr(0, equals + 1), typed);
    }
    for (const CLI::Option* option : command_->get_options())
      for (const std::string& name : option->get_lnames())
        can_come.words.emplace_back("--" + name, option->get_description());
    return can_come;
  }
  for (const CLI::App* inner : shown_commands(*command_))
    can_come.words.emplace_back(inner->get_name(), inner->get_description());
  const auto all = command_->get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (!can_come.words.empty() || positionals_.size() >= all.size()) return can_come;
  return command_->get_name() == "help" ? topics()
                                        : value_completions(*all[positionals_.size()], "", typed);
}

Completion WordWalk::topics() const {
  Completion completion;
  if (positionals_.empty()) {
    for (const CLI::App* command : shown_commands(program_))
      completion.words.emplace_back(command->get_name(), command->get_description());
    completion.words.emplace_back("config", "The keys of a config");
  } else if (positionals_.front() == "config") {
    for (const KeyChoices& key : config_key_choices())
      completion.words.emplace_back(key.name, key.meaning);
  }
  return completion;
}

}  // namespace

std::string CommandLine::unknown_word(const std::vector<std::string>& words) const {
  WordWalk walk(*app_);
  for (const std::string& word : words) {
    if (walk.read(word)) continue;
    const CLI::App& command = walk.command();
    const bool option = word[0] == '-';
    const std::string path =
        &command == app_.get() ? app_->get_name() : app_->get_name() + ' ' + command.get_name();
    std::vector<std::string> known;
    if (option)
      known = option_names(command);
    else
      for (const CLI::App* inner : shown_commands(command)) known.push_back(inner->get_name());
    const std::string written = option ? word.substr(0, word.find('=')) : word;
    const std::string near = nearest_word(written, known, 0);
    return fmt::format("{}: {} has no such {} ({}see {} --help)", shown(written), path,
                       option ? "option" : "command",
                       near.empty() ? "" : fmt::format("did you mean {}? ", near), path);
  }
  return "";
}

Completion CommandLine::complete(std::vector<std::string> words) const {
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  WordWalk walk(*app_);
  for (const std::string& word : words)
    if (!walk.read(word)) return {};  // no completion can be known after an unknown word
  Completion completion = walk.next(typed);
  std::erase_if(completion.words, [&](const auto& word) { return !word.first.starts_with(typed); });
  for (auto& [word, meaning] : completion.words) meaning = meaning.substr(0, meaning.find('\n'));
  return completion;
}

}  // namespace lapl
