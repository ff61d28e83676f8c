#include "io/hdf5/file_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/netcdf3.hpp"
#include "io/readers/file_kind.hpp"
#include "solver/step_control.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

/// Adds every dataset that has time and the grid's axes.
void add_own_fields(hid_t file, FileContent& content) {
  for (const std::string& name : list_datasets(file)) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    const int axes = content.shape.axes;
    if (std::ssize(dataset_extent(dataset, name)) != 1 + axes) continue;
    const DatasetLayout layout = field_layout(dataset, name, axes);
    if (layout.shape != content.shape || layout.records != content.steps.size())
      throw IoError("dataset {} is {} x {}, but its axes are {} x {}", name, layout.records,
                    shape_text(layout.shape), content.steps.size(), shape_text(content.shape));
    if (content.fields.empty()) content.precision = enum_name(layout.precision);
    if (content.precision != enum_name(layout.precision))
      throw IoError("dataset {} is {}, but {} is {}", name, enum_name(layout.precision),
                    content.fields.front(), content.precision);
    content.fields.push_back(name);
    if (const std::string unit = text_of_field(dataset).units; !unit.empty())
      content.field_units[name] = unit;
  }
}

/// Throws IoError if the file's name says another step than its content.
void require_named_step(const std::filesystem::path& path, const FileContent& content) {
  const std::int64_t step = step_of_file_name(path.filename().string());
  if (content.kind == "step" && step >= 0 && step != content.steps.front())
    throw IoError("holds step {}, but its name says {}", content.steps.front(), step);
}

}  // namespace

FileContent own_content(const OpenedFile& opened) {
  const Axes axes = read_axes(opened.file);
  if (opened.format == "step" && axes.steps.size() != 1)
    throw IoError("holds {} records (expected 1 in a step file)", axes.steps.size());
  FileContent content{.kind = opened.format,
                      .shape = axes.shape,
                      .spacing = axes.spacing,
                      .steps = axes.steps,
                      .times = axes.times,
                      .fields = {},
                      .precision = {},
                      .provenance = {},
                      .units = axes.units};
  add_own_fields(opened.file, content);
  const std::string group = "provenance/";
  for (const std::string& name : list_datasets(opened.file))
    if (name.starts_with(group))
      content.provenance.emplace_back(name.substr(group.size()),
                                      read_text(opened.file, name, longest_text));
  return content;
}

namespace {

FileContent content_of_checkpoint(hid_t file) {
  const CheckpointHeader header = read_checkpoint_header(file);
  std::string precision;
  for (const std::string& field : header.fields) {
    const Hdf5Dataset dataset = open_checkpoint_field(file, header, field);
    precision = enum_name(field_layout(dataset, field, header.shape.axes).precision);
  }
  Provenance provenance = {{"config", header.config},
                           {"state_digest", fmt::format("{:#018x}", header.state_digest)}};
  if (header.equation_digest)
    provenance.emplace_back("equation_digest", fmt::format("{:#018x}", *header.equation_digest));
  return {.kind = "checkpoint",
          .shape = header.shape,
          .spacing = 1,
          .steps = {header.step},
          .times = {header_time(header)},
          .fields = header.fields,
          .precision = precision,
          .provenance = std::move(provenance)};
}

/// True for formats without the axes of a run's files.
bool is_plain(const std::string& format) {
  return format.empty() || format == "filtered" || format == "sweep";
}

/// The content of a file with datasets that read_field accepts, with shape and precision of the
/// first.
FileContent content_of_plain(hid_t file) {
  FileContent content;
  content.kind = "hdf5";
  std::string first_reason;
  for (const std::string& name : list_datasets(file)) try {
      const Hdf5Dataset dataset = open_plain_dataset(file, name);
      const DatasetLayout layout = field_layout(dataset, name);
      if (layout.axes == 1) continue;  // probably the coordinates of an axis
      if (content.fields.empty()) {
        content.shape = layout.shape;
        content.precision = enum_name(layout.precision);
      }
      content.fields.push_back(name);
    } catch (const IoError& error) {
      if (first_reason.empty()) first_reason = error.what();
    }
  if (content.fields.empty())
    throw IoError("holds no dataset that can be read as a field: " +
                  (first_reason.empty() ? "there is none" : first_reason));
  return content;
}

/// Opens the file as HDF5, or classic netCDF as such. If it is a known other kind of file, the
/// message says which.
Hdf5File open_or_name_kind(const std::filesystem::path& path) try {
  return open_hdf5_file(path);
} catch (const IoError&) {
  if (file_kind(path) == FileKind::netcdf3) return netcdf3_as_hdf5(path);
  const std::string kind = other_file_kind(path);
  if (kind.empty() || kind == "HDF5") throw;
  throw IoError("is " + kind + ", expected HDF5");
}

}  // namespace

