#include "io/hdf5/vtkhdf.hpp"

#include <hdf5_hl.h>

#include <numeric>

#include "io/hdf5/hdf5_values.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

/// Writes the field with the axes that VTK (9.3 to 9.7) expects: a time axis only with the group
/// Steps, because VTK reads an extra last axis as vector components, and no z or y axis of length
/// 1. If the field has other axes, writes a virtual dataset over the field, so that the values are
/// stored once.
void write_point_data(hid_t group, const VtkField& field, const Axes& axes,
                      const AxisScales& scales) {
  std::vector<hsize_t> source_extent = {axes.times.size()}, extent;
  for (const std::int64_t of_axis : axes.shape.extents())
    source_extent.push_back(static_cast<hsize_t>(of_axis));
  std::vector<hid_t> extent_scales;
  for (std::size_t axis = 0; axis < source_extent.size(); ++axis) {
    if (source_extent[axis] == 1 && axis + 1 < source_extent.size()) continue;
    extent.push_back(source_extent[axis]);
    extent_scales.push_back(scales[axis]);
  }
  const std::string source_name = "/" + field.name;
  if (extent == source_extent) {
    check_hdf5(
        H5Lcreate_soft(source_name.c_str(), group, field.name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        "link VTKHDF/PointData/" + field.name);
    return;
  }
  const Hdf5Space space = make_space(extent);
  const Hdf5Properties properties = dataset_properties();
  check_hdf5(H5Pset_virtual(properties, space, ".", source_name.c_str(), make_space(source_extent)),
             "map " + field.name);
  Hdf5Dataset dataset(H5Dcreate2(group, field.name.c_str(), field.type, space, H5P_DEFAULT,
                                 properties, H5P_DEFAULT),
                      "create dataset VTKHDF/PointData/" + field.name);
  for (unsigned axis = 0; axis < extent_scales.size(); ++axis)
    check_hdf5(H5DSattach_scale(dataset, extent_scales[axis], axis),
               "attach an axis to " + field.name);
  dataset.close("close dataset VTKHDF/PointData/" + field.name);
}

/// Writes the times of the records, and for each array the index of its record at each time.
void write_steps(hid_t group, const Axes& axes, const std::vector<std::string>& arrays,
                 const AxisScales& scales) {
  const auto count = static_cast<std::int64_t>(axes.times.size());
  const Hdf5Group steps = create_hdf5_group(group, "Steps");
  write_attribute(steps, "NSteps", std::vector{count});
  // Attached to the time axis, because netCDF would otherwise invent a dimension.
  const auto add = [&](hid_t location, const std::string& name, const auto& values) {
    Hdf5Dataset dataset = write_array(location, name, values);
    check_hdf5(H5DSattach_scale(dataset, scales.front(), 0), "attach time to " + name);
    dataset.close("close dataset VTKHDF/Steps/" + name);
  };
  add(steps, "Values", axes.times);
  std::vector<std::int64_t> offsets(axes.times.size());
  std::iota(offsets.begin(), offsets.end(), 0);
  const Hdf5Group points = create_hdf5_group(steps, "PointDataOffsets");
  for (const std::string& name : arrays) add(points, name, offsets);
}

}  // namespace

void write_vtkhdf(hid_t file, const Axes& axes, const std::vector<VtkField>& fields,
                  const AxisScales& scales, const StoredMask* mask) {
  const Shape shape = axes.shape;
  const std::vector<std::int64_t> extent = {0, shape.columns - 1, 0, shape.rows - 1,
                                            0, shape.planes - 1};
  const Hdf5Group group = create_hdf5_group(file, dataset_name(OutputPart::vtkhdf));
  write_attribute(group, "Version", std::vector<std::int64_t>{2, 0});
  write_attribute(group, "Type", "ImageData");
  write_attribute(group, "WholeExtent", extent);
  write_attribute(group, "Origin",
                  std::vector(axes.spacing.origin.rbegin(), axes.spacing.origin.rend()));
  write_attribute(group, "Spacing",
                  std::vector(axes.spacing.by_axis.rbegin(), axes.spacing.by_axis.rend()));
  write_attribute(group, "Direction", std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  const Hdf5Group points = create_hdf5_group(group, "PointData");
  for (const VtkField& field : fields) write_point_data(points, field, axes, scales);
  std::vector<std::string> names;
  for (const VtkField& field : fields) names.push_back(field.name);
  if (mask) {
    mask->write_hidden(points, axes, scales);
    names.emplace_back(vtk_hidden_name);
  }
  if (axes.times.size() > 1) write_steps(group, axes, names, scales);
}

}  // namespace lapl
