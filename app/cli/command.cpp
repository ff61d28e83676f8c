#include "app/cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <type_traits>

namespace lapl {
namespace {

// Splits "-o,--output FILE" into names and placeholder, which is empty if it is missing.
std::pair<std::string, std::string> name_and_value(const std::string& text) {
  const auto space = text.find(' ');
  return {text.substr(0, space), space == std::string::npos ? "" : text.substr(space + 1)};
}

CLI::Option* add_to(CLI::App& command, const std::string& name, const ValueTarget& target,
                    const std::string& what) {
  return std::visit(
      [&](const auto& to) -> CLI::Option* {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(to)>>)
          return command.add_option(name, *to, what);
        else
          return command.add_option_function<std::string>(name, to, what);
      },
      target);
}

// An empty word usually is an unset variable of a shell script. No option has it as a value.
std::string empty_word_problem(const std::string& word) {
  return word.empty() ? "found an empty word (expected a value)" : "";
}

void set_rules(CLI::Option& option, const OptionRules& rules) {
  if (!rules.may_be_empty) option.check(empty_word_problem);
  option.required(rules.required);
  if (rules.values > 0)
    option.expected(rules.fewest_values > 0 ? rules.fewest_values : rules.values, rules.values);
  if (rules.repeatable) option.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  std::optional<CLI::Validator> allowed;
  if (rules.between) allowed = CLI::Range(rules.between->first, rules.between->second);
  if (!rules.one_of.empty()) {
    const CLI::Validator words = CLI::IsMember(rules.one_of);
    allowed = allowed ? words | *allowed : words;
    option.type_name(
        fmt::format("{{{}}}{}", fmt::join(rules.one_of, ","), rules.between ? "|N" : ""));
  }
  if (rules.between_reals)
    allowed = CLI::Range(rules.between_reals->first, rules.between_reals->second);
  if (rules.not_negative) allowed = CLI::NonNegativeNumber;
  if (allowed) option.check(allowed->description(""));  // no text: the help shows the type name
  for (const std::string& other : rules.excludes) option.excludes(other);
}

}  // namespace

void Command::does(Action action) {
  command_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

void Command::positional(const std::string& name, const ValueTarget& target,
                         const std::string& what, const OptionRules& rules) {
  const auto [word, value] = name_and_value(name);
  set_rules(*add_to(*command_, word, target, what)->type_name(value), rules);
}

void Command::option(const std::string& names, const ValueTarget& target, const std::string& what,
                     const OptionRules& rules) {
  const auto [words, value] = name_and_value(names);
  CLI::Option* option = add_to(*command_, words, target, what);
  if (!value.empty()) option->type_name(value);
  set_rules(*option, rules);
}

void Command::flag(const std::string& name, bool* target, const std::string& what,
                   const OptionRules& rules) {
  set_rules(*command_->add_flag(name, *target, what), rules);
}

void Command::footer(const std::string& text) { command_->footer(text); }

void Command::hide() { command_->group(""); }

}  // namespace lapl
