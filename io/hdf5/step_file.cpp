#include "io/hdf5/step_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/vtkhdf.hpp"

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
  write_attribute(file, "title", record.title);
  write_attribute(file, "source", "lapl " + provenance_entry(record, "version"));
  write_attribute(
      file, "history",
      provenance_entry(record, "start_time") + ": " + provenance_entry(record, "command_line"));
  write_format(file, "step");
}

enum class Values { written, laid_out };

void write_fields(hid_t file, const StepRecord& record, const AxisScales& scales, Values values) {
  for (const NamedField& field : record.fields) {
    Hdf5Dataset dataset =
        values == Values::written
            ? write_chunked_field(file, field.name, record.shape, field.values)
            : lay_out_chunked_field(file, field.name, record.shape, precision_of(field.values));
    describe_field(dataset, field.name, field.long_name, field.units, scales);
    dataset.close("close dataset " + field.name);
  }
}

void write_hdf5(const std::filesystem::path& scratch, const StepRecord& record,
                Values values = Values::written) {
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
  write_root_attributes(file, record);
  {
    AxisScales scales = write_axes(file, axes_of(record));
    write_fields(file, record, scales, values);
    const Hdf5Group provenance = create_hdf5_group(file, "provenance");
    for (const auto& [name, text] : record.provenance) write_text(provenance, name, text);
    std::vector<VtkField> fields;
    for (const NamedField& field : record.fields)
      fields.push_back({field.name, stored_type_of(precision_of(field.values))});
    write_vtkhdf(file, axes_of(record), fields, scales);
    close_axes(scales);
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

void write_checked(const std::filesystem::path& scratch, const StepRecord& record) {
  for (const NamedField& field : record.fields)
    if (count_of(field.values) != static_cast<std::size_t>(record.shape.cells()))
      throw IoError("field {} has {} values, but the grid has {}", field.name,
                    count_of(field.values), record.shape.cells());
  write_hdf5(scratch, record);
  expect_hdf5(scratch, record);
}

StepRecord without_values(StepRecord record) {
  for (NamedField& field : record.fields) std::visit([](auto& held) { held = {}; }, field.values);
  return record;
}

/// Datasets whose values differ from record to record, and these.
NamedValues changing_values(const StepRecord& record) {
  NamedValues result = {{"time", std::as_bytes(std::span(&record.time, 1))},
                        {"step", std::as_bytes(std::span(&record.step, 1))}};
  for (const auto& [name, text] : record.provenance)
    if (name == "state_digest")
      result.emplace_back("provenance/" + name, std::as_bytes(std::span(text)));
  return result;
}

bool is_one_chunk(const StepRecord& record) {
  return std::ranges::all_of(record.fields, [&](const NamedField& field) {
    return chunk_shape(record.shape, size_of(precision_of(field.values))) == record.shape;
  });
}

/// Whether step files of the two differ in changing_values alone.
bool is_alike(const StepRecord& a, const StepRecord& b) {
  const auto same_field = [](const NamedField& x, const NamedField& y) {
    return x.name == y.name && x.long_name == y.long_name && x.units == y.units &&
           x.values.index() == y.values.index();
  };
  const auto same_text = [](const auto& x, const auto& y) {
    return x.first == y.first && (x.second == y.second || (x.first == "state_digest" &&
                                                           x.second.size() == y.second.size()));
  };
  return a.shape == b.shape && a.spacing == b.spacing && a.title == b.title &&
         std::ranges::equal(a.fields, b.fields, same_field) &&
         std::ranges::equal(a.provenance, b.provenance, same_text);
}

/// The same for two records only if their step files differ in changing_values alone.
std::string layout_key(const StepRecord& record) {
  std::string key = fmt::format("{} {} {}", text_of(record.shape), record.shape.axes,
                                fmt::join(record.spacing.by_axis, " "));
  const auto add = [&](std::string_view text) { key += fmt::format("\n{} {}", text.size(), text); };
  add(record.title);
  for (const NamedField& field : record.fields) {
    for (const std::string* text : {&field.name, &field.long_name, &field.units}) add(*text);
    add(name_of(precision_of(field.values)));
  }
  for (const auto& [name, text] : record.provenance) {
    add(name);
    add(name == "state_digest" ? std::string(text.size(), ' ') : text);
  }
  return key;
}

/// Where in the file each of these lies, in one piece.
std::vector<std::size_t> find_values(const std::filesystem::path& scratch,
                                     const NamedValues& values) {
  const Hdf5File file = reopen_hdf5_file(scratch);
  std::vector<std::size_t> offsets;
  for (const auto& [name, bytes] : values) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    haddr_t address = H5Dget_offset(dataset);
    if (address == HADDR_UNDEF) {
      const Hdf5Space space(H5Dget_space(dataset), "read the extent of dataset " + name);
      unsigned mask = 0;
      hsize_t size = 0;
      check_hdf5(H5Dget_chunk_info(dataset, space, 0, nullptr, &mask, &address, &size),
                 "find the chunk of dataset " + name);
    }
    offsets.push_back(address);
  }
  return offsets;
}

/// Bytes of the positions along a grid's axes.
std::uint64_t axes_size(Shape shape) {
  return static_cast<std::uint64_t>(shape.planes + shape.rows + shape.columns) * sizeof(double);
}

/// Amply for everything but the fields.
std::uint64_t expected_rest(const StepRecord& record) {
  std::uint64_t bytes = std::uint64_t{1} << 20;
  bytes += axes_size(record.shape);
  for (const auto& [name, text] : record.provenance) bytes += text.size();
  return bytes;
}

}  // namespace

