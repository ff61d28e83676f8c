// What several commands let one say of pictures.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/view/plot/plot_panels.hpp"

namespace lapl {

struct PictureOptions {
  std::string colormaps;  ///< one for all panels or one for each, with commas between
  std::vector<double> limits, percentiles;
  bool of_cells = false;
  Origin origin = Origin::automatic;

  bool operator==(const PictureOptions&) const = default;
};

/// --origin.
void add_origin_option(Command& command, Origin& origin);

/// --colormap, --limits, --percentiles, --of-cells and --origin.
void add_picture_options(Command& command, PictureOptions& options);

/// The style of each of `panels` panels. Throws ConfigError.
std::vector<PlotStyle> styles_of(const PictureOptions& options, std::size_t panels);

}  // namespace lapl
