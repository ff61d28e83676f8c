// A cut reduces a grid of three axes to two: one plane of its nodes, or the largest, least or mean
// value along an axis. Cuts across all axes but one leave a line of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/hdf5/field_values.hpp"

namespace lapl {

enum class Projection { none, max, min, mean };

struct Cut {
  int axis = 0;            ///< index in all_axes of the axis that is removed
  std::int64_t index = 0;  ///< index of the plane along that axis; only for Projection::none
  Projection projection = Projection::none;
  std::vector<Cut> next = {};  ///< of a line on three axes: the cut across another, later axis
};

/// The cut across an axis at the middle of the grid; none if the grid has fewer than three axes.
std::optional<Cut> middle_cut(Shape shape, int axis = 0);
/// The middle slices across z, y and x; a single std::nullopt if the grid has fewer axes.
std::vector<std::optional<Cut>> middle_cuts(Shape shape);

/// The values of a cut, row by row, on a grid of two axes: x and y, x and z, or y and z; of a line
/// on the remaining axis.
FieldValues cut_values(FieldView values, Shape shape, const Cut& cut);
/// Shape and axes of a cut; without a cut those of the whole grid.
Shape cut_shape(Shape shape, const std::optional<Cut>& cut);
PlotAxes cut_axes(PlotAxes axes, const std::optional<Cut>& cut);

/// A suffix for a name: ", z = 0.5 cm", ", plane 12", ", maximum along z", or of a line ", z = 0.5
/// cm, y = 1 cm"; empty without a cut.
std::string cut_text(const PlotAxes& axes, const std::optional<Cut>& cut);

/// Parses a slice, "z=0.5" (the plane nearest to that position) or "z:12", a projection, "max:z",
/// and a line: slices across all axes but one, "y=0.5,z:12". All throw ConfigError, which names the
/// option.
Cut slice_named(const std::string& text, Shape shape, const PlotAxes& axes,
                const std::string& option = "--slice");
Cut projection_named(const std::string& text);
Cut line_named(const std::string& text, Shape shape, const PlotAxes& axes);
/// The index in all_axes of "z", "y" or "x". Throws ConfigError that begins with `option`.
int axis_named(const std::string& option, const std::string& name);

}  // namespace lapl
