#include <sstream>

#include "app/cli/command_words.hpp"
#include "io/config/config.hpp"

namespace lapl {
namespace {

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

Completion completion_of(const CLI::App& app, std::vector<std::string> words) {
  Completion completion;
  if (words.empty()) words.emplace_back();
  Collector collect(words.back(), completion);
  words.pop_back();
  WordWalk walk(app);
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
