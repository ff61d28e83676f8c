#include "app/plot_panels.hpp"

#include "io/plot/resample.hpp"

namespace lapl {
namespace {

std::string colormap_of(const DrawnField& field, const PlotStyle& style) {
  return style.colormap ? *style.colormap : field.signs ? "diverging" : "viridis";
}

}  // namespace

DrawnField read_drawn(const PlotOutput& output, const std::string& field, Shape box,
                      const PlotStyle& style) {
  const ReadField read = read_field(output.file, field, output.record);
  DrawnField drawn{field, read.shape, box, resample(view_of(read.values), read.shape, box), {}, {}};
  const bool averaged = read.shape.rows > box.rows || read.shape.columns > box.columns;
  const std::vector<double> values = averaged ? drawn.pixels : doubles_of(read.values);
  const bool laplacian = field == "laplacian";
  const Limits inner = percentile_limits(values, 5, 95);
  const Limits all = percentile_limits(values, 0, 100);
  drawn.signs = laplacian || (field != "field" && inner.low < 0 && inner.high > 0);
  if (style.percentiles)
    drawn.range = percentile_limits(values, style.percentiles->low, style.percentiles->high);
  else
    drawn.range = laplacian ? inner : all;
  // Where nearly all cells are equal, those that are not are what there is to see.
  if (drawn.range.low == drawn.range.high) drawn.range = all;
  return drawn;
}

Limits limits_for(const DrawnField& field, Limits range, const PlotStyle& style) {
  if (style.limits) return *style.limits;
  return colormap_of(field, style) == "diverging" ? centred(range) : widened(range);
}

Panel make_panel(DrawnField field, Limits limits, const PlotStyle& style, const PlotAxes& axes) {
  return {field.name,
          "",
          field.shape,
          field.drawn,
          std::move(field.pixels),
          limits,
          colormap_named(colormap_of(field, style)),
          axes};
}

}  // namespace lapl
