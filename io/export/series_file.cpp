#include <fmt/format.h>

#include <algorithm>

#include "io/export/export.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/file_writer.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/vtkhdf.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct FieldHeader {
  std::string name;
  FieldText text;
};

/// The metadata of the exported file.
struct Header {
  Axes axes;
  std::string title, source, history;
  std::vector<FieldHeader> fields;
  Provenance provenance;                   ///< of the last record
  std::shared_ptr<const StoredMask> mask;  ///< that of the last record
};

Header make_header(const Series& series, const std::vector<std::string>& fields,
                   const std::string& history) {
  Header header;
  header.axes = {series.shape, series.spacing, {}, {}, series.units};
  for (const SeriesRecord& record : series.records) header.axes.add(record.time, record.step);
  const SeriesRecord& last = series.records.back();
  header.provenance = read_content(last.file).provenance;
  // Digests of single records do not apply to this file; text_of_digests replaces them.
  std::erase_if(header.provenance, [](const auto& text) {
    return text.first == "state_digest" || text.first == "digests";
  });
  for (const std::string& name : fields) {
    const auto holder = std::ranges::find_if(
        series.records.rbegin(), series.records.rend(), [&](const SeriesRecord& record) {
          return std::ranges::find(record.fields, name) != record.fields.end();
        });
    const OpenedFile opened = open_verified(holder->file);
    naming_file(holder->file, [&] {
      const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
      header.fields.push_back({name, text_of_field(dataset)});
      header.fields.back().text.earlier_fill = false;  // such values are read as NaN
    });
  }
  const OpenedFile opened = open_verified(last.file);
  naming_file(last.file, [&] {
    header.mask = StoredMask::read(opened.file, series.shape);
    header.axes.swept = read_axes(opened.file).swept;
    header.title = read_text_attribute(opened.file, "title");
    header.source = read_text_attribute(opened.file, "source");
    header.history = read_text_attribute(opened.file, "history") + '\n' + history;
  });
  return header;
}

class SeriesFile {
 public:
  SeriesFile(const Series& series, const Header& header)
      : series_(series),
        header_(header),
        digests_(header.fields.size(), std::vector<std::uint64_t>(series.records.size())),
        text_(text_of_digests()) {}

  void write(const fs::path& path) {
    FilePlan plan{
        .shape = series_.shape,
        .records = series_.records.size(),
        .expected_bytes = expected_bytes(),
        .write_hdf5 = [&](const fs::path& scratch, const PackedSizes&) { write_hdf5(scratch); }};
    for (const FieldHeader& field : header_.fields)
      plan.fields.emplace_back(field.name, series_.precision);
    write_records(path, plan, {{"provenance/digests", std::as_bytes(std::span(text_))}},
                  [&](const PutRecord& put) {
                    put_values(put);
                    std::ranges::copy(text_of_digests(), text_.begin());
                  });
  }

 private:
  /// An upper bound of the file's size without the values of fields.
  std::uint64_t expected_bytes() const {
    const Shape shape = series_.shape;
    std::uint64_t bytes = (std::uint64_t{1} << 20) + text_.size();
    bytes += 8 * static_cast<std::uint64_t>(shape.planes + shape.rows + shape.columns);
    if (header_.mask) bytes += header_.mask->bytes(series_.records.size());
    return bytes + 64 * series_.records.size() * header_.fields.size();
  }

  void write_hdf5(const fs::path& scratch) const {
    Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
    write_attribute(file, "title", header_.title);
    write_attribute(file, "source", header_.source);
    write_attribute(file, "history", header_.history);
    write_format(file, "series");
    AxisScales scales = write_axes(file, header_.axes);
    for (const FieldHeader& field : header_.fields) lay_out_field(file, field, scales);
    if (header_.mask) header_.mask->write(file, scales);
    {
      const Hdf5Group group = create_hdf5_group(file, dataset_name(OutputPart::provenance));
      for (const auto& [name, text] : header_.provenance) write_text(group, name, text);
      write_text(group, "digests", text_);
    }
    std::vector<VtkField> fields;
    for (const FieldHeader& field : header_.fields)
      fields.push_back({field.name, hdf5_stored_type(series_.precision)});
    write_vtkhdf(file, header_.axes, fields, scales, header_.mask.get());
    close_axes(scales);
    file.close("close the HDF5 file");
  }

  void lay_out_field(hid_t file, const FieldHeader& field, const AxisScales& scales) const {
    Hdf5Dataset dataset =
        create_records(file, field.name, series_.precision,
                       records_extent(series_.records.size(), series_.shape), series_.shape);
    describe_field(dataset, field.name, field.text, scales);
    for (std::size_t i = 0; i < series_.records.size(); ++i)
      lay_out_record(dataset, field.name, i, series_.shape, series_.precision);
    dataset.close("close dataset " + field.name);
  }

  void put_values(const PutRecord& put) {
    for (std::size_t field = 0; field < header_.fields.size(); ++field)
      for (std::size_t i = 0; i < series_.records.size(); ++i) {
        const FieldHeader& header = header_.fields[field];
        const auto& held = series_.records[i].fields;
        FieldValues values = read_record(series_, series_.records[i], header.name);
        const bool masked =
            header.text.masked && std::ranges::find(held, header.name) != held.end();
        if (masked) replace_outside(values, 0);
        digests_[field][i] = field_digest(values);
        if (masked) values = read_record(series_, series_.records[i], header.name);
        put(field, i, field_bytes(as_view(values)));
      }
  }

  /// The digests as text; its length does not depend on their values.
  std::string text_of_digests() const {
    std::string text;
    for (std::size_t field = 0; field < digests_.size(); ++field)
      for (std::size_t i = 0; i < series_.records.size(); ++i)
        text += fmt::format("{} {} {:#018x}\n", header_.fields[field].name, series_.records[i].step,
                            digests_[field][i]);
    return text;
  }

  const Series& series_;
  const Header& header_;
  std::vector<std::vector<std::uint64_t>> digests_;  // by field, then by record
  std::string text_;                                 // the digests as text
};

}  // namespace

void write_series_file(const fs::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history) {
  const Hdf5Session session;
  const Header header = make_header(series, fields, history);
  SeriesFile(series, header).write(path);
}

}  // namespace lapl
