#include "app/cli/man_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "app/cli/command_words.hpp"
#include "lapl_version.hpp"

namespace lapl {
namespace {

// Text as roff shows it: no character means anything else.
std::string roff(const std::string& text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
    line_start = c == '\n';
  }
  return escaped;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

// A term and its explanation, which is the next lines.
std::string item(const std::string& term, const std::string& text) {
  return ".TP\n" + term + '\n' + roff(text) + '\n';
}

std::string page_name(const CLI::App& app, const CLI::App& command) {
  return full_name(app, command, '-');
}

// auto|cuda|cpu, or a name such as FILE; without what checks add to it.
std::string value_name(const CLI::Option& option) {
  const auto choices = choices_of(option);
  if (!choices.empty()) return fmt::format("{}", fmt::join(choices, "|"));
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string synopsis(const CLI::App& app, const CLI::App& command) {
  const bool whole = &command == &app;
  std::string text = bold(full_name(app, command));
  if (whole) return text + ' ' + italic("COMMAND") + " [" + italic("options") + "]\n";
  text += " [" + italic("options") + ']';
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = italic(option->get_name());
    text += option->get_required() ? ' ' + name : " [" + name + ']';
  }
  return text + '\n';
}

std::string arguments(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string choices = value_name(*option);
    text += item(italic(option->get_name()),
                 option->get_description() + (choices.empty() ? "" : ": " + choices));
  }
  return text.empty() ? text : ".SH ARGUMENTS\n" + text;
}

std::string options(const CLI::App& command) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    std::string names;
    for (const std::string& name : option->get_snames())
      names += (names.empty() ? "" : ", ") + bold('-' + name);
    for (const std::string& name : option->get_lnames())
      names += (names.empty() ? "" : ", ") + bold("--" + name);
    const std::string value = value_name(*option);
    text += item(names + (value.empty() ? "" : ' ' + italic(value)), option->get_description());
  }
  return text;
}

std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> paragraphs(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty())
      paragraphs.emplace_back();
    else
      paragraphs.back() += line + '\n';
  }
  std::erase(paragraphs, "");
  return paragraphs;
}

// Lines of text, which are filled; indented ones, which are not; "  name   meaning", which is a
// list.
std::string paragraph(const std::string& text) {
  const std::string start = ".PP\n";
  std::string result = start;
  bool literal = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    const auto name_end = indented ? line.find("  ", 2) : std::string::npos;
    const auto meaning = line.find_first_not_of(' ', name_end);
    if (name_end != std::string::npos && meaning != std::string::npos) {
      result += item(bold(line.substr(2, name_end - 2)), line.substr(meaning));
      continue;
    }
    if (indented && !literal) result += result == start ? ".RS\n.nf\n" : ".PP\n.RS\n.nf\n";
    if (literal && !indented) result += ".fi\n.RE\n";
    literal = indented;
    result += roff(indented ? line.substr(2) : line) + '\n';
  }
  return result + (literal ? ".fi\n.RE\n" : "");
}

// The footer of --help: examples, exit codes, and what else there is to say.
std::string notes_and_examples(const CLI::App& command) {
  std::string notes, others;
  for (const std::string& text : paragraphs_of(command.get_footer())) {
    const std::string first = text.substr(0, text.find('\n'));
    if (first == "Examples:")
      others += ".SH EXAMPLES\n" + paragraph(text.substr(first.size() + 1)).substr(4);
    else if (first.starts_with("Exit code"))
      others += ".SH EXIT STATUS\n" + roff(text);
    else
      notes += paragraph(text);
  }
  return (notes.empty() ? "" : ".SH NOTES\n" + notes.substr(4)) + others;
}

std::string commands(const CLI::App& app) {
  std::string text = ".SH COMMANDS\n";
  for (const CLI::App* command : shown_commands(app))
    text += item(bold(page_name(app, *command)) + "(1)", command->get_description());
  return text;
}

std::string see_also(const CLI::App& app, const CLI::App& command) {
  std::string text = ".SH SEE ALSO\n" + bold(app.get_name()) + "(1)";
  for (const CLI::App* other : shown_commands(app))
    if (other != &command) text += ",\n" + bold(page_name(app, *other)) + "(1)";
  return text + '\n';
}

}  // namespace

std::string man_page_name(const CLI::App& app, const CLI::App& command) {
  return page_name(app, command) + ".1";
}

std::string man_page(const CLI::App& app, const CLI::App& command) {
  const bool whole = &command == &app;
  const std::string name = page_name(app, command);
  std::string title = name;
  std::ranges::transform(title, title.begin(),
                         [](char c) { return static_cast<char>(std::toupper(c)); });
  const std::string summary =
      whole ? "steps of diffusion on a grid, on a GPU or the CPU" : command.get_description();
  const std::string description = whole ? command.get_description() : summary + ".\n";
  return fmt::format(".TH {} 1 \"{}\" \"lapl {}\" \"User Commands\"\n", roff(title), LAPL_DATE,
                     LAPL_VERSION) +
         ".SH NAME\n" + roff(name) + " \\- " + roff(summary) + "\n.SH SYNOPSIS\n" +
         synopsis(app, command) + ".SH DESCRIPTION\n" + roff(description) +
         (whole ? commands(app) : arguments(command)) + options(command) +
         notes_and_examples(command) + (whole ? "" : see_also(app, command));
}

}  // namespace lapl
