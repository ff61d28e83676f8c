#include "app/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <type_traits>

namespace lapl {
namespace {

// What it is called on the command line, and "FILE", which may be missing.
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

}  // namespace

CommandOption CommandOption::required() const { return option_->required(); }

CommandOption CommandOption::values(int count) const { return option_->expected(count); }

CommandOption CommandOption::repeatable(int count) const {
  return option_->expected(count)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CommandOption CommandOption::one_of(const std::vector<std::string>& words) const {
  return option_->type_name("TEXT")->check(CLI::IsMember(words));
}

CommandOption CommandOption::one_of_or_between(const std::vector<std::string>& words, int low,
                                               int high) const {
  return option_->check(CLI::IsMember(words) | CLI::Range(low, high));
}

CommandOption CommandOption::between(int low, int high) const {
  return option_->check(CLI::Range(low, high));
}

CommandOption CommandOption::between(std::int64_t low, std::int64_t high) const {
  return option_->check(CLI::Range(low, high));
}

CommandOption CommandOption::between(double low, double high) const {
  return option_->check(CLI::Range(low, high));
}

CommandOption CommandOption::not_negative() const { return option_->check(CLI::NonNegativeNumber); }

CommandOption CommandOption::excludes(const std::string& other) const {
  return option_->excludes(other);
}

void Command::does(Action action) {
  command_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

CommandOption Command::positional(const std::string& name, const ValueTarget& target,
                                  const std::string& what) {
  const auto [word, value] = name_and_value(name);
  return add_to(*command_, word, target, what)->type_name(value);
}

CommandOption Command::option(const std::string& names, const ValueTarget& target,
                              const std::string& what) {
  const auto [words, value] = name_and_value(names);
  CLI::Option* option = add_to(*command_, words, target, what);
  if (!value.empty()) option->type_name(value);
  return option;
}

CommandOption Command::flag(const std::string& name, bool* target, const std::string& what) {
  return command_->add_flag(name, *target, what);
}

void Command::footer(const std::string& text) { command_->footer(text); }

void Command::hide() { command_->group(""); }

}  // namespace lapl
