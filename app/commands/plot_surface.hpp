// Options of lapl plot about surfaces of volumes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/plot/plot_frames.hpp"

namespace lapl {

struct SurfaceOptions {
  std::string iso, view;

  explicit operator bool() const { return !iso.empty(); }
  /// The surface that --iso and --view ask for, if they do. Throws ConfigError for a mistake in
  /// them, and for a grid without two nodes along each of three axes.
  std::optional<IsoSurface> chosen(const PlotSource& source, const std::string& path) const;
  /// Shows it in frames of slices, once for each field, in place of them; nothing without --iso.
  void show(std::vector<std::vector<View>>& frames, const PlotSource& source,
            const std::string& path) const;
};

/// Adds --iso and --view.
void add_surface_options(Command& command, SurfaceOptions& options);

}  // namespace lapl
