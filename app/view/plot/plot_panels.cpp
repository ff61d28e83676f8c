#include "app/view/plot/plot_panels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/view/plot/complex_views.hpp"
#include "app/view/plot/resample.hpp"
#include "app/view/plot/ticks.hpp"
#include "kernels/error.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Angles resampled to the pixels of a box: those of the mean of unit vectors, because the mean of
// angles beside pi and -pi is 0.
std::vector<double> mean_angles(std::vector<double> angles, Shape shape, Shape box) {
  std::vector<double> sines(angles.size());
  std::ranges::transform(angles, sines.begin(), [](double angle) { return std::sin(angle); });
  std::ranges::transform(angles, angles.begin(), [](double angle) { return std::cos(angle); });
  std::vector<double> mean = resample(std::span<const double>(sines), shape, box);
  const std::vector<double> across = resample(std::span<const double>(angles), shape, box);
  std::ranges::transform(mean, across, mean.begin(),
                         [](double y, double x) { return std::atan2(y, x); });
  return mean;
}

}  // namespace

DrawnField drawn_field(const std::string& name, FieldView values, Shape shape, Shape box,
                       const PlotStyle& style) {
  if (shape.axes == 1) box = {1, std::min(box.columns, shape.columns)};
  std::vector<double> positive;
  if (style.log && shape.axes == 1) {
    positive = as_doubles(values);
    std::ranges::replace_if(
        positive, [](double value) { return !(value > 0); }, nan);
    values = std::span<const double>(positive);
  }
  DrawnField drawn{name, shape, box, resample(values, shape, box), {}, {}, {}, {}};
  const bool averaged = shape.rows > box.rows || shape.columns > box.columns;
  if (averaged && is_phase(name)) drawn.pixels = mean_angles(as_doubles(values), shape, box);
  const std::vector<double> counted =
      averaged && !style.of_cells ? drawn.pixels : as_doubles(values);
  const bool is_signed = is_drawn_around_zero(name);
  const Limits inner = percentile_limits(counted, 5, 95);
  const Limits all = percentile_limits(counted, 0, 100);
  drawn.signs = !style.log && (is_signed || (inner.low < 0 && inner.high > 0));
  if (all.low == all.high) {
    const Limits of_cells = averaged ? percentile_limits(as_doubles(values), 0, 100) : all;
    if (of_cells.low == of_cells.high) drawn.constant = all.low;
  }
  if (style.percentiles)
    drawn.range = percentile_limits(counted, style.percentiles->low, style.percentiles->high);
  else
    drawn.range = is_signed && shape.axes > 1 ? inner : all;
  // If nearly all cells are equal, so are the percentiles: then the range has all values.
  if (drawn.range.low == drawn.range.high) drawn.range = all;
  return drawn;
}

Limits graph_limits(const std::string& name, Limits range, bool log) {
  if (log && range.low > range.high)
    throw ConfigError("--log: {} has no value above 0 (expected some)", name);
  const Limits limits = widened(log ? logs(range) : range);
  const double margin = 0.05 * (limits.high - limits.low);
  return {limits.low - margin, limits.high + margin};
}

void take_logs(std::vector<double>& values, double other) {
  for (double& value : values)
    if (!std::isnan(value)) value = value > 0 ? std::log10(value) : other;
}

Panel make_panel(DrawnField field, std::string subtitle, const PlotStyle& style,
                 const PlotAxes& axes) {
  const bool line = field.shape.axes == 1;
  const bool phase = is_phase(field.name);
  const Colormap colormap = colormap_named(style.colormap.value_or(line          ? "viridis"
                                                                   : phase       ? "twilight"
                                                                   : field.signs ? "diverging"
                                                                                 : "viridis"));
  if (style.log) take_logs(field.pixels, line ? nan : -infinity);
  std::optional<Limits> limits = style.limits;
  if (limits && style.log) limits = logs(*limits);
  const bool angle = phase && !limits && !style.log;
  if (angle) limits = {-std::numbers::pi, std::numbers::pi};
  if (!limits && line) limits = graph_limits(field.name, field.range, style.log);
  if (!limits && style.log)
    limits = widened(field.range.low > field.range.high ? field.range : logs(field.range));
  if (!limits) limits = colormap.diverging() ? centred(field.range) : widened(field.range);
  if (field.constant) subtitle += ", constant " + number_text(*field.constant, 6);
  const auto given = axes.labels.find(field.name);
  const FieldLabels labels = given == axes.labels.end() ? FieldLabels() : given->second;
  return {(labels.label.empty() ? field.name : labels.label) + field.cut,
          std::move(subtitle),
          field.shape,
          field.drawn,
          std::move(field.pixels),
          *limits,
          colormap,
          axes,
          line,
          labels.unit,
          angle       ? Scale::angle
          : style.log ? Scale::logarithmic
                      : Scale::linear};
}

Shape box_within(Shape shape, std::int64_t longest) {
  const std::int64_t side = std::max(shape.rows, shape.columns);
  if (side <= longest) return shape;
  return {std::max<std::int64_t>(shape.rows * longest / side, 1),
          std::max<std::int64_t>(shape.columns * longest / side, 1)};
}

Panel small_panel(const std::string& name, FieldView values, Shape shape, std::int64_t step,
                  bool first_row_below) {
  constexpr std::int64_t longest = 400;
  const std::optional<Cut> cut = middle_cut(shape);
  const FieldValues cut_out = cut ? cut_values(values, shape, *cut) : FieldValues();
  const FieldView shown = cut ? as_view(cut_out) : values;
  const Shape of_shown = cut_shape(shape, cut);
  const PlotAxes axes{.z = {"plane"}, .first_row_below = first_row_below};
  return make_panel(drawn_field(name, shown, of_shown, box_within(of_shown, longest), {}),
                    "step " + std::to_string(step) + cut_text(axes, cut), {}, axes);
}

}  // namespace lapl
