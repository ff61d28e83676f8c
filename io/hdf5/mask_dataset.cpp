#include "io/hdf5/mask_dataset.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <span>
#include <string>

#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/packed_values.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

constexpr int mask_level = 6;  // of deflate; a mask is packed once in a run
constexpr std::uint8_t hidden_point = 2;
constexpr const char* mask_dataset = dataset_name(OutputPart::mask);

// The axes of the grid along which VTK sees nodes: x, and those with more than one.
std::vector<std::size_t> vtk_axes(Shape shape) {
  const std::vector<std::int64_t> extents = shape.extents();
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] > 1 || axis + 1 == extents.size()) axes.push_back(axis);
  return axes;
}

}  // namespace

StoredMask::Packed StoredMask::packed(Shape shape, const std::vector<std::uint8_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  std::vector<Unpacked> chunks;
  for (const ContiguousValues& chunk : packed_chunks(shape, 1))
    chunks.push_back({1, {bytes.subspan(chunk.first, chunk.size)}, chunk.padding});
  return {shape, pack(chunks, mask_level)};
}

StoredMask::StoredMask(Shape shape, const std::vector<double>& inside) {
  std::vector<std::uint8_t> values(inside.size());
  std::ranges::transform(inside, values.begin(), [](double value) { return value != 0 ? 1 : 0; });
  inside_ = packed(shape, values);
  for (std::uint8_t& value : values) value = value != 0 ? 0 : hidden_point;
  std::vector<std::int64_t> extents;
  for (const std::size_t axis : vtk_axes(shape)) extents.push_back(shape.extents()[axis]);
  hidden_ = packed(Shape::of(extents), values);
}

std::shared_ptr<const StoredMask> StoredMask::read(hid_t file, Shape shape) {
  if (!has_mask(file)) return nullptr;
  const Hdf5Dataset dataset = open_plain_dataset(file, mask_dataset);
  const DatasetLayout layout = field_layout(dataset, mask_dataset, shape.axes);
  if (layout.shape != shape) throw IoError("dataset mask has another grid than the fields");
  return std::make_shared<const StoredMask>(
      shape, as_doubles(as_view(read_values(dataset, mask_dataset, layout, 0))));
}

Hdf5Dataset StoredMask::write(const Packed& packed, hid_t location, const char* name,
                              std::size_t times, const std::vector<hid_t>& scales) {
  const auto extent = along_axes(static_cast<int>(scales.size()), 1, times, packed.shape);
  Hdf5Dataset dataset =
      create_chunked(location, name, H5T_STD_U8LE, extent, packed.shape, mask_level);
  const std::vector<std::span<const std::byte>> chunks(packed.chunks.begin(), packed.chunks.end());
  for (std::size_t time = 0; time < times; ++time)
    write_packed(dataset, name, time, packed.shape, 1, chunks);
  for (unsigned axis = 0; axis < scales.size(); ++axis)
    check_hdf5(H5DSattach_scale(dataset, scales[axis], axis),
               std::string("attach an axis to ") + name);
  return dataset;
}

void StoredMask::write(hid_t file, const AxisScales& scales) const {
  const std::vector<hid_t> of_grid(scales.begin() + 1, scales.end());
  Hdf5Dataset dataset = write(inside_, file, mask_dataset, 1, of_grid);
  describe_mask(dataset);
  dataset.close("close dataset mask");
}

void StoredMask::write_hidden(hid_t points, const Axes& axes, const AxisScales& scales) const {
  std::vector<hid_t> along;
  if (axes.times.size() > 1) along.push_back(scales.front());
  for (const std::size_t axis : vtk_axes(axes.shape)) along.push_back(scales[1 + axis]);
  write(hidden_, points, vtk_hidden_name, axes.times.size(), along)
      .close("close dataset VTKHDF/PointData/vtkGhostType");
}

std::uint64_t StoredMask::bytes(std::size_t times) const {
  std::uint64_t bytes = 0;
  for (const auto& chunk : inside_.chunks) bytes += 64 + chunk.size();
  for (const auto& chunk : hidden_.chunks) bytes += times * (64 + chunk.size());
  return bytes;
}

void describe_mask(hid_t dataset) {
  write_attribute(dataset, "long_name", "cells of the domain");
  write_attribute(dataset, "flag_values", std::vector<std::uint8_t>{0, 1});
  write_attribute(dataset, "flag_meanings", "outside inside");
}

bool has_mask(hid_t file) {
  if (check_hdf5(H5Lexists(file, mask_dataset, H5P_DEFAULT), "look for the mask") == 0)
    return false;
  const Hdf5Dataset dataset(H5Dopen2(file, mask_dataset, H5P_DEFAULT), "open dataset mask");
  return std::ssize(dataset_extent(dataset, mask_dataset)) == count_grid_axes(file);
}

}  // namespace lapl
