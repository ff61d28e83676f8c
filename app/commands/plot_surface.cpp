#include "app/commands/plot_surface.hpp"

#include <algorithm>
#include <cmath>

#include "io/config/config_number.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {

std::optional<IsoSurface> SurfaceOptions::chosen(const PlotSource& source,
                                                 const std::string& path) const {
  if (iso.empty() && view.empty()) return std::nullopt;
  if (iso.empty()) throw ConfigError("--view {}: shows a surface (expected also --iso)", view);
  const auto value = read_number(iso).real;
  if (!value) throw ConfigError("--iso {}: expected a number, such as 0.5", iso);
  const Shape shape = source.content().shape;
  if (shape.axes != 3 || std::ranges::min(by_axis(shape)) < 2)
    throw ConfigError("--iso {}: {} has a grid of {} (expected three axes of two nodes or more)",
                      iso, path, shape_text(shape));
  IsoSurface surface{.value = *value, .azimuth = -60, .elevation = 30};
  const PlotAxes& axes = source.axes();
  surface.spacing = {axes.z.spacing, axes.y.spacing, axes.x.spacing};
  if (view.empty()) return surface;
  const std::vector<std::string> words = comma_separated(view);
  const auto azimuth = read_number(words.front()).real, elevation = read_number(words.back()).real;
  if (words.size() != 2 || !azimuth || !elevation || std::abs(*azimuth) > 360 ||
      std::abs(*elevation) > 90)
    throw ConfigError(
        "--view {}: expected AZIMUTH,ELEVATION in degrees, from -360 to 360 and from -90 to 90, "
        "such as -60,30",
        view);
  surface.azimuth = *azimuth;
  surface.elevation = *elevation;
  return surface;
}

void SurfaceOptions::show(std::vector<std::vector<View>>& frames, const PlotSource& source,
                          const std::string& path) const {
  const std::optional<IsoSurface> surface = chosen(source, path);
  if (!surface) return;
  for (std::vector<View>& views : frames) {
    std::erase_if(views, [](const View& slice) { return slice.cut->axis != 0; });
    for (View& shown : views) shown = {shown.output, shown.field, std::nullopt, surface};
  }
}

void add_surface_options(Command& command, SurfaceOptions& options) {
  command.option("--iso VALUE", &options.iso,
                 "On three axes, the surface on which a field has this value",
                 {.excludes = {"--slice", "--project", "--along", "--contours", "--over",
                               "--limits", "--percentiles", "--of-cells", "--own-limits",
                               "--origin", "--log", "--line", "--graph", "--space-time"}});
  command.option(
      "--view AZIMUTH,ELEVATION", &options.view,
      "From where --iso looks, in degrees: 0,0 from the end of x, 90,0 from that of y, 0,90 "
      "from that of z; default -60,30");
}

}  // namespace lapl
