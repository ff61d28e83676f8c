#include "app/commands/plot_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

constexpr const char* suits = "auto";  // the map that suits the field

Limits pair_of(const std::string& name, const std::vector<double>& numbers) {
  if (!(numbers[0] < numbers[1]))
    throw ConfigError("{} {} {}: the first must be less than the second", name, numbers[0],
                      numbers[1]);
  return {numbers[0], numbers[1]};
}

}  // namespace

void add_origin_option(Command& command, Origin& origin) {
  command.option("--origin",
                 [&origin](const std::string& word) {
                   origin = word == "upper"   ? Origin::upper
                            : word == "lower" ? Origin::lower
                                              : Origin::automatic;
                 },
                 "Where the first row goes; auto: on top where the field began as a picture",
                 {.one_of = {"auto", "upper", "lower"}});
}

void add_picture_options(Command& command, PictureOptions& options) {
  command.option(
      fmt::format("--colormap {{{},{}}},...", suits, fmt::join(names_in(colormaps()), ",")),
      &options.colormaps,
      "One for all panels, or one for each with commas between. auto: diverging for the Laplacian "
      "and filters' results of both signs, viridis for all else");
  command.option("--limits LOW HIGH", &options.limits, "Values at the colours' ends",
                 {.values = 2});
  command.option("--percentiles LOW HIGH", &options.percentiles,
                 "Percentiles at the colours' ends; default 5 95 for the Laplacian, 0 100 else. "
                 "Where a pixel shows several cells, of their means",
                 {.values = 2, .excludes = {"--limits"}});
  command.flag("--of-cells", &options.of_cells,
               "Percentiles of the cells themselves, as numpy.percentile has them",
               {.excludes = {"--limits"}});
  add_origin_option(command, options.origin);
}

std::vector<PlotStyle> styles_of(const PictureOptions& options, std::size_t panels) {
  PlotStyle style;
  style.of_cells = options.of_cells;
  if (!options.limits.empty()) {
    style.limits = pair_of("--limits", options.limits);
    const Limits usable = widened(*style.limits);
    if (usable.low != style.limits->low || usable.high != style.limits->high)
      throw ConfigError("--limits {} {}: too close together, or not finite", style.limits->low,
                        style.limits->high);
  }
  if (!options.percentiles.empty()) {
    style.percentiles = pair_of("--percentiles", options.percentiles);
    if (style.percentiles->low < 0 || style.percentiles->high > 100)
      throw ConfigError("--percentiles {} {}: must lie from 0 to 100", style.percentiles->low,
                        style.percentiles->high);
  }
  std::vector<PlotStyle> styles(panels, style);
  if (options.colormaps.empty()) return styles;
  std::vector<std::string> names;
  std::istringstream list(options.colormaps);
  for (std::string name; std::getline(list, name, ',');) {
    if (name != suits) colormap_named(name);  // throws where it is unknown
    names.push_back(name);
  }
  if (names.size() != 1 && names.size() != panels)
    throw ConfigError("--colormap {}: {} colour maps for {} panel{}", options.colormaps,
                      names.size(), panels, panels == 1 ? "" : "s");
  for (std::size_t i = 0; i < panels; ++i)
    if (const std::string& name = names[names.size() == 1 ? 0 : i]; name != suits)
      styles[i].colormap = name;
  return styles;
}

}  // namespace lapl
