// All members of a sweep in one netCDF-4 file.
#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cmath>

#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/file_writer.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/error.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

/// Files that a reader may open at once on most systems, less those that it needs itself.
constexpr std::size_t most_linked = 1000;

class SweepFile {
 public:
  SweepFile(SweptSeries sweep, const std::vector<std::string>& fields, std::string history)
      : sweep_(std::move(sweep)), fields_(fields), history_(std::move(history)) {
    use_one_grid();
    place_records();
    for (const std::string& field : fields_) texts_.push_back(field_text(field));
  }

  void write(const fs::path& path, bool link) const {
    FilePlan plan{.shape = first_->shape, .expected_bytes = expected_bytes()};
    plan.write_hdf5 = [&](const fs::path& scratch, const PackedSizes&) {
      write_hdf5(scratch, path, link);
    };
    if (link) {
      if (const std::size_t files = count_files(); files > most_linked)
        throw ConfigError(
            "--link: {} outputs, each in a file; programs read NaN from those beyond the {} or so "
            "that they can open at once (leave --link out, or choose some with --step or --where)",
            files, most_linked);
      return FileWriter().write(only_rank(), path, plan, {.rows = RowRange::all(plan.shape)}, "");
    }
    plan.records = places_.size();
    for (const std::string& field : fields_) plan.fields.emplace_back(field, first_->precision);
    write_records(path, plan, {}, [&](const PutRecord& put) {
      for (std::size_t i = 0; i < places_.size(); ++i)
        for (std::size_t field = 0; field < fields_.size(); ++field)
          put(field, i, field_bytes(as_view(values_at(places_[i], fields_[field]))));
    });
  }

 private:
  /// An output of a member; no record where there is none.
  struct Place {
    const Series* series = nullptr;
    const SeriesRecord* record = nullptr;
  };

  void use_one_grid() {
    Precision precision = Precision::float32;
    for (const SweptSeries::Member& member : sweep_.members) {
      if (!member.series) continue;
      if (!first_) first_ = &*member.series;
      if (member.series->shape != first_->shape || member.series->spacing != first_->spacing)
        throw ConfigError(
            "the members have different grids: {} is of {} cells, {} of {} (expected one grid; "
            "choose members with --where)",
            first_->records.front().file.string(), shape_text(first_->shape),
            member.series->records.front().file.string(), shape_text(member.series->shape));
      if (member.series->precision == Precision::float64) precision = Precision::float64;
      if (member.series->records.size() > times_.size()) {
        times_.clear();
        for (const SeriesRecord& record : member.series->records) times_.push_back(record.time);
      }
    }
    if (!first_) throw ConfigError("the sweep has no output yet");
    for (SweptSeries::Member& member : sweep_.members)
      if (member.series) member.series->precision = precision;
  }

  /// The axis is the time if all times are among those of the member with the most outputs; else
  /// outputs are counted.
  void place_records() {
    for (const SweptSeries::Member& member : sweep_.members)
      if (member.series)
        for (const SeriesRecord& record : member.series->records)
          by_time_ = by_time_ && std::ranges::count(times_, record.time) > 0;
    std::size_t combinations = 1;
    for (const SweptSeries::Key& key : sweep_.keys) combinations *= key.values.size();
    members_.resize(combinations);
    places_.resize(combinations * times_.size());
    for (const SweptSeries::Member& member : sweep_.members) {
      std::size_t at = 0;
      for (std::size_t key = 0; key < sweep_.keys.size(); ++key)
        at = at * sweep_.keys[key].values.size() + member.place[key];
      members_[at] = &member;
      if (!member.series) continue;
      for (std::size_t i = 0; i < member.series->records.size(); ++i) {
        const SeriesRecord& record = member.series->records[i];
        const auto found = std::ranges::find(times_, record.time) - times_.begin();
        const std::size_t time = by_time_ ? static_cast<std::size_t>(found) : i;
        places_[at * times_.size() + time] = {&*member.series, &record};
      }
    }
  }

