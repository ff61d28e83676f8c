#include "app/view/plot/cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/view/plot/ticks.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

struct ProjectionRow {
  Projection kind;
  const char* name;
  const char* title;
};
constexpr std::array<ProjectionRow, 3> projections = {{{Projection::max, "max", "maximum"},
                                                       {Projection::min, "min", "minimum"},
                                                       {Projection::mean, "mean", "mean"}}};

std::int64_t extent_along(Shape shape, int axis) {
  return by_axis(shape)[static_cast<std::size_t>(axis)];
}

const PlotAxis& plot_axis(const PlotAxes& axes, int axis) {
  return axis == 0 ? axes.z : axis == 1 ? axes.y : axes.x;
}

// The projection so far with one more value, in float64: the sum for mean, else the larger or the
// smaller one. NaN if one of the two is NaN.
double projected(Projection kind, double so_far, double value) {
  if (kind == Projection::mean) return so_far + value;
  if (std::isnan(so_far) || std::isnan(value)) return so_far + value;
  return kind == Projection::max ? std::max(so_far, value) : std::min(so_far, value);
}

// A grid without one of its axes.
Shape without(Shape shape, int axis) {
  if (shape.axes == 2)
    return {.rows = 1, .columns = axis == 1 ? shape.columns : shape.rows, .axes = 1};
  return {.rows = axis == 0 ? shape.rows : shape.planes,
          .columns = axis == 2 ? shape.rows : shape.columns};
}

// The values of a cut in storage order; a picture may show another orientation.
template <class T>
std::vector<T> cut_out(std::span<const T> values, Shape shape, const Cut& cut) {
  const Shape result = without(shape, cut.axis);
  const bool one = cut.projection == Projection::none;
  std::array<std::int64_t, 3> first{}, end = by_axis(shape);
  std::array<std::int64_t, 3> stride = {result.columns, result.columns, 1};
  if (cut.axis == 2) stride[1] = 1;
  const auto axis = static_cast<std::size_t>(cut.axis);
  stride[axis] = 0;
  if (one) first[axis] = cut.index, end[axis] = cut.index + 1;
  std::vector<double> made(static_cast<std::size_t>(result.cells()));
  for (std::int64_t plane = first[0]; plane < end[0]; ++plane)
    for (std::int64_t row = first[1]; row < end[1]; ++row)
      for (std::int64_t column = first[2]; column < end[2]; ++column) {
        const auto value =
            static_cast<double>(values[(plane * shape.rows + row) * shape.columns + column]);
        double& so_far = made[plane * stride[0] + row * stride[1] + column * stride[2]];
        const bool begins = std::array{plane, row, column}[axis] == first[axis];
        so_far = begins ? value : projected(cut.projection, so_far, value);
      }
  const double share = cut.projection == Projection::mean ? static_cast<double>(end[axis]) : 1;
  std::vector<T> picked(made.size());
  std::ranges::transform(made, picked.begin(),
                         [&](double value) { return static_cast<T>(value / share); });
  return picked;
}

// `what` is the option with the part of its value that is parsed.
[[noreturn]] void throw_bad_slice(const std::string& what) {
  throw ConfigError("{}: expected an axis and a position, such as z=0.5, or an index, such as z:12",
                    what);
}

template <class Number>
Number number_in(const std::string& what, std::string_view digits) {
  Number number{};
  const char* const end = digits.data() + digits.size();
  if (const auto [after, error] = std::from_chars(digits.data(), end, number);
      error != std::errc() || after != end)
    throw_bad_slice(what);
  return number;
}

}  // namespace

std::optional<Cut> middle_cut(Shape shape, int axis) {
  if (shape.axes < 3) return std::nullopt;
  return Cut{.axis = axis, .index = extent_along(shape, axis) / 2};
}

std::vector<std::optional<Cut>> middle_cuts(Shape shape) {
  if (shape.axes < 3) return {std::nullopt};
  return {middle_cut(shape, 0), middle_cut(shape, 1), middle_cut(shape, 2)};
}

Shape cut_shape(Shape shape, const std::optional<Cut>& cut) {
  if (!cut) return shape;
  shape = without(shape, cut->axis);
  return cut->next.empty() ? shape : cut_shape(shape, cut->next.front());
}

