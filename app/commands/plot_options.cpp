#include "app/commands/plot_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

constexpr const char* suits = "auto";  // the colormap that suits the field

Limits ordered_limits(const std::string& name, const std::vector<double>& numbers) {
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
                 "Where the first row is drawn; auto: at the top if the initial field or the mask "
                 "was a picture",
                 {.one_of = {"auto", "upper", "lower"}});
}

void add_picture_options(Command& command, PictureOptions& options) {
  command.option(
      fmt::format("--colormap {{{},{}}},...", suits, fmt::join(names_in(colormaps()), ",")),
      &options.colormaps,
      "One for all panels, or a comma-separated one for each. auto: diverging for the Laplacian "
      "and for filter results of both signs, else viridis");
  command.option("--limits LOW HIGH", &options.limits,
                 "Values at the two ends of the colour bar, or of a graph", {.values = 2});
  command.option("--percentiles LOW HIGH", &options.percentiles,
                 "Percentiles at the two ends of the colour bar; default 5 95 for the Laplacian, "
                 "else 0 100. Where a pixel covers several cells, it counts as their mean",
                 {.values = 2, .excludes = {"--limits"}});
  command.flag("--of-cells", &options.of_cells,
               "Use the percentiles of the cells, not of the pixels, as numpy.percentile does",
               {.excludes = {"--limits"}});
  command.flag(
      "--log", &options.log,
      "A logarithmic scale of values. On a map all must be above 0, or with --limits those "
      "below LOW have its colour; graphs have gaps at others");
  add_origin_option(command, options.origin);
}

void add_cut_options(Command& command, CutOptions& options) {
  command.option("--slice AXIS=POSITION|AXIS:INDEX", &options.slice,
                 "On three axes, one slice: z=0.5 is the slice nearest to that position, z:12 the "
                 "slice with that index. Default: the middle slices across z, y and x");
  command.option("--project KIND:AXIS", &options.project,
                 "On three axes, the max, min or mean along one axis, such as max:z",
                 {.excludes = {"--slice"}});
  command.option("--along", &options.along,
                 "On three axes, every slice of one output across this axis, in order",
                 {.one_of = {"x", "y", "z"}, .excludes = {"--slice", "--project"}});
}

void add_line_option(Command& command, CutOptions& options) {
  command.option(
      "--line AXIS=POSITION|AXIS:INDEX,...", &options.line,
      "A graph of the values along one axis, through the cells nearest to positions on "
      "all others: y=0.5, or on three axes y=0.5,z=0.2; the title has the cells' positions",
      {.excludes = {"--slice", "--project", "--along"}});
}

void CutOptions::require_three_axes(Shape shape, const std::string& path) const {
  if (none() || shape.axes == 3) return;
  const auto& [option, text] = !slice.empty()     ? std::pair("--slice", slice)
                               : !project.empty() ? std::pair("--project", project)
                                                  : std::pair("--along", along);
  throw ConfigError("{} {}: {} has a grid of {} (expected one of three axes)", option, text, path,
                    shape.axes == 1 ? "one axis" : "two axes");
}

std::vector<std::optional<Cut>> CutOptions::cuts(Shape shape, const PlotAxes& axes,
                                                 const std::string& path) const {
  if (!line.empty()) {
    if (shape.axes == 1)
      throw ConfigError("--line {}: {} has a grid of one axis, which is drawn as a line without it",
                        line, path);
    return {line_named(line, shape, axes)};
  }
  require_three_axes(shape, path);
  if (!slice.empty()) return {slice_named(slice, shape, axes)};
  if (!project.empty()) return {projection_named(project)};
  return middle_cuts(shape);
}

std::vector<std::vector<View>> CutOptions::frames(std::span<const PlotOutput> outputs,
                                                  const std::function<const PlotOutput&()>& one,
                                                  const std::vector<std::string>& fields,
                                                  Shape shape, const PlotAxes& axes,
                                                  const std::string& path) const {
  std::vector<std::vector<View>> frames;
  const auto add = [&](const PlotOutput& output, const std::vector<std::optional<Cut>>& cuts) {
    std::vector<View>& frame = frames.emplace_back();
    for (const std::string& field : fields)
      for (const std::optional<Cut>& cut : cuts) frame.push_back({&output, field, cut});
  };
  if (along.empty()) {
    const auto of_each = cuts(shape, axes, path);
    for (const PlotOutput& output : outputs) add(output, of_each);
    return frames;
  }
  require_three_axes(shape, path);
  const int axis = axis_named("--along " + along, along);
  const std::int64_t count = shape.extents()[static_cast<std::size_t>(axis)];
  for (std::int64_t i = 0; i < count; ++i) add(one(), {Cut{.axis = axis, .index = i}});
  return frames;
}

std::optional<PictureSize> parse_size(const std::string& text) {
  constexpr int largest_side = 20000;
  if (text.empty()) return std::nullopt;
  static const std::regex form("([0-9]{1,5})x([0-9]{1,5})");
  std::smatch sides;
  if (std::regex_match(text, sides, form)) {
    const PictureSize size{std::stoi(sides.str(1)), std::stoi(sides.str(2))};
    if (std::min(size.width, size.height) >= 1 && std::max(size.width, size.height) <= largest_side)
      return size;
  }
  throw ConfigError(
      "--size {}: expected WIDTHxHEIGHT in pixels, such as 1200x400, each from 1 to {}", text,
      largest_side);
}

std::vector<PlotStyle> panel_styles(const PictureOptions& options, std::size_t panels) {
  PlotStyle style;
  style.of_cells = options.of_cells;
  style.log = options.log;
  if (!options.limits.empty()) {
    style.limits = ordered_limits("--limits", options.limits);
    const Limits usable = widened(*style.limits);
    if (usable.low != style.limits->low || usable.high != style.limits->high)
      throw ConfigError("--limits {} {}: too close together, or not finite", style.limits->low,
                        style.limits->high);
  }
  if (style.log && style.limits && style.limits->low <= 0)
    throw ConfigError("--limits {} {} with --log: found {} (expected limits above 0)",
                      style.limits->low, style.limits->high, style.limits->low);
  if (!options.percentiles.empty()) {
    style.percentiles = ordered_limits("--percentiles", options.percentiles);
    if (style.percentiles->low < 0 || style.percentiles->high > 100)
      throw ConfigError("--percentiles {} {}: must lie from 0 to 100", style.percentiles->low,
                        style.percentiles->high);
  }
  std::vector<PlotStyle> styles(panels, style);
  if (options.colormaps.empty()) return styles;
  const std::vector<std::string> names = comma_separated(options.colormaps);
  for (const std::string& name : names)
    if (name != suits) colormap_named(name);  // throws if the name is unknown
  if (names.size() != 1 && names.size() != panels)
    throw ConfigError("--colormap {}: {} colour maps for {} panel{}", options.colormaps,
                      names.size(), panels, panels == 1 ? "" : "s");
  for (std::size_t i = 0; i < panels; ++i)
    if (const std::string& name = names[names.size() == 1 ? 0 : i]; name != suits)
      styles[i].colormap = name;
  return styles;
}

}  // namespace lapl