  /// The text of a field in the first file that has it.
  FieldText field_text(const std::string& field) const {
    for (const Place& place : places_)
      if (place.record && std::ranges::count(place.record->fields, field) > 0) {
        const OpenedFile opened = open_verified(place.record->file);
        return naming_file(place.record->file,
                           [&] { return text_of_field(open_plain_dataset(opened.file, field)); });
      }
    throw IoError("no member has the field {}", field);
  }

  FieldValues values_at(const Place& place, const std::string& field) const {
    if (!place.record) return missing_values(first_->shape.cells(), first_->precision);
    return read_record(*place.series, *place.record, field);
  }

  std::size_t count_files() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(places_, [](const Place& place) { return place.record != nullptr; }));
  }

  std::uint64_t expected_bytes() const {
    const Axes grid{first_->shape, first_->spacing, {}, {}};
    return expected_axes(grid) + (512 + 128 * fields_.size()) * places_.size();
  }

  /// The extent of the keys, and with `times` that of the time.
  std::vector<hsize_t> extent(bool times) const {
    std::vector<hsize_t> extent;
    for (const SweptSeries::Key& key : sweep_.keys) extent.push_back(key.values.size());
    if (times) extent.push_back(times_.size());
    return extent;
  }

  void write_hdf5(const fs::path& scratch, const fs::path& path, bool link) const {
    Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
    {
      const fs::path& one = first_->records.front().file;
      const OpenedFile opened = open_verified(one);
      write_attribute(file, "source", read_text_attribute(opened.file, "source"));
    }
    write_attribute(file, "title", fmt::format("sweep of {} runs", sweep_.members.size()));
    write_attribute(file, "history", history_);
    write_format(file, "sweep");
    AxisScales scales;
    for (const SweptSeries::Key& key : sweep_.keys) {
      const hsize_t count = key.values.size();
      scales.push_back(
          write_coordinate(file, key.name, key.key, key.values, make_space(std::span(&count, 1))));
      check_hdf5(H5DSset_scale(scales.back(), key.name.c_str()), "make an axis of " + key.name);
    }
    std::vector<double> numbers;
    for (std::size_t i = 0; i < times_.size(); ++i) numbers.push_back(static_cast<double>(i));
    scales.push_back(by_time_ ? write_scale(file, "time", times_, first_->units.time, "time")
                              : write_scale(file, "output", numbers, "", "number of the output"));
    write_grid(file, {first_->shape, first_->spacing, {}, {}, first_->units}, scales);
    write_members(file, scales);
    for (std::size_t i = 0; i < fields_.size(); ++i) lay_out_field(file, i, path, link, scales);
    close_axes(scales);
    file.close("close the HDF5 file");
  }

  /// Writes step, status and digest of each member, and its times where they are no axis.
  void write_members(hid_t file, AxisScales& scales) const {
    std::vector<std::int64_t> steps;
    std::vector<double> times;
    for (const Place& place : places_) {
      steps.push_back(place.record ? place.record->step : -1);
      times.push_back(place.record ? place.record->time : NAN);
    }
    std::vector<std::string> status, digest;
    for (const SweptSeries::Member* member : members_) {
      status.push_back(member ? member->status : "");
      digest.push_back(member ? member->digest : "");
    }
    const auto finish = [&](Hdf5Dataset dataset, const char* name, const char* long_name,
                            std::size_t axes) {
      write_attribute(dataset, "long_name", long_name);
      for (unsigned axis = 0; axis < axes; ++axis)
        check_hdf5(H5DSattach_scale(dataset, scales[axis], axis), "attach an axis");
      dataset.close(std::string("close dataset ") + name);
    };
    const auto numbers = [&]<class T>(const char* name, const std::vector<T>& values) {
      Hdf5Dataset dataset = create_dataset(file, name, stored_type<T>(), make_space(extent(true)),
                                           dataset_properties());
      check_hdf5(H5Dwrite(dataset, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                 std::string("write dataset ") + name);
      return dataset;
    };
    const std::size_t keys = sweep_.keys.size();
    scales.coordinates =
        fmt::format("step {} {}{}", sweep_status, sweep_digest, by_time_ ? "" : " time");
    Hdf5Dataset step = numbers(dataset_name(OutputPart::step), steps);
    write_attribute(step, fill_attribute, std::vector<std::int64_t>{-1});
    finish(std::move(step), dataset_name(OutputPart::step), "number of steps done", keys + 1);
    if (!by_time_) {
      Hdf5Dataset time = numbers("time", times);
      write_unit(time, first_->units.time);
      finish(std::move(time), "time", "time", keys + 1);
    }
    const Hdf5Space each = make_space(extent(false));
    finish(write_strings(file, sweep_status, status, each), sweep_status, "how the run ended",
           keys);
    finish(write_strings(file, sweep_digest, digest, each), sweep_digest, "state digest", keys);
  }

  void lay_out_field(hid_t file, std::size_t field, const fs::path& path, bool link,
                     const AxisScales& scales) const {
    const std::string& name = fields_[field];
    std::vector<hsize_t> whole = extent(true);
    for (const std::int64_t cells : first_->shape.extents())
      whole.push_back(static_cast<hsize_t>(cells));
    Hdf5Dataset dataset = link
                              ? link_field(file, name, whole, path)
                              : create_records(file, name, first_->precision, whole, first_->shape);
    FieldText text = texts_[field];
    text.earlier_fill = text.earlier_fill && link;  // copied values are NaN
    describe_field(dataset, name, text, scales);
    for (std::size_t i = 0; i < places_.size() && !link; ++i)
      lay_out_record(dataset, name, i, first_->shape, first_->precision);
    dataset.close("close dataset " + name);
  }

  Hdf5Dataset link_field(hid_t file, const std::string& name, const std::vector<hsize_t>& whole,
                         const fs::path& path) const {
    const Hdf5Properties properties = virtual_properties(first_->precision);
    const Hdf5Space space = make_space(whole);
    const Hdf5Space source = make_space(records_extent(1, first_->shape));
    std::vector<hsize_t> start(whole.size()), count = whole;
    const std::size_t leading = sweep_.keys.size() + 1;
    std::fill_n(count.begin(), leading, 1);
    const fs::path folder = fs::absolute(path).parent_path();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const SeriesRecord* const record = places_[i].record;
      if (!record || std::ranges::count(record->fields, name) == 0) continue;
      for (std::size_t axis = leading, rest = i; axis-- > 0; rest /= whole[axis])
        start[axis] = rest % whole[axis];
      check_hdf5(
          H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "select a record");
      // A relative path, so that a sweep can be moved with its file.
      const fs::path target = fs::absolute(record->file).lexically_relative(folder);
      check_hdf5(H5Pset_virtual(properties, space, target.c_str(), ("/" + name).c_str(), source),
                 "map a record of " + name);
    }
    check_hdf5(H5Sselect_all(space), "select all records");
    return create_dataset(file, name, hdf5_stored_type(first_->precision), space, properties);
  }

  SweptSeries sweep_;
  const std::vector<std::string>& fields_;
  std::string history_;
  const Series* first_ = nullptr;
  std::vector<double> times_;  // of the member with the most outputs
  bool by_time_ = true;
  std::vector<const SweptSeries::Member*> members_;  // for each combination; null: missing
  std::vector<Place> places_;                        // for each combination and time
  std::vector<FieldText> texts_;
};

}  // namespace

void write_sweep_file(const fs::path& path, SweptSeries sweep,
                      const std::vector<std::string>& fields, const std::string& history,
                      bool link) {
  const Hdf5Session session;
  SweepFile(std::move(sweep), fields, history).write(path, link);
}

}  // namespace lapl
