#include "app/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/help_text.hpp"
#include "app/exit_code.hpp"
#include "app/view/print_text.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

// Accepts `lapl version` for `lapl --version`.
std::vector<std::string> argument_words(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.size() == 1 && words.front() == "version") return {"--version"};
  return words;
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version, const std::string& footer,
                         const std::vector<CommandGroup>& groups)
    : app_(std::make_unique<CLI::App>(description, name)), chosen_(std::make_unique<Action>()) {
  app_->formatter(help_format());
  app_->set_help_flag("-h,--help", "Print this help and exit");
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->footer(footer);
  app_->require_subcommand(1);
  for (const CommandGroup& group : groups) {
    group_ = group.title;
    for (AddCommand* const add_command : group.commands) add_command(*this);
  }
}

CommandLine::~CommandLine() = default;

Command CommandLine::add(const std::string& name, const std::string& what_it_does) {
  return {app_->add_subcommand(name, what_it_does)->group(group_), chosen_.get()};
}

std::string CommandLine::help(const std::string& command) const {
  const CLI::App* named = app_.get();
  if (!command.empty()) {
    const auto found =
        named->get_subcommands([&](const CLI::App* inner) { return inner->get_name() == command; });
    if (found.empty()) throw ConfigError("{}", unknown_word({command}));
    named = found.front();
  }
  const std::string name = app_->get_name();
  return app_->get_formatter()->make_help(named, command.empty() ? name : name + ' ' + command,
                                          CLI::AppFormatMode::Normal);
}

Action CommandLine::parse(int argc, char** argv) const {
  const std::vector<std::string> words = argument_words(argc, argv);
  if (words.empty()) {
    print_text(stderr, "{}", help(""));
    return [] { return int{exit_config}; };
  }
  try {
    // CLI11 expects the words in reverse order.
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return [code = app_->exit(error)] { return code; };
    const std::string unknown = unknown_word(words);
    if (!unknown.empty()) throw ConfigError(unknown);
    const std::string what = error.what();
    const bool command = std::ranges::any_of(
        app_->get_subcommands({}),
        [&](const CLI::App* subcommand) { return subcommand->get_name() == words.front(); });
    throw ConfigError("{} (see lapl {}--help{})", what, command ? words.front() + ' ' : "",
                      what.starts_with("CONFIG is required")
                          ? "; lapl new NAME writes a config, lapl new --list has the names"
                          : "");
  }
  return *chosen_;
}

}  // namespace lapl
