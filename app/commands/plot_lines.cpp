#include "app/commands/plot_lines.hpp"

#include "io/config/config_number.hpp"
#include "kernels/error.hpp"
#include "solver/dataset_names.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

constexpr int most_levels = 100;

// "8", the number of levels, or levels: "0.2,0.4".
LineChoice with_levels(LineChoice lines, const std::string& text) {
  const auto found = [&](const std::string& word) {
    return ConfigError(
        "{}: found {} (expected a number of lines from 1 to {}, such as 8, or values, such as "
        "0.2,0.4 or 5.0)",
        lines.option, word, most_levels);
  };
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const auto count = read_number(text).integer;
    if (!count || *count < 1 || *count > most_levels) throw found(text);
    lines.count = static_cast<int>(*count);
    return lines;
  }
  for (const std::string& word : comma_separated(text)) {
    const auto level = read_number(word).real;
    if (!level) throw found(word);
    lines.levels.push_back(*level);
  }
  return lines;
}

}  // namespace

std::vector<LineChoice> LineOptions::choices(const DrawnContent& content,
                                             const std::string& path) const {
  const std::string mask = dataset_name(OutputPart::mask);
  std::vector<LineChoice> choices;
  if (!contours.empty())
    choices.push_back(with_levels({.option = "--contours " + contours}, contours));
  for (const std::string& text : over) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals), usual = name == mask ? "0.5" : "5";
    if (name.empty()) throw ConfigError("--over {}: found no name (expected NAME=VALUES)", text);
    choices.push_back(
        with_levels({.option = "--over " + text,
                     .field = name == mask ? mask : chosen_field(content, name, path, "--over")},
                    equals == std::string::npos ? usual : text.substr(equals + 1)));
  }
  if (!choices.empty() && content.shape.axes == 1)
    throw ConfigError("{}: {} has a grid of one axis (expected one of two or three)",
                      choices.front().option, path);
  return choices;
}

void add_line_options(Command& command, LineOptions& options) {
  command.option("--contours N|VALUE,...", &options.contours,
                 "Contour lines of each field: N at equal distances within its values, or at these "
                 "values (5 is a number of lines, 5.0 a value)");
  command.option("--over NAME[=N|VALUE,...]", &options.over,
                 "Contour lines of another dataset over each panel, 5 if not said otherwise; mask: "
                 "the outline of the mask (repeatable)",
                 {.repeatable = true});
}

}  // namespace lapl
