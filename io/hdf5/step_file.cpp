#include "io/hdf5/step_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/mask_dataset.hpp"
#include "io/hdf5/vtkhdf.hpp"
#include "kernels/machine/paths_in.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

Axes record_axes(const StepRecord& record) {
  return {record.shape,  record.spacing, {record.time},
          {record.step}, record.units,   provenance_text(record.provenance, "swept")};
}

void lay_out_fields(hid_t file, const StepRecord& record, const PackedSizes& sizes,
                    const AxisScales& scales) {
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const NamedField& field = record.fields[i];
    const Precision precision = record.stored_precision(field);
    Hdf5Dataset dataset =
        create_records(file, field.name, precision, records_extent(1, record.shape), record.shape,
                       record.form.compression);
    lay_out_record(dataset, field.name, 0, record.shape, precision,
                   sizes.empty() ? std::span<const std::uint64_t>() : sizes[i]);
    describe_field(dataset, field.name, field.text(record.form.kept_bits()), scales);
    dataset.close("close dataset " + field.name);
  }
}

void write_hdf5(const std::filesystem::path& scratch, const StepRecord& record,
                const PackedSizes& sizes) {
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
  for (const auto& [name, text] : root_texts(record)) write_attribute(file, name, text);
  write_format(file, "step");
  {
    AxisScales scales = write_axes(file, record_axes(record));
    lay_out_fields(file, record, sizes, scales);
    if (record.mask) record.mask->write(file, scales);
    const Hdf5Group provenance = create_hdf5_group(file, dataset_name(OutputPart::provenance));
    for (const auto& [name, text] : record.provenance) write_text(provenance, name, text);
    std::vector<VtkField> fields;
    for (const NamedField& field : record.fields)
      fields.push_back({field.name, hdf5_stored_type(record.stored_precision(field))});
    write_vtkhdf(file, record_axes(record), fields, scales, record.mask.get());
    close_axes(scales);
  }
  file.close("close the HDF5 file");
}

/// Values of small datasets that differ between the steps of a run.
NamedValues changing_values(const StepRecord& record) {
  NamedValues result = {
      {dataset_name(OutputPart::time), std::as_bytes(std::span(&record.time, 1))},
      {dataset_name(OutputPart::step), std::as_bytes(std::span(&record.step, 1))}};
  for (const auto& [name, text] : record.provenance)
    if (name == "state_digest")
      result.emplace_back(std::string(dataset_name(OutputPart::provenance)) + "/" + name,
                          std::as_bytes(std::span(text)));
  return result;
}

/// Equal for two records only if their step files differ just in changing_values and fields.
std::string layout_key(const StepRecord& record) {
  std::string key =
      fmt::format("{} {} {} {} {}", shape_text(record.shape), record.shape.axes,
                  fmt::join(record.spacing.by_axis, " "), fmt::join(record.spacing.origin, " "),
                  fmt::join(record.spacing.middle, " "));
  const auto add = [&](std::string_view text) { key += fmt::format("\n{} {}", text.size(), text); };
  add(record.title);
  add(record.units.length);
  add(record.units.time);
  add(record.mask ? "with mask" : "");
  add(fmt::format("{}", record.form.kept_bits().value_or(0)));
  for (const NamedField& field : record.fields) {
    for (const std::string* text :
         {&field.name, &field.long_name, &field.units, &field.complex, &field.standard_name})
      add(*text);
    add(enum_name(record.stored_precision(field)));
    add(field.masked ? "masked" : "");
  }
  for (const auto& [name, text] : record.provenance) {
    add(name);
    add(name == "state_digest" ? std::string(text.size(), ' ') : text);
  }
  return key;
}

/// Bytes of the coordinates along a grid's axes.
std::uint64_t axes_size(Shape shape) {
  return static_cast<std::uint64_t>(shape.planes + shape.rows + shape.columns) * sizeof(double);
}

/// An upper bound of the file's size without the fields.
std::uint64_t expected_rest(const StepRecord& record) {
  std::uint64_t bytes = std::uint64_t{1} << 20;
  bytes += axes_size(record.shape) + (record.mask ? record.mask->bytes(1) : 0);
  for (const auto& [name, text] : record.provenance) bytes += text.size();
  return bytes;
}

}  // namespace

std::string provenance_text(const Provenance& provenance, std::string_view name) {
  const auto entry = std::ranges::find(provenance, name, &Provenance::value_type::first);
  return entry == provenance.end() ? "" : entry->second;
}

std::vector<std::pair<std::string, std::string>> root_texts(const StepRecord& record) {
  return {{"title", record.title},
          {"source", "lapl " + provenance_text(record.provenance, "version")},
          {"history", provenance_text(record.provenance, "start_time") + ": " +
                          provenance_text(record.provenance, "command_line")}};
}

void write_step_file(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                     const StepRecord& record, RowRange rows) {
  FilePlan plan{
      .shape = record.shape, .form = record.form, .expected_bytes = expected_rest(record)};
  RankedValues values{.rows = rows, .changing = changing_values(record)};
  for (const NamedField& field : record.fields) {
    plan.fields.emplace_back(field.name, record.stored_precision(field));
    values.fields.push_back(field.values);
  }
  plan.write_hdf5 = [&](const std::filesystem::path& scratch, const PackedSizes& sizes) {
    write_hdf5(scratch, record, sizes);
  };
  writer.write(ranks, path, plan, values, layout_key(record));
}

std::uint64_t step_file_bytes(Shape shape, const StoredForm& form, Precision precision,
                              std::size_t fields) {
  constexpr std::uint64_t rest = 40000;  // metadata and provenance
  const std::size_t value_size = byte_size(form.precision.value_or(precision));
  return fields * stored_size(shape, value_size, form.compression > 0) + axes_size(shape) + rest;
}

std::string step_file_name(std::int64_t step, std::string_view ending) {
  return fmt::format("step-{:09}{}", step, ending);
}

std::int64_t step_of_file_name(const std::string& name, std::string_view ending) {
  constexpr std::string_view start = "step-";
  std::int64_t step = -1;
  if (name.starts_with(start))
    std::from_chars(name.data() + start.size(), name.data() + name.size(), step);
  // Each step has exactly one name, so step-7.nc is not a step file.
  return step >= 0 && step_file_name(step, ending) == name ? step : -1;
}

std::vector<std::filesystem::path> list_step_files(const std::filesystem::path& folder,
                                                   std::string_view ending) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> found;
  std::error_code error;
  for (const std::filesystem::path& path : paths_in(folder, error))
    if (const auto step = step_of_file_name(path.filename().string(), ending); step >= 0)
      found.emplace_back(step, path);
  if (error && error != std::errc::no_such_file_or_directory)
    throw IoError(folder.string() + ": cannot list the folder: " + error.message());
  std::ranges::sort(found);
  std::vector<std::filesystem::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace lapl
