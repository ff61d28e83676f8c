// The pictures of lapl plot --graph and --space-time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/plot_options.hpp"

namespace lapl {

struct Picture {
  FigureLayout layout;
  std::vector<Panel> panels;
  Provenance about;
};

/// Adds --graph. Goes after the options that cannot come with it.
void add_graph_option(Command& command, std::vector<std::string>& asked);

/// A panel for each of `asked`, which names columns of diagnostics.csv and probes.csv of a run with
/// commas between them: their values over the time, or over the step where the time does not grow.
/// Throws ConfigError for other names, or if `folder` is not a run folder.
Picture graph_picture(const std::string& folder, const std::vector<std::string>& asked,
                      const PictureOptions& pictures, std::optional<PictureSize> size);

/// A map for each field of its values along one axis, upwards over the time of all outputs: of a
/// grid of one axis, or along the line `cut`. Where outputs are not equally spaced in time, a row
/// shows the nearest one. Throws ConfigError if there are fewer than two, or other axes.
Picture space_time_picture(const PlotSource& source, const std::string& path,
                           const std::vector<std::string>& fields, const std::optional<Cut>& cut,
                           const PictureOptions& pictures, std::optional<PictureSize> size,
                           PictureFormat format);

}  // namespace lapl
