// Pictures and graphs in HTML. Their numbers are text of the page, so that they stay legible on a
// screen of any width.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"

namespace lapl {

/// A field with axes and colour bar; on one axis a graph. `when` names the step for screen readers.
std::string picture_html(const Panel& panel, const std::string& when);

/// The colour bar of a panel and at most `numbers` numbers beside it.
std::string color_bar_html(const Panel& panel, int numbers);

/// A line of a graph over steps and times, of which the page shows one by choice.
struct GraphLine {
  std::string name;   ///< HTML
  std::string style;  ///< attributes, such as class="max" or hue_style()
  std::span<const double> steps, times;
  std::vector<double> values;  ///< those that are not finite leave gaps
};

/// A graph of one axis without numbers, for sheets.
std::string small_graph_html(const Panel& panel, const std::string& words);

/// The units of a graph's values and of its times; empty where none is known.
struct GraphUnits {
  std::string values, time;
};

/// A graph with a legend of a few lines. At most 1000 values of a line are drawn, peaks among them.
std::string graph_html(const std::string& title, const GraphUnits& units,
                       const std::vector<GraphLine>& lines);

/// Attributes for a line's colour: from blue for the first of `count` lines to red for the last.
std::string hue_style(std::size_t index, std::size_t count);

}  // namespace lapl
