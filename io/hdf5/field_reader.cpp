
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {
namespace {

using ReceiveShape = std::function<void(Shape)>;

/// The times along a dataset's time axis: from the dimension scale of that axis, else from the
/// dataset `time` beside it or in the root; empty if there is none.
std::vector<double> axis_times(hid_t file, hid_t dataset, const std::string& name,
                               const DatasetLayout& layout, int grid_axes) {
  std::vector<double> times;
  const auto add_times = [&](hid_t scale) {
    const Hdf5Type type(H5Dget_type(scale), "read the type of a time axis");
    const H5T_class_t kind = H5Tget_class(type);
    if ((kind == H5T_FLOAT || kind == H5T_INTEGER) &&
        dataset_extent(scale, "time") == std::vector<hsize_t>{layout.records})
      times = read_all<double>(scale, "time", memory_type<double>());
    return times.empty() ? 0 : 1;
  };
  const auto visit = [](hid_t, unsigned, hid_t scale, void* use) -> herr_t {
    try {
      return (*static_cast<const decltype(add_times)*>(use))(scale);
    } catch (const IoError&) {
      return 0;
    }
  };
  if (const int axis = layout.axes - 1 - grid_axes; axis >= 0)
    H5DSiterate_scales(dataset, static_cast<unsigned>(axis), nullptr, visit,
                       const_cast<void*>(static_cast<const void*>(&add_times)));
  const std::string beside = name.substr(0, name.find_last_of('/') + 1) + "time";
  for (const std::string& path : {beside, std::string("time")})
    if (times.empty() && has_dataset(file, path)) try {
        add_times(open_plain_dataset(file, path));
      } catch (const IoError&) {  // no time axis that can be read
      }
  return times;
}

ReadField read_plain(const OpenedFile& opened, const std::string& name, const RecordChoice& choice,
                     const ReceiveShape& receive_shape, int foreign_axes) {
  const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
  const int grid_axes = opened.format == "checkpoint"
                            ? read_checkpoint_header(opened.file).shape.axes
                        : opened.format.empty() ? foreign_axes
                                                : count_grid_axes(opened.file);
  const DatasetLayout layout = field_layout(dataset, name, grid_axes);
  if (receive_shape) receive_shape(layout.shape);
  std::vector<double> times;
  if (layout.records > 1 || choice.time)
    times = axis_times(opened.file, dataset, name, layout, grid_axes);
  const std::size_t record = chosen_record(choice, layout.records, times, "dataset " + name);
  ReadField read{layout.shape,     layout.records,
                 layout.axes == 1, read_values(dataset, name, layout, record),
                 record,           times.empty() ? std::nullopt : std::optional(times[record])};
  if (opened.format == "step" || opened.format == "series")
    read.spacing = read_axes(opened.file).spacing;
  return read;
}

/// A record of a run, with its place, as the index describes it.
struct IndexRecord {
  Shape shape;
  Precision precision = Precision::float64;
  std::filesystem::path step_file;
  std::size_t record = 0, records = 1;
  double time = 0;
};

IndexRecord find_record(hid_t index, const std::filesystem::path& path, const std::string& name,
                        const RecordChoice& choice) {
  const Axes axes = read_axes(index);
  // For a missing dataset, throws IoError that names the existing ones.
  if (!has_dataset(index, name)) open_plain_dataset(index, name);
  const std::size_t record =
      chosen_record(choice, axes.steps.size(), axes.times, "dataset " + name);
  const Hdf5Dataset dataset(H5Dopen2(index, name.c_str(), H5P_DEFAULT), "open dataset " + name);
  return {axes.shape,
          field_layout(dataset, name, axes.shape.axes).precision,
          path.parent_path() / "fields" / step_file_name(axes.steps[record]),
          record,
          axes.steps.size(),
          axes.times[record]};
}

}  // namespace

std::size_t chosen_record(const RecordChoice& choice, std::size_t records,
                          const std::vector<double>& times, const std::string& name) {
  if (choice.last) return records - 1;
  if (!choice.time) {
    if (choice.index < records) return choice.index;
    throw IoError("{} has no record {}, only {} from 0 on", name, choice.index, records);
  }
  if (times.empty())
    throw IoError(
        "{} has no record at time {}: the file has no time axis with {} value{} "
        "(expected the number of a record, or last)",
        name, *choice.time, records, records == 1 ? "" : "s");
  const auto distance = [&](double time) { return std::abs(time - *choice.time); };
  const auto nearest = std::ranges::min_element(times, {}, distance);
  if (distance(*nearest) <= 1e-9 * std::max(std::abs(*choice.time), std::abs(*nearest)))
    return static_cast<std::size_t>(nearest - times.begin());
  std::vector<double> two = times;
  std::ranges::sort(two, {}, distance);
  two.resize(std::min<std::size_t>(two.size(), 2));
  std::ranges::sort(two);
  throw IoError("{} has no record at time {}; the nearest {} {}, of {} from {} to {}", name,
                *choice.time, two.size() == 1 ? "is" : "are", fmt::join(two, " and "), records,
                times.front(), times.back());
}

ReadField read_field(const std::filesystem::path& path, const std::string& name,
                     const RecordChoice& record, const ReceiveShape& receive_shape, int grid_axes) {
  const Hdf5Session session;
  std::optional<IndexRecord> entry;
  ReadField field = read_verified(path, [&](const OpenedFile& opened) {
    if (opened.format != "index") return read_plain(opened, name, record, receive_shape, grid_axes);
    entry = find_record(opened.file, path, name, record);
    return ReadField{};
  });
  if (!entry) return field;
  // Not the virtual dataset but the step file is read, so that its seal is also verified.
  const Shape shape = entry->shape;
  const auto same_grid = [&](Shape found) {
    if (found != shape)
      throw IoError("holds {} values, but its index says {}", shape_text(found), shape_text(shape));
    if (receive_shape) receive_shape(found);
  };
  ReadField read = read_verified(entry->step_file, [&](const OpenedFile& step) -> ReadField {
    if (has_dataset(step.file, name)) return read_plain(step, name, 0, same_grid, shape.axes);
    same_grid(own_content(step).shape);
    return {shape, 1, false, missing_values(shape.cells(), entry->precision)};
  });
  read.record = entry->record;
  read.records = entry->records;
  read.time = entry->time;
  return read;
}

}  // namespace lapl
