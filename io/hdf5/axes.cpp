#include "io/hdf5/axes.hpp"

#include <hdf5_hl.h>

#include <cmath>
#include <limits>

#include "io/hdf5/hdf5_values.hpp"
#include "io/json.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

/// Calls `use` with each axis of the grid and the positions of its nodes.
template <class Use>
void for_each_position(const Axes& axes, const Use& use) {
  std::size_t place = all_axes.size() - static_cast<std::size_t>(axes.shape.axes);
  for (const auto& [axis, extent] : shape_axes(axes.shape)) {
    std::vector<double> values(extent);
    for (std::int64_t i = 0; i < extent; ++i)
      values[i] = axes.spacing.position(place, static_cast<double>(i));
    use(axis, values);
    ++place;
  }
}

/// Writes the swept values, and adds their names to the coordinates.
void write_swept(hid_t file, const std::string& swept, AxisScales& scales) {
  if (swept.empty()) return;
  write_attribute(file, swept_attribute, swept);
  const Hdf5Space scalar(H5Screate(H5S_SCALAR), "make a data space");
  const nlohmann::ordered_json entries = parse_json(swept);
  for (const auto& [name, entry] : entries.items()) {
    write_coordinate(file, name, entry.at("key").get<std::string>(),
                     nlohmann::ordered_json::array({entry.at("value")}), scalar)
        .close("close dataset " + name);
    scales.coordinates += " " + name;
  }
}

/// True if the positions are those of a Spacing with a middle, and of none without.
bool is_centred(const std::vector<double>& positions, double spacing) {
  Spacing plain, centred;
  plain.by_axis[0] = centred.by_axis[0] = spacing;
  plain.origin[0] = positions.front();
  centred.middle[0] = static_cast<double>(positions.size() - 1) / 2;
  const auto are = [&](const Spacing& given) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (positions[i] != given.position(0, static_cast<double>(i))) return false;
    return true;
  };
  return are(centred) && !are(plain);
}

/// A limit without effect: no text is longer than its file.
constexpr std::size_t any_length = std::size_t{1} << 40;

}  // namespace

void write_unit(hid_t dataset, std::string_view unit) {
  if (!unit.empty()) write_attribute(dataset, units_attribute, unit);
}

Hdf5Dataset write_scale(hid_t file, const char* name, const std::vector<double>& values,
                        std::string_view units, std::string_view long_name) {
  Hdf5Dataset scale = write_array(file, name, values);
  check_hdf5(H5DSset_scale(scale, name), std::string("make a dimension scale of ") + name);
  write_unit(scale, units);
  write_attribute(scale, "long_name", long_name);
  return scale;
}

Hdf5Dataset write_coordinate(hid_t file, const std::string& name, const std::string& long_name,
                             const nlohmann::ordered_json& values, hid_t space) {
  const auto numbers = [&]<class T>(T) {
    const auto held = values.get<std::vector<T>>();
    Hdf5Dataset dataset = create_dataset(file, name, stored_type<T>(), space, dataset_properties());
    check_hdf5(H5Dwrite(dataset, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, held.data()),
               "write dataset " + name);
    return dataset;
  };
  Hdf5Dataset dataset =
      values.front().is_number_integer() ? numbers(std::int64_t{})
      : values.front().is_number()
          ? numbers(double{})
          : write_strings(file, name, values.get<std::vector<std::string>>(), space);
  write_attribute(dataset, "long_name", long_name);
  return dataset;
}

void write_format(hid_t file, const std::string& kind) {
  write_attribute(file, format_attribute, kind);
  write_attribute(file, version_attribute, std::vector{format_version});
}

std::string read_format(hid_t file) {
  const Hdf5Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  const std::string kind = read_text_attribute(root, format_attribute);
  if (kind.empty()) return kind;
  const auto version = read_number_attribute<std::int64_t>(root, version_attribute);
  if (version != format_version)
    throw IoError("has version " + std::to_string(version) + " of the " + kind +
                  " format; this program reads version " + std::to_string(format_version));
  return kind;
}

void close_axes(AxisScales& scales) {
  for (Hdf5Dataset& scale : scales) scale.close("close an axis");
}

void write_grid(hid_t file, const Axes& axes, AxisScales& scales) {
  write_attribute(file, spacing_attribute, axes.spacing.given(axes.shape.axes));
  for_each_position(axes, [&](GridAxis axis, const std::vector<double>& values) {
    scales.push_back(write_scale(file, axis.position, values, axes.units.length,
                                 std::string("position of the ") + axis.name));
  });
  // No axis attributes on y and x, because ParaView would take them for latitude and longitude.
}

AxisScales write_axes(hid_t file, const Axes& axes) {
  AxisScales scales;
  scales.push_back(
      write_scale(file, dataset_name(OutputPart::time), axes.times, axes.units.time, "time"));
  write_grid(file, axes, scales);
  write_attribute(scales.front(), "axis", "T");
  Hdf5Dataset step = write_array(file, dataset_name(OutputPart::step), axes.steps);
  write_attribute(step, "long_name", "number of steps done");
  check_hdf5(H5DSattach_scale(step, scales.front(), 0), "attach time to step");
  step.close("close dataset step");
  write_swept(file, axes.swept, scales);
  return scales;
}

