// The columns of a run's tables, diagnostics.csv and probes.csv, grouped into graphs over the time
// or the step: for pages and pictures.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/run/run_view.hpp"

namespace lapl {

/// The steps and times of the lines of a table.
struct TableLines {
  std::vector<double> steps, times;
};

struct RunColumn {
  std::string name;            ///< in the table, such as u_max
  std::string label;           ///< among the lines of its graph: "max"
  std::string title;           ///< of a graph of this column alone: "u max"
  std::vector<double> values;  ///< one for each line; NaN where there is none
};

struct RunGraph {
  std::string title;
  std::string unit;  ///< of the values; empty if none is known
  bool at_probes;    ///< from probes.csv
  /// of the real or imaginary part of a field alone, of which it tells little
  bool of_part;
  std::shared_ptr<const TableLines> lines;
  std::vector<RunColumn> columns;
};

/// All columns of the tables; none of a table without lines.
std::vector<RunGraph> run_graphs(const RunView& run, const ProbeTable& probes);

/// The indices of the values of a line that are drawn: all, or of more than 1000 the least and the
/// largest of each piece.
std::vector<std::size_t> drawn_values(std::span<const double> values);

}  // namespace lapl
