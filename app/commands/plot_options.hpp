// Options about pictures that several commands share.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/plot/plot_panels.hpp"

namespace lapl {

struct PictureOptions {
  std::string colormaps;  ///< one for all panels or one for each, separated by commas
  std::vector<double> limits, percentiles;
  bool of_cells = false, log = false;
  Origin origin = Origin::automatic;

  bool operator==(const PictureOptions&) const = default;
};

/// Adds --origin.
void add_origin_option(Command& command, Origin& origin);

/// Adds --colormap, --limits, --percentiles, --of-cells, --log and --origin.
void add_picture_options(Command& command, PictureOptions& options);

/// Which part of a grid of several axes is shown.
struct CutOptions {
  std::string slice, project, along, line;

  bool none() const { return slice.empty() && project.empty() && along.empty() && line.empty(); }
  /// The cuts shown in one picture: the one that the options select, or else the middle slices. For
  /// a grid of one or two axes a single std::nullopt, or the line. Throws ConfigError.
  std::vector<std::optional<Cut>> cuts(Shape shape, const PlotAxes& axes,
                                       const std::string& path) const;
  /// The views of each picture: a panel for each of `fields` and each cut. Without --along there is
  /// a picture for each of `outputs`; with --along, for each cut of the output `one` across that
  /// axis.
  std::vector<std::vector<View>> frames(std::span<const PlotOutput> outputs,
                                        const std::function<const PlotOutput&()>& one,
                                        const std::vector<std::string>& fields, Shape shape,
                                        const PlotAxes& axes, const std::string& path) const;

 private:
  void require_three_axes(Shape shape, const std::string& path) const;
};

/// Adds --slice, --project and --along.
void add_cut_options(Command& command, CutOptions& options);

/// Adds --line.
void add_line_option(Command& command, CutOptions& options);

/// The value WIDTHxHEIGHT of --size; none if it is empty. Throws ConfigError.
std::optional<PictureSize> parse_size(const std::string& text);

/// The style of each of `panels` panels. Throws ConfigError.
std::vector<PlotStyle> panel_styles(const PictureOptions& options, std::size_t panels);

}  // namespace lapl