void describe_field(hid_t field, const std::string& name, const FieldText& text,
                    const AxisScales& scales) {
  if (text.masked) {  // of the field's type, as netCDF requires
    const Hdf5Type type(H5Dget_type(field), "read the type of " + name);
    const auto write = [&]<class T>(T) {
      write_attribute(field, fill_attribute, std::vector{std::numeric_limits<T>::quiet_NaN()});
      if (text.earlier_fill)
        write_attribute(field, earlier_fill_attribute, std::vector{static_cast<T>(fill_value)});
    };
    if (H5Tget_size(type) == sizeof(float))
      write(0.0f);
    else
      write(0.0);
  }
  write_unit(field, text.units);
  write_attribute(field, "long_name", text.long_name);
  if (!text.standard_name.empty())
    write_attribute(field, standard_name_attribute, text.standard_name);
  if (!text.complex.empty()) write_attribute(field, complex_attribute, text.complex);
  if (text.kept_bits) write_attribute(field, rounding_attribute, std::vector{*text.kept_bits});
  write_attribute(field, "coordinates", scales.coordinates);  // xarray lists these, too
  for (unsigned axis = 0; axis < scales.size(); ++axis)
    check_hdf5(H5DSattach_scale(field, scales[axis], axis), "attach an axis to " + name);
}

FieldText text_of_field(hid_t field) {
  FieldText text = {read_text_attribute(field, units_attribute),
                    read_text_attribute(field, "long_name"),
                    read_text_attribute(field, standard_name_attribute)};
  text.masked = H5Aexists(field, fill_attribute) > 0;
  text.earlier_fill =
      text.masked && (H5Aexists(field, earlier_fill_attribute) > 0 ||
                      !std::isnan(read_number_attribute<double>(field, fill_attribute)));
  if (H5Aexists(field, complex_attribute) > 0)
    text.complex = read_text_attribute(field, complex_attribute);
  if (H5Aexists(field, rounding_attribute) > 0)
    text.kept_bits = read_number_attribute<std::int32_t>(field, rounding_attribute);
  return text;
}

int count_grid_axes(hid_t file) {
  const auto has = [&](const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; };
  if (has(dataset_name(OutputPart::z))) return 3;
  return has(dataset_name(OutputPart::x)) && !has(dataset_name(OutputPart::y)) ? 1 : 2;
}

Axes read_axes(hid_t file) {
  Axes axes;
  axes.times = read_array<double>(file, dataset_name(OutputPart::time), any_length);
  axes.steps = read_array<std::int64_t>(file, dataset_name(OutputPart::step), any_length);
  if (axes.steps.size() != axes.times.size())
    throw IoError("has " + std::to_string(axes.times.size()) + " times, but " +
                  std::to_string(axes.steps.size()) + " steps");
  for (std::size_t i = 0; i < axes.steps.size(); ++i)
    if (!std::isfinite(axes.times[i]) || axes.steps[i] < (i == 0 ? 0 : axes.steps[i - 1] + 1))
      throw IoError("record " + std::to_string(i) + " is of step " + std::to_string(axes.steps[i]) +
                    " and time " + std::to_string(axes.times[i]) +
                    " (expected finite times and steps that grow from 0 on)");
  axes.swept = read_text_attribute(file, swept_attribute);
  const int grid_axes = count_grid_axes(file);
  const std::vector<double> spacings = read_numbers_attribute<double>(file, spacing_attribute, 3);
  if (spacings.size() != 1 && std::ssize(spacings) != grid_axes)
    throw IoError("attribute " + std::string(spacing_attribute) + " holds " +
                  std::to_string(spacings.size()) + " numbers (expected one, or one for each of " +
                  std::to_string(grid_axes) + " axes)");
  for (const double spacing : spacings)
    if (!(spacing > 0) || !std::isfinite(spacing))
      throw IoError("attribute " + std::string(spacing_attribute) + " is " +
                    std::to_string(spacing) + " (expected a positive number)");
  axes.spacing = Spacing::of(spacings);
  std::vector<std::int64_t> extents;
  for (std::size_t i = all_axes.size() - static_cast<std::size_t>(grid_axes); i < all_axes.size();
       ++i) {
    const auto positions = read_array<double>(file, all_axes[i].position, any_length);
    extents.push_back(std::ssize(positions));
    if (positions.empty()) continue;
    axes.spacing.origin[i] = positions.front();
    if (is_centred(positions, axes.spacing.by_axis[i]))
      axes.spacing.middle[i] = static_cast<double>(positions.size() - 1) / 2;
    if (!std::isfinite(positions.front()))
      throw IoError(std::string("axis ") + all_axes[i].position + " begins at " +
                    std::to_string(positions.front()) + " (expected a finite number)");
  }
  axes.shape = Shape::of(extents);
  const auto unit = [&](OutputPart part) {
    const Hdf5Dataset axis(H5Dopen2(file, dataset_name(part), H5P_DEFAULT), "open an axis");
    return read_text_attribute(axis, units_attribute);
  };
  axes.units = {unit(OutputPart::x), unit(OutputPart::time)};
  if (axes.shape.cells() < 1) throw IoError("has a grid without cells");
  return axes;
}

}  // namespace lapl
