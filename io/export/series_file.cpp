#include <fmt/format.h>

#include <algorithm>

#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/vtkhdf.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct FieldHeader {
  std::string name, long_name, units;
};

/// Everything but the values.
struct Header {
  Axes axes;
  std::string title, source, history;
  std::vector<FieldHeader> fields;
  Provenance provenance;  ///< of the last record
};

Header make_header(const Series& series, const std::vector<std::string>& fields,
                   const std::string& history) {
  Header header;
  header.axes = {series.shape, series.spacing, {}, {}};
  for (const SeriesRecord& record : series.records) header.axes.add(record.time, record.step);
  const SeriesRecord& last = series.records.back();
  header.provenance = read_content(last.file).provenance;
  // Those of the values in this file come instead.
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
      header.fields.push_back(
          {name, read_text_attribute(dataset, "long_name"), read_text_attribute(dataset, "units")});
    });
  }
  const OpenedFile opened = open_verified(last.file);
  naming_file(last.file, [&] {
    header.title = read_text_attribute(opened.file, "title");
    header.source = read_text_attribute(opened.file, "source");
    header.history = read_text_attribute(opened.file, "history") + '\n' + history;
  });
  return header;
}

// What goes into the file at `scratch`; the errors of reading a record name that record's file.
class SeriesFile {
 public:
  SeriesFile(const fs::path& path, const Series& series, const Header& header)
      : path_(path), series_(series), header_(header) {}

  void write(const fs::path& scratch) {
    Hdf5File file =
        naming_file(path_, [&] { return create_hdf5_file(scratch, Hdf5Format::netcdf); });
    AxisScales scales = naming_file(path_, [&] { return write_axes_and_texts(file); });
    for (const FieldHeader& field : header_.fields) write_field(file, field, scales);
    naming_file(path_, [&] {
      write_provenance(file);
      std::vector<VtkField> fields;
      for (const FieldHeader& field : header_.fields)
        fields.push_back({field.name, stored_type_of(series_.precision)});
      write_vtkhdf(file, header_.axes, fields, scales);
      close_axes(scales);
      file.close("close the HDF5 file");
    });
  }

  /// HDF5 can lose data without an error: what it wrote is read again before it is sealed.
  void expect(const fs::path& scratch) const {
    const Hdf5File file = reopen_hdf5_file(scratch);
    expect_axes(file, header_.axes);
    for (std::size_t i = 0; i < digests_.size(); ++i)
      expect_records(file, header_.fields[i].name, series_.shape.axes, digests_[i]);
  }

 private:
  AxisScales write_axes_and_texts(hid_t file) const {
    write_attribute(file, "title", header_.title);
    write_attribute(file, "source", header_.source);
    write_attribute(file, "history", header_.history);
    write_format(file, "series");
    return write_axes(file, header_.axes);
  }

  void write_field(hid_t file, const FieldHeader& field, const AxisScales& scales) {
    const std::string& name = field.name;
    Hdf5Dataset dataset = naming_file(path_, [&] {
      Hdf5Dataset created = create_records(file, name, series_.precision, 1 + series_.shape.axes,
                                           series_.records.size(), series_.shape);
      describe_field(created, name, field.long_name, field.units, scales);
      return created;
    });
    std::vector<std::uint64_t>& digests = digests_.emplace_back();
    for (std::size_t i = 0; i < series_.records.size(); ++i) {
      const FieldValues values = read_record(series_, series_.records[i], name);
      digests.push_back(digest_of(values));
      naming_file(path_, [&] {
        write_values(dataset, name, 1 + series_.shape.axes, i, series_.shape, view_of(values));
      });
    }
    naming_file(path_, [&] { dataset.close("close dataset " + name); });
  }

  void write_provenance(hid_t file) const {
    const Hdf5Group group = create_hdf5_group(file, "provenance");
    for (const auto& [name, text] : header_.provenance) write_text(group, name, text);
    std::string text;
    for (std::size_t field = 0; field < digests_.size(); ++field)
      for (std::size_t i = 0; i < series_.records.size(); ++i)
        text += fmt::format("{} {} {:#018x}\n", header_.fields[field].name, series_.records[i].step,
                            digests_[field][i]);
    write_text(group, "digests", text);
  }

  const fs::path& path_;
  const Series& series_;
  const Header& header_;
  std::vector<std::vector<std::uint64_t>> digests_;  // field by field, record by record
};

}  // namespace

void write_series_file(const fs::path& path, const Series& series,
                       const std::vector<std::string>& fields, const std::string& history) {
  const Hdf5Session session;
  const Header header = make_header(series, fields, history);
  const std::uint64_t bytes =
      fields.size() * series.records.size() * stored_size(series.shape, size_of(series.precision));
  SeriesFile file(path, series, header);
  write_sealed(path, bytes, [&](const fs::path& scratch) {
    file.write(scratch);
    naming_file(path, [&] { file.expect(scratch); });
  });
}

}  // namespace lapl