void StepFileWriter::write(const std::filesystem::path& path, const StepRecord& record) {
  if (!is_one_chunk(record)) return write_step_file(path, record);
  NamedValues values = changing_values(record);
  for (const NamedField& field : record.fields)
    values.emplace_back(field.name, bytes_of(field.values));
  if (image_.empty() || !is_alike(record, record_)) {
    const Hdf5Session session;
    image_ = hdf5_image(path.string(), [&](const std::filesystem::path& scratch) {
      naming_file(path, [&] {
        write_checked(scratch, record);
        offsets_ = find_values(scratch, values);
      });
    });
    if (image_.empty()) return write_step_file(path, record);
    record_ = without_values(record);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    std::ranges::copy(values[i].second, image_.begin() + static_cast<std::ptrdiff_t>(offsets_[i]));
  write_sealed_image(path, image_);
}

void write_step_file(const std::filesystem::path& path, const StepRecord& record) {
  const Hdf5Session session;
  std::uint64_t expected_bytes = expected_rest(record);
  for (const NamedField& field : record.fields)
    expected_bytes += stored_size(record.shape, size_of(precision_of(field.values)));
  write_sealed(path, expected_bytes, [&](const std::filesystem::path& scratch) {
    naming_file(path, [&] { write_checked(scratch, record); });
  });
}

void write_step_file(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                     const StepRecord& record, RowRange rows) {
  FilePlan plan{.shape = record.shape, .expected_bytes = expected_rest(record)};
  RankedValues values{.rows = rows, .changing = changing_values(record)};
  for (const NamedField& field : record.fields) {
    plan.fields.push_back({field.name, precision_of(field.values)});
    values.fields.push_back(field.values);
  }
  plan.write_hdf5 = [&](const std::filesystem::path& scratch) {
    write_hdf5(scratch, record, Values::laid_out);
    expect_hdf5(scratch, without_values(record));
  };
  writer.write(ranks, path, plan, values, layout_key(record));
}

std::uint64_t step_file_bytes(Shape shape, std::size_t value_size, std::size_t fields) {
  constexpr std::uint64_t rest = 40000;  // metadata and provenance
  return fields * stored_size(shape, value_size) + axes_size(shape) + rest;
}

std::string step_file_name(std::int64_t step, std::string_view ending) {
  return fmt::format("step-{:09}{}", step, ending);
}

std::int64_t step_of_file_name(const std::string& name, std::string_view ending) {
  constexpr std::string_view start = "step-";
  std::int64_t step = -1;
  if (name.starts_with(start))
    std::from_chars(name.data() + start.size(), name.data() + name.size(), step);
  // One name for each step: step-7.nc is not ours.
  return step >= 0 && step_file_name(step, ending) == name ? step : -1;
}

std::vector<std::filesystem::path> list_step_files(const std::filesystem::path& folder,
                                                   std::string_view ending) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto step = step_of_file_name(entry->path().filename().string(), ending); step >= 0)
      found.emplace_back(step, entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw IoError(folder.string() + ": cannot list the folder: " + error.message());
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace lapl
