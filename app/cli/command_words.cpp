// The words of a command line against the tree of commands: which one nobody knows, what can come
// next.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <sstream>

#include "app/cli/command_line.hpp"
#include "io/config/config.hpp"
#include "io/config/config_text.hpp"

namespace lapl {
namespace {

// -o, --output, --output=FILE; not "-" and not a negative number.
bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

// Goes along the words as CLI11 does when it parses them.
class WordWalk {
 public:
  explicit WordWalk(const CLI::App& app) : command_(&app) {}

  // False where the word is a command or an option that does not exist.
  bool take(const std::string& word);

  // The innermost command so far.
  const CLI::App& command() const { return *command_; }
  // The option that the next word is a value of; none: nullptr.
  const CLI::Option* waiting() const { return values_left_ > 0 ? option_ : nullptr; }
  // The positional that the next word is, unless it is an option; none: nullptr.
  const CLI::Option* next_positional() const;
  // Whether "--" came: all that follows is positional.
  bool only_positionals() const { return only_positionals_; }

 private:
  const CLI::App* command_;
  const CLI::Option* option_ = nullptr;
  int values_left_ = 0;
  std::size_t positionals_ = 0;
  bool only_positionals_ = false;
};

bool WordWalk::take(const std::string& word) {
  if (values_left_ > 0) {
    --values_left_;
    return true;
  }
  if (!only_positionals_ && looks_like_option(word)) {
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
  ++positionals_;
  return true;
}

const CLI::Option* WordWalk::next_positional() const {
  const auto all = command_->get_options([](const CLI::Option* o) { return o->get_positional(); });
  return positionals_ < all.size() ? all[positionals_] : nullptr;
}

// Those that are shown to people.
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

// The first line of what people read.
std::string line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

// Adds what starts as the word to complete does.
class Collector {
 public:
  Collector(std::string typed, Completion& completion)
      : typed_(std::move(typed)), completion_(completion) {}

  const std::string& typed() const { return typed_; }
  void add(const std::string& word, const std::string& meaning) {
    if (word.starts_with(typed_)) completion_.words.emplace_back(word, line_of(meaning));
  }
  void files(const std::string& kind) { completion_.files = kind; }

 private:
  std::string typed_;
  Completion& completion_;
};

void add_keys(Collector& collect) {
  const bool has_value = collect.typed().find('=') != std::string::npos;
  for (const KeyChoices& key : config_key_choices()) {
    if (!has_value) collect.add(key.name + '=', key.meaning);
    if (has_value)
      for (const std::string& word : key.words) collect.add(key.name + '=' + word, key.meaning);
  }
}

// The words that an option or a positional takes, where it takes certain ones alone: those between
// the braces of its type name, such as {auto,cuda,cpu}.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> choices;
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) choices.push_back(word);
  return choices;
}

// Values of an option or a positional; `before` is what stands before each, such as "--backend=".
void add_values(const CLI::Option& option, const std::string& before, Collector& collect) {
  const std::string type = option.get_type_name();
  const auto choices = choices_of(option);
  for (const std::string& word : choices) collect.add(before + word, "");
  if (!choices.empty()) return;
  if (option.get_positional()) {
    const std::string name = option.get_name();
    collect.files(name == "CONFIG" ? "configs" : name == "RUN_DIR" ? "folders" : "files");
  } else if (type == "KEY=VALUE" && before.empty()) {
    add_keys(collect);
  } else if (before.empty() && (type == "FILE" || type == "DIR")) {
    collect.files(type == "FILE" ? "files" : "folders");
  }
}

}  // namespace

std::string CommandLine::unknown_word(const std::vector<std::string>& words) const {
  WordWalk walk(*app_);
  for (const std::string& word : words) {
    if (walk.take(word)) continue;
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
  Completion completion;
  if (words.empty()) words.emplace_back();
  Collector collect(words.back(), completion);
  words.pop_back();
  WordWalk walk(*app_);
  for (const std::string& word : words)
    if (!walk.take(word)) return completion;  // nobody knows what comes after it
  const CLI::App& command = walk.command();
  const std::string& typed = collect.typed();
  if (walk.waiting() != nullptr) {
    add_values(*walk.waiting(), "", collect);
  } else if (typed.starts_with('-') && !walk.only_positionals()) {
    const auto equals = typed.find('=');
    if (equals != std::string::npos) {
      const CLI::Option* option = command.get_option_no_throw(typed.substr(0, equals));
      if (option != nullptr) add_values(*option, typed.substr(0, equals + 1), collect);
      return completion;
    }
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames())
        collect.add("--" + name, option->get_description());
  } else if (const auto inner = shown_commands(command); !inner.empty()) {
    for (const CLI::App* each : inner) collect.add(each->get_name(), each->get_description());
  } else if (walk.next_positional() != nullptr) {
    add_values(*walk.next_positional(), "", collect);
  }
  return completion;
}

}  // namespace lapl
