#include "io/hdf5/step_file.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"

namespace lapl {
namespace {

Axes axes_of(const StepRecord& record) {
  return {record.shape, record.spacing, {record.time}, {record.step}};
}

std::string provenance_entry(const StepRecord& record, std::string_view name) {
  for (const auto& [key, text] : record.provenance)
    if (key == name) return text;
  return {};
}

void write_root_attributes(hid_t file, const StepRecord& record) {
  const Hdf5Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  write_attribute(root, "Conventions", "CF-1.8");
  write_attribute(root, "title", record.title);
  write_attribute(root, "source", "lapl " + provenance_entry(record, "version"));
  write_attribute(
      root, "history",
      provenance_entry(record, "start_time") + ": " + provenance_entry(record, "command_line"));
  write_format(file, "step");
}

void write_fields(hid_t file, const StepRecord& record, const AxisScales& scales) {
  for (const NamedField& field : record.fields) {
    const std::size_t count = std::visit([](auto held) { return held.size(); }, field.values);
    if (count != static_cast<std::size_t>(record.shape.cells()))
      throw IoError("field " + field.name + " has " + std::to_string(count) +
                    " values, but the grid has " + std::to_string(record.shape.cells()));
    Hdf5Dataset dataset = write_chunked_field(file, field.name, record.shape, field.values);
    write_attribute(dataset, "units", field.units);
    write_attribute(dataset, "long_name", field.long_name);
    attach_axes(dataset, field.name, scales);
    dataset.close("close dataset " + field.name);
  }
}

/// The field without its time axis: VTK (9.3 to 9.7) takes the last of three axes of a flat image
/// for components, so a link to the field would not do. The values stay where they are: the dataset
/// is virtual, over this same file. VTK counts the axes of a single row as one.
void write_point_data(hid_t group, const NamedField& field, const StepRecord& record,
                      const AxisScales& scales) {
  const std::array<hsize_t, 3> extent = {1, static_cast<hsize_t>(record.shape.rows),
                                         static_cast<hsize_t>(record.shape.columns)};
  const int rank = record.shape.rows == 1 ? 1 : 2;
  const Hdf5Space source(H5Screate_simple(3, extent.data(), nullptr), "make a data space");
  const Hdf5Space space(H5Screate_simple(rank, &extent[3 - rank], nullptr), "make a data space");
  const Hdf5Properties properties = dataset_properties();
  check_hdf5(H5Pset_virtual(properties, space, ".", ("/" + field.name).c_str(), source),
             "map " + field.name);
  Hdf5Dataset dataset(H5Dcreate2(group, field.name.c_str(), stored_type_of(field.values), space,
                                 H5P_DEFAULT, properties, H5P_DEFAULT),
                      "create dataset VTKHDF/PointData/" + field.name);
  if (rank == 2) check_hdf5(H5DSattach_scale(dataset, scales.y, 0), "attach y to " + field.name);
  check_hdf5(H5DSattach_scale(dataset, scales.x, rank - 1), "attach x to " + field.name);
  dataset.close("close dataset VTKHDF/PointData/" + field.name);
}

/// The group that makes the file a VTK image of one layer: VTKHDF 2.0, type ImageData. Without the
/// group Steps, which readers want for two records or more only.
void write_vtkhdf(hid_t file, const StepRecord& record, const AxisScales& scales) {
  const std::array<std::int64_t, 2> version = {2, 0};
  const std::array<std::int64_t, 6> extent = {
      0, record.shape.columns - 1, 0, record.shape.rows - 1, 0, 0};
  const std::array<double, 3> origin = {0, 0, 0};
  const std::array<double, 3> spacing = {record.spacing, record.spacing, record.spacing};
  const std::array<double, 9> direction = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const Hdf5Group group = create_hdf5_group(file, "VTKHDF");
  write_attribute(group, "Version", std::span<const std::int64_t>(version));
  write_attribute(group, "Type", "ImageData");
  write_attribute(group, "WholeExtent", std::span<const std::int64_t>(extent));
  write_attribute(group, "Origin", std::span<const double>(origin));
  write_attribute(group, "Spacing", std::span<const double>(spacing));
  write_attribute(group, "Direction", std::span<const double>(direction));
  const Hdf5Group points = create_hdf5_group(group, "PointData");
  for (const NamedField& field : record.fields) write_point_data(points, field, record, scales);
}

void write_hdf5(const std::filesystem::path& scratch, const StepRecord& record) {
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
  write_root_attributes(file, record);
  {
    AxisScales scales = write_axes(file, axes_of(record));
    write_fields(file, record, scales);
    const Hdf5Group provenance = create_hdf5_group(file, "provenance");
    for (const auto& [name, text] : record.provenance) write_text(provenance, name, text);
    write_vtkhdf(file, record, scales);
    scales.close();
  }
  file.close("close the HDF5 file");
}

/// HDF5 can lose data without an error: what it wrote is read again before it is sealed.
void expect_hdf5(const std::filesystem::path& scratch, const StepRecord& record) {
  const Hdf5File file = reopen_hdf5_file(scratch);
  expect_axes(file, axes_of(record));
  for (const NamedField& field : record.fields)
    expect_field(file, field.name, record.shape, field.values);
  for (const auto& [name, text] : record.provenance)
    if (read_text(file, "provenance/" + name, text.size() + 1) != text)
      throw IoError("provenance/" + name + " reads back with another text than was written");
}

/// Room for the fields, and amply for everything else.
std::uint64_t expected_size(const StepRecord& record) {
  std::uint64_t bytes = std::uint64_t{1} << 20;
  bytes += static_cast<std::uint64_t>(record.shape.rows + record.shape.columns) * sizeof(double);
  for (const NamedField& field : record.fields)
    bytes += stored_size(record.shape, value_size_of(field.values));
  for (const auto& [name, text] : record.provenance) bytes += text.size();
  return bytes;
}

}  // namespace

void write_step_file(const std::filesystem::path& path, const StepRecord& record) {
  const Hdf5Session session;
  write_sealed(path, expected_size(record), [&](const std::filesystem::path& scratch) {
    naming_file(path, [&] {
      write_hdf5(scratch, record);
      expect_hdf5(scratch, record);
    });
  });
}

std::uint64_t step_file_bytes(Shape shape, std::size_t value_size, std::size_t fields) {
  constexpr std::uint64_t rest = 40000;  // metadata and provenance
  return fields * stored_size(shape, value_size) +
         static_cast<std::uint64_t>(shape.rows + shape.columns) * sizeof(double) + rest;
}

std::string step_file_name(std::int64_t step) {
  std::array<char, 40> name;
  std::snprintf(name.data(), name.size(), "step-%09lld.nc", static_cast<long long>(step));
  return name.data();
}

std::int64_t step_of_file_name(const std::string& name) {
  constexpr std::string_view start = "step-", end = ".nc";
  std::string_view digits = name;
  if (!digits.starts_with(start) || !digits.ends_with(end)) return -1;
  digits.remove_prefix(start.size());
  digits.remove_suffix(std::min(end.size(), digits.size()));
  std::int64_t step = -1;
  const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || last != digits.data() + digits.size() || step < 0) return -1;
  // One name for each step: step-7.nc is not ours.
  return step_file_name(step) == name ? step : -1;
}

std::vector<std::filesystem::path> list_step_files(const std::filesystem::path& folder) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto step = step_of_file_name(entry->path().filename().string()); step >= 0)
      found.emplace_back(step, entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw IoError(folder.string() + ": cannot list the folder: " + error.message());
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace lapl