FieldValues cut_values(FieldView values, Shape shape, const Cut& cut) {
  FieldValues made =
      std::visit([&](auto held) -> FieldValues { return cut_out(held, shape, cut); }, values);
  if (cut.next.empty()) return made;
  return cut_values(as_view(made), without(shape, cut.axis), cut.next.front());
}

PlotAxes cut_axes(PlotAxes axes, const std::optional<Cut>& cut) {
  if (!cut) return axes;
  if (cut->axis > 0) std::swap(axes.y, axes.z);
  if (cut->axis == 2) std::swap(axes.x, axes.z);
  return cut->next.empty() ? axes : cut_axes(axes, cut->next.front());
}

std::string cut_text(const PlotAxes& axes, const std::optional<Cut>& cut) {
  if (!cut) return "";
  const PlotAxis& axis = plot_axis(axes, cut->axis);
  const auto row = std::ranges::find(projections, cut->projection, &ProjectionRow::kind);
  if (row != projections.end()) return fmt::format(", {} along {}", row->title, axis.name);
  const std::string text = axes.has_positions
                               ? with_unit(fmt::format(", {} = {}", axis.name,
                                                       number_text(axis.position(cut->index), 6)),
                                           axes.units.length)
                               : fmt::format(", {} {}", axis.name, cut->index);
  return cut->next.empty() ? text : text + cut_text(axes, cut->next.front());
}

int axis_named(const std::string& option, const std::string& name) {
  for (std::size_t axis = 0; axis < all_axes.size(); ++axis)
    if (name == all_axes[axis].position) return static_cast<int>(axis);
  throw ConfigError("{}: unknown axis \"{}\" (x, y or z)", option, name);
}

Cut slice_named(const std::string& text, Shape shape, const PlotAxes& axes,
                const std::string& option) {
  const std::string what = option + ' ' + text;
  const auto at = text.find_first_of("=:");
  if (at == std::string::npos) throw_bad_slice(what);
  Cut cut{.axis = axis_named(what, text.substr(0, at))};
  const std::string_view digits = std::string_view(text).substr(at + 1);
  const std::int64_t last = extent_along(shape, cut.axis) - 1;
  if (cut.axis + shape.axes < 3) throw ConfigError("{}: the grid has no such axis", what);
  const char* const name = all_axes[static_cast<std::size_t>(cut.axis)].position;
  if (text[at] == ':') {
    cut.index = number_in<std::int64_t>(what, digits);
    if (cut.index < 0 || cut.index > last)
      throw ConfigError("{}: outside of the grid (expected {}:0 to {}:{})", what, name, name, last);
    return cut;
  }
  const double position = number_in<double>(what, digits);
  if (!axes.has_positions)
    throw ConfigError("{}: the file does not say where its nodes lie (expected {}:0 to {}:{})",
                      what, name, name, last);
  const PlotAxis& axis = plot_axis(axes, cut.axis);
  const double node = std::round((position - axis.origin) / axis.spacing);
  if (!(node >= 0 && node <= static_cast<double>(last)))
    throw ConfigError("{}: outside of the grid ({} goes from {} to {})", what, name,
                      number_text(axis.origin, 6),
                      with_unit(number_text(axis.position(last), 6), axes.units.length));
  cut.index = static_cast<std::int64_t>(node);
  return cut;
}

Cut line_named(const std::string& text, Shape shape, const PlotAxes& axes) {
  std::vector<Cut> cuts;
  for (const std::string& part : comma_separated(text))
    cuts.push_back(slice_named(part, shape, axes, "--line"));
  std::ranges::sort(cuts, {}, &Cut::axis);
  const bool twice = cuts.size() == 2 && cuts.front().axis == cuts.back().axis;
  if (std::ssize(cuts) + 1 != shape.axes || twice)
    throw ConfigError(
        "--line {}: expected a position on {}", text,
        shape.axes == 2 ? "one axis, such as y=0.5" : "each of two axes, such as y=0.5,z=0.2");
  if (cuts.size() == 2) cuts.front().next = {cuts.back()};
  return cuts.front();
}

Cut projection_named(const std::string& text) {
  const auto colon = text.find(':');
  const auto row = std::ranges::find(projections, text.substr(0, colon), &ProjectionRow::name);
  if (colon == std::string::npos || row == projections.end())
    throw ConfigError("--project {}: expected max, min or mean and an axis, such as max:z", text);
  return {.axis = axis_named("--project " + text, text.substr(colon + 1)), .projection = row->kind};
}

}  // namespace lapl
