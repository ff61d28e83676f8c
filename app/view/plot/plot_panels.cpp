#include "app/view/plot/plot_panels.hpp"

#include <algorithm>

#include "app/view/plot/resample.hpp"
#include "solver/outputs.hpp"

namespace lapl {

DrawnField read_drawn(const PlotOutput& output, const std::string& field, Shape box,
                      const PlotStyle& style) {
  const ReadField read = read_field(output.file, field, output.record);
  return drawn_field(field, view_of(read.values), read.shape, box, style);
}

DrawnField drawn_field(const std::string& name, FieldView values, Shape shape, Shape box,
                       const PlotStyle& style) {
  DrawnField drawn{name, shape, box, resample(values, shape, box), {}, {}};
  const bool averaged = shape.rows > box.rows || shape.columns > box.columns;
  const std::vector<double> counted =
      averaged && !style.of_cells ? drawn.pixels : doubles_of(values);
  const bool is_signed = is_drawn_around_zero(name);
  const Limits inner = percentile_limits(counted, 5, 95);
  const Limits all = percentile_limits(counted, 0, 100);
  drawn.signs =
      is_signed || (name != RunConfig{}.fields.front() && inner.low < 0 && inner.high > 0);
  if (style.percentiles)
    drawn.range = percentile_limits(counted, style.percentiles->low, style.percentiles->high);
  else
    drawn.range = is_signed ? inner : all;
  // Where nearly all cells are equal, those that are not are what there is to see.
  if (drawn.range.low == drawn.range.high) drawn.range = all;
  return drawn;
}

Panel make_panel(DrawnField field, std::string subtitle, const PlotStyle& style,
                 const PlotAxes& axes) {
  const std::string colormap = style.colormap.value_or(field.signs ? "diverging" : "viridis");
  const Limits suitable = colormap == "diverging" ? centred(field.range) : widened(field.range);
  return {std::move(field.name),
          std::move(subtitle),
          field.shape,
          field.drawn,
          std::move(field.pixels),
          style.limits.value_or(suitable),
          colormap_named(colormap),
          axes};
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
  return make_panel(drawn_field(name, values, shape, box_within(shape, longest), {}),
                    "step " + std::to_string(step), {}, {.first_row_below = first_row_below});
}

}  // namespace lapl
