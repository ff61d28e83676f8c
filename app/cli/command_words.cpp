#include "app/cli/command_words.hpp"

#include <fmt/format.h>

#include <cctype>

#include "io/config/config_text.hpp"

namespace lapl {
namespace {

// -o, --output, --output=FILE; not "-" and not a negative number.
bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

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

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* inner) { return !inner->get_group().empty(); });
}

std::string first_unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  WordWalk walk(app);
  for (const std::string& word : words) {
    if (walk.take(word)) continue;
    const CLI::App& command = walk.command();
    const bool option = word[0] == '-';
    const std::string path =
        &command == &app ? app.get_name() : app.get_name() + ' ' + command.get_name();
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

}  // namespace lapl
