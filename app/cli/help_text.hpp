// Formats the text of --help, as wide as the terminal, but at most 100 columns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class FormatterBase;
class Option;
}  // namespace CLI

namespace lapl {

/// The allowed words of an option or a positional, if it has a list of them. CLI11 writes them
/// between the braces of the type name, such as {auto,cuda,cpu}.
std::vector<std::string> option_choices(const CLI::Option& option);

/// Columns of help: those of the terminal on stdout, or COLUMNS where it is set; 40 to 100.
int help_width();

/// `text` in lines of at most `width` columns, without the last line feed. Lines after the first
/// begin with `indent` spaces. The first line is `indent` columns shorter: the caller fills these.
std::string wrapped(std::string_view text, int width, int indent = 0);

/// A name with its meaning beside it, or below where the name is long. Ends in a line feed.
std::string help_entry(const std::string& name, const std::string& meaning);

/// `text` with paragraphs wrapped to the help's width. Lines that are empty or begin with a space
/// stay as they are.
std::string help_paragraphs(std::string_view text);

/// The formatter with which CLI11 prints help.
std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace lapl
