#include "app/cli/help_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "app/view/terminal/terminal.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

constexpr int narrowest = 40, widest = 100;
// Names begin in column 2, meanings in this column.
constexpr int meaning_column = 26;
// Characters of an option's list of choices. Up to short_choices it stands beside the name, up to
// most_choices behind the meaning; a longer list is left out.
constexpr std::size_t short_choices = 24, most_choices = 110;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The choices of an option in words: "a, b, c"; empty where it has none.
std::string choices_text(const CLI::Option& option) {
  return CLI::detail::join(option_choices(option), ", ");
}

// Prints names, values and meanings of options in two columns, and wraps all text.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), help_width()) + "\n\n";
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() == nullptr) return fmt::format("Usage: {} COMMAND [OPTIONS]\n", name);
    return wrapped(CLI::Formatter::make_usage(app, name), help_width()) + '\n';
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return help_entry(command->get_name(), command->get_description());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return help_entry(make_option_name(option, is_positional) + value_placeholder(*option),
                      option_meaning(*option));
  }

  // Joins the parts itself: CLI11 2.1 and 2.4 put different numbers of empty lines before the
  // footer.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           make_groups(app, mode) + make_subcommands(app, mode) + '\n' +
           help_paragraphs(app->get_footer());
  }

 private:
  // The placeholder of an option's value, or its choices where they are short.
  static std::string value_placeholder(const CLI::Option& option) {
    const std::string type = option.get_type_name(), choices = choices_text(option);
    if (option.get_type_size() == 0 || type.empty()) return "";
    if (choices.empty()) return ' ' + type;
    const std::string after = type.substr(type.find('}') + 1);
    if (choices.size() <= short_choices) return ' ' + replaced(choices + after, ", ", "|");
    return option.get_positional() ? "" : " NAME" + after;
  }

  static std::string option_meaning(const CLI::Option& option) {
    std::string meaning = option.get_description();
    const std::string choices = choices_text(option);
    if (choices.size() > short_choices && choices.size() <= most_choices)
      meaning += fmt::format(" ({})", choices);
    if (option.get_required() && !option.get_positional()) meaning += " (required)";
    std::vector<std::string> excluded;
    for (const CLI::Option* other : option.get_excludes()) excluded.push_back(other->get_name());
    std::ranges::sort(excluded);  // CLI11 sorts them by their addresses
    if (!excluded.empty())
      meaning += fmt::format(" (not with {})", CLI::detail::join(excluded, ", "));
    return meaning;
  }
};

}  // namespace

std::vector<std::string> option_choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return comma_separated(type.substr(open + 1, close - open - 1));
}

int help_width() {
  const char* const columns = std::getenv("COLUMNS");
  const int set = columns == nullptr ? 0 : std::atoi(columns);
  return std::clamp(set > 0 ? set : terminal_size(STDOUT_FILENO).columns, narrowest, widest);
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string lines;
  int column = indent;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const int length = static_cast<int>(word.size());
    if (column > indent && column + 1 + length > width) {
      lines += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += length;
  }
  return lines;
}

std::string help_entry(const std::string& name, const std::string& meaning) {
  const std::string text = wrapped(meaning, help_width(), meaning_column);
  if (static_cast<int>(name.size()) + 4 <= meaning_column)
    return fmt::format("  {:<{}}{}\n", name, meaning_column - 2, text);
  return fmt::format("  {}\n{:{}}{}\n", name, "", meaning_column, text);
}

std::string help_paragraphs(std::string_view text) {
  std::string result, paragraph;
  const auto finish = [&] {
    if (!paragraph.empty()) result += wrapped(paragraph, help_width()) + '\n';
    paragraph.clear();
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool stays = line.empty() || line.front() == ' ';
    if (stays) finish();
    if (stays)
      result += line + '\n';
    else
      paragraph += line + ' ';
  }
  finish();
  return result;
}

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<HelpFormat>(); }

}  // namespace lapl
