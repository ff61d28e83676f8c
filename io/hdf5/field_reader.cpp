
#include <optional>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {
namespace {

using TakeShape = std::function<void(Shape)>;

ReadField read_plain(const OpenedFile& opened, const std::string& name, std::size_t record,
                     Reading reading, const TakeShape& take_shape, int foreign_axes) {
  const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
  const int grid_axes = opened.format == "checkpoint"
                            ? read_checkpoint_header(opened.file).shape.axes
                        : opened.format.empty() ? foreign_axes
                                                : grid_axes_of(opened.file);
  const DatasetLayout layout = field_layout(dataset, name, grid_axes);
  if (take_shape) take_shape(layout.shape);
  if (reading == Reading::rehearsal) {
    touch_field(dataset, name, layout);
    return {};
  }
  return {layout.shape, layout.records, layout.axes == 1,
          read_values(dataset, name, layout, record)};
}

/// A record as the index describes it.
struct IndexRecord {
  Shape shape;
  Precision precision = Precision::float64;
  std::filesystem::path step_file;
};

IndexRecord look_up(hid_t index, const std::filesystem::path& path, const std::string& name,
                    std::size_t record) {
  const Axes axes = read_axes(index);
  // Throws IoError that names the existing datasets.
  if (!holds_dataset(index, name)) open_plain_dataset(index, name);
  if (record >= axes.steps.size())
    throw IoError("has no record " + std::to_string(record) + ", only " +
                  std::to_string(axes.steps.size()) + " from 0 on");
  const Hdf5Dataset dataset(H5Dopen2(index, name.c_str(), H5P_DEFAULT), "open dataset " + name);
  return {axes.shape, field_layout(dataset, name, axes.shape.axes).precision,
          path.parent_path() / "fields" / step_file_name(axes.steps[record])};
}

}  // namespace

ReadField read_field(const std::filesystem::path& path, const std::string& name, std::size_t record,
                     const TakeShape& take_shape, int grid_axes) {
  const Hdf5Session session;
  std::optional<IndexRecord> entry;
  ReadField field = read_verified(path, [&](const OpenedFile& opened, Reading reading) {
    if (opened.format != "index")
      return read_plain(opened, name, record, reading, take_shape, grid_axes);
    entry = look_up(opened.file, path, name, record);
    return ReadField{};
  });
  if (!entry) return field;
  // Not the virtual dataset but the step file is read, so that its seal is also verified.
  const Shape shape = entry->shape;
  const auto same_grid = [&](Shape found) {
    if (found != shape)
      throw IoError("holds {} values, but its index says {}", text_of(found), text_of(shape));
    if (take_shape) take_shape(found);
  };
  return read_verified(entry->step_file, [&](const OpenedFile& step, Reading reading) -> ReadField {
    if (holds_dataset(step.file, name))
      return read_plain(step, name, 0, reading, same_grid, shape.axes);
    same_grid(own_content(step).shape);
    return {shape, 1, false, missing_values(shape.cells(), entry->precision)};
  });
}

}  // namespace lapl