std::vector<ArrayContent> read_arrays(const std::filesystem::path& path) {
  const Hdf5Session session;
  return read_verified(path, [&](const OpenedFile& opened) {
    std::vector<ArrayContent> arrays;
    if (!is_plain(opened.format)) return arrays;
    for (const std::string& name : list_datasets(opened.file)) try {
        const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
        const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
        const std::vector<hsize_t> extent = dataset_extent(dataset, name);
        const H5T_class_t kind = H5Tget_class(type);
        if (kind != H5T_FLOAT && kind != H5T_INTEGER) continue;
        if (extent.size() < 4 ||
            std::all_of(extent.begin(), extent.end() - 3, [](hsize_t size) { return size == 1; }))
          continue;
        const char* const word = kind == H5T_FLOAT ? "float" : "int";
        arrays.push_back({name,
                          {extent.begin(), extent.end()},
                          fmt::format("{}{}", word, 8 * H5Tget_size(type))});
      } catch (const IoError&) {  // skips datasets that cannot be read
      }
    return arrays;
  });
}

std::vector<double> read_array_values(const std::filesystem::path& path, const std::string& name) {
  const Hdf5Session session;
  return read_verified(path, [&](const OpenedFile& opened) {
    const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
    if (is_rehearsal()) {
      touch_values(dataset, name, memory_type<double>());
      return std::vector<double>();
    }
    return read_all<double>(dataset, name, memory_type<double>());
  });
}

bool verify_if_sealed(const std::filesystem::path& path) {
  const bool sealed = has_seal(path);
  if (sealed) verify_seal(path);
  return sealed;
}

OpenedFile open_sealed(const std::filesystem::path& path, bool sealed) {
  return naming_file(path, [&] {
    Hdf5File file = open_or_name_kind(path);
    std::string format = read_format(file);
    if (!format.empty() && !sealed)
      throw IoError("has no seal: it is truncated, or was changed after lapl wrote it");
    return OpenedFile{std::move(file), std::move(format)};
  });
}

namespace {
// Checksums in the seals of outputs. All users hold an Hdf5Session, which excludes other threads.
std::set<std::uint64_t> rehearsed_outputs;
}  // namespace

std::uint64_t rehearse_unless_known(const std::filesystem::path& path, bool sealed,
                                    const std::function<void()>& read) {
  const bool is_output = sealed && path.filename().string().starts_with("step-");
  const std::uint64_t digest = is_output ? sealed_digest(path) : 0;
  if (rehearsed_outputs.contains(digest)) return digest;
  rehearse(path, [&] {
    read();
    if (!is_output) return;
    const Hdf5File file = open_hdf5_file(path);
    const int grid_axes = count_grid_axes(file);
    for (const std::string& name : list_datasets(file)) try {
        const Hdf5Dataset dataset = open_plain_dataset(file, name);
        touch_field(dataset, name, field_layout(dataset, name, grid_axes));
      } catch (const IoError&) {  // skips datasets that cannot be read
      }
  });
  return digest;
}

void remember(std::uint64_t rehearsed) {
  if (rehearsed != 0) rehearsed_outputs.insert(rehearsed);
}

OpenedFile open_verified(const std::filesystem::path& path) {
  return open_sealed(path, verify_if_sealed(path));
}

FileContent read_content(const std::filesystem::path& path) {
  const Hdf5Session session;
  return read_verified(path, [&](const OpenedFile& opened) {
    if (is_plain(opened.format)) return content_of_plain(opened.file);
    if (opened.format == "checkpoint") return content_of_checkpoint(opened.file);
    FileContent content = own_content(opened);
    require_named_step(path, content);
    return content;
  });
}

FileContent read_output(const std::filesystem::path& path) {
  FileContent content = read_content(path);
  if (content.kind != "step")
    throw IoError(
        "{}: is {}, not an output of this run (its folder is for the run's own outputs alone)",
        path.string(),
        content.kind == "hdf5" ? "a file of filter results, or of another program"
                               : "a file of lapl's format " + content.kind);
  return content;
}

std::uint64_t state_digest_in(const std::filesystem::path& file) try {
  const std::string digest = provenance_text(read_content(file).provenance, "state_digest");
  return std::strtoull(digest.c_str(), nullptr, 16);
} catch (const IoError&) {
  return 0;
}

std::string output_problem(const std::filesystem::path& file, std::uint64_t state_digest,
                           std::filesystem::file_time_type unchanged_since) try {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  if (error) return file.string() + ": " + error.message();
  // Also reads a file with an equal time: clocks of file systems advance in milliseconds.
  if (written < unchanged_since && has_seal(file)) return {};
  const FileContent content = read_content(file);
  const std::int64_t step = step_of_file_name(file.filename().string());
  const std::string expected = fmt::format("{:#018x}", state_digest);
  if (content.kind == "step" && content.steps == std::vector{step} &&
      provenance_text(content.provenance, "state_digest") == expected)
    return {};
  return fmt::format("{}: is another file than was stored (expected step {}, state digest {})",
                     file.string(), step, expected);
} catch (const IoError& error) {
  return error.what();
}

}  // namespace lapl
