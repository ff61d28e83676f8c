// Options of lapl plot about lines over its pictures.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/plot/plot_panels.hpp"

namespace lapl {

struct LineOptions {
  std::string contours;
  std::vector<std::string> over;

  /// The lines of each panel. Throws ConfigError for a mistake in a text, for a field that
  /// `content` does not have, and for a grid of one axis.
  std::vector<LineChoice> choices(const DrawnContent& content, const std::string& path) const;
};

/// Adds --contours and --over.
void add_line_options(Command& command, LineOptions& options);

}  // namespace lapl
