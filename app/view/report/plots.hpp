// Pictures and graphs in HTML. Their numbers are text of the page, so that they stay legible on a
// screen of any width.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

/// A field with axes and colour bar. `when` names the step for screen readers.
std::string picture_html(const Panel& panel, const std::string& when);

/// One line of a graph.
struct ReportLine {
  std::string name;
  std::string style;  ///< class in page.css: max, mean, min
  std::function<double(const DiagnosticsLine&)> value;
};

/// The quantity along the axis of a graph.
enum class Along { step, time };

/// Lines over the steps or the time; values that are not finite leave gaps.
std::string graph_html(const std::string& title, Along along,
                       std::span<const DiagnosticsLine> history,
                       const std::vector<ReportLine>& lines);

}  // namespace lapl
