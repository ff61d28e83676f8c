// The root attributes of lapl's files, and their axes: time and the axes of the grid (z, y, x) as
// netCDF-4 dimension scales. Messages do not name the file (hdf5_handle.hpp).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/units.hpp"

namespace lapl {

/// Root attributes that identify lapl's file formats; docs/format.md lists the versions.
inline constexpr const char* format_attribute = "lapl_format";  ///< the kind of file
inline constexpr const char* version_attribute = "lapl_format_version";
inline constexpr const char* spacing_attribute = "lapl_grid_spacing";
inline constexpr std::int64_t format_version = 1;
/// netCDF's attribute with the value that stands for a missing one.
inline constexpr const char* fill_attribute = "_FillValue";
/// netCDF's attribute for another such value. An index has it if it shows outputs of versions that
/// stored fill_value (kernels/fields/fill_value.hpp) outside masks.
inline constexpr const char* earlier_fill_attribute = "missing_value";
/// netCDF's attribute of variables whose values are rounded: the number of bits kept.
inline constexpr const char* rounding_attribute = "_QuantizeBitRoundNumberOfSignificantBits";
inline constexpr const char* complex_attribute = "complex";
inline constexpr const char* units_attribute = "units";
inline constexpr const char* standard_name_attribute = "standard_name";
/// Axes::swept, in the root.
inline constexpr const char* swept_attribute = "lapl_swept";

/// Writes the unit of a dataset; no attribute where none is known, so that readers assume none.
void write_unit(hid_t dataset, std::string_view unit);

/// Writes the attributes that identify lapl's files; `kind` is a word that read_format returns.
void write_format(hid_t file, const std::string& kind);
/// The kind of a file: step, index, series, checkpoint, filtered or sweep; empty for files of other
/// programs. Throws IoError for a version that this program does not know.
std::string read_format(hid_t file);

/// The positions of a file's values in space and time.
struct Axes {
  Shape shape;
  Spacing spacing;
  std::vector<double> times;
  std::vector<std::int64_t> steps;  ///< one for each time
  Units units = {};                 ///< of positions and times
  /// The swept values of a sweep's member: JSON {NAME: {"key": KEY, "value": VALUE}}; else empty.
  /// Each NAME is a scalar coordinate of the fields.
  std::string swept = {};

  void add(double time, std::int64_t step) {
    times.push_back(time);
    steps.push_back(step);
  }
};

/// An upper bound of a file's size with these axes, but without field values.
inline std::uint64_t expected_axes(const Axes& axes) {
  const std::int64_t positions = axes.shape.planes + axes.shape.rows + axes.shape.columns;
  return 8 * (2 * axes.steps.size() + static_cast<std::uint64_t>(positions)) + (1 << 20);
}

/// The dimension scales in the order of a field's axes: time, then those of the grid.
struct AxisScales : std::vector<Hdf5Dataset> {
  std::string coordinates = "step";  ///< the fields' attribute of that name
};
/// Closes all scales. Throws IoError.
void close_axes(AxisScales& scales);

/// Writes /time, the grid's axes, /step, the swept values, and the root attribute with the spacing.
[[nodiscard]] AxisScales write_axes(hid_t file, const Axes& axes);
/// Writes the grid's axes and the root attribute with the spacing, and adds them to `scales`.
void write_grid(hid_t file, const Axes& axes, AxisScales& scales);
/// Writes a dimension scale.
[[nodiscard]] Hdf5Dataset write_scale(hid_t file, const char* name,
                                      const std::vector<double>& values, std::string_view units,
                                      std::string_view long_name);
/// Writes a coordinate: integers as i64, other numbers as f64, texts as strings; all of one kind.
[[nodiscard]] Hdf5Dataset write_coordinate(hid_t file, const std::string& name,
                                           const std::string& long_name,
                                           const nlohmann::ordered_json& values, hid_t space);
/// Attaches the axes to a field and writes its text as attributes.
void describe_field(hid_t field, const std::string& name, const FieldText& text,
                    const AxisScales& scales);
/// The units, name and other text of one of lapl's fields.
FieldText text_of_field(hid_t field);
/// Number of axes of the grid in one of lapl's files; 2 for any other file.
int count_grid_axes(hid_t file);
/// The axes of a step file or an index. Throws IoError.
Axes read_axes(hid_t file);

}  // namespace lapl
