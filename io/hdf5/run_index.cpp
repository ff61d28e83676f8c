#include "io/hdf5/run_index.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/mask_dataset.hpp"
#include "kernels/machine/paths_in.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// Names such as bundle-000002500.nc and their steps.
std::string bundle_name(std::int64_t step) { return "bundle-" + step_file_name(step).substr(5); }
bool is_bundle(const std::string& name) {
  return name.starts_with("bundle-") && step_of_file_name("step-" + name.substr(7)) >= 0;
}

std::vector<fs::path> list_bundles(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::path& path : paths_in(folder, error))
    if (is_bundle(path.filename().string())) paths.push_back(path);
  return paths;
}

/// Time of the last change; the largest time if it is unknown.
fs::file_time_type written_at(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? fs::file_time_type::max() : time;
}

Hdf5Space records_space(std::size_t records, Shape shape) {
  return make_space(records_extent(records, shape));
}

void select_records(hid_t space, std::size_t first, std::size_t count, Shape shape) {
  const auto extent = records_extent(count, shape);
  std::vector<hsize_t> start(extent.size());
  start.front() = first;
  check_hdf5(
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
      "select records");
}

/// Writes /mask as a virtual dataset over that of another file.
void lay_out_mask(hid_t file, Shape shape, const std::string& source, const AxisScales& scales) {
  const std::string name = dataset_name(OutputPart::mask);
  const Hdf5Space space = make_space(along_axes(shape.axes, 1, 1, shape));
  const Hdf5Properties properties = dataset_properties();
  check_hdf5(H5Pset_virtual(properties, space, source.c_str(), ("/" + name).c_str(), space),
             "map the mask");
  Hdf5Dataset dataset = create_dataset(file, name, H5T_STD_U8LE, space, properties);
  describe_mask(dataset);
  for (unsigned axis = 1; axis < scales.size(); ++axis)
    check_hdf5(H5DSattach_scale(dataset, scales[axis], axis - 1), "attach an axis to the mask");
  dataset.close("close dataset mask");
}

}  // namespace

RunIndex::RunIndex(fs::path path, fs::path folder)
    : path_(std::move(path)), folder_(std::move(folder)) {}

void RunIndex::add(const StepRecord& record) {
  if (loaded_)
    add_output(record);
  else
    load(&record);
}

void RunIndex::add_output(const StepRecord& record) {
  if (records_.empty()) {
    shape_ = record.shape;
    spacing_ = record.spacing;
    units_ = record.units;
    swept_ = provenance_text(record.provenance, "swept");
    for (auto& [name, text] : root_texts(record)) root_texts_[name] = std::move(text);
  }
  records_[record.step] = {record.time, {}, 0, record.mask != nullptr};
  for (const NamedField& field : record.fields) {
    use_precision(record.stored_precision(field));
    fields_.try_emplace(field.name, field.text(record.form.kept_bits()));
  }
}

/// float64 if any output has it: lapl resume --change precision changes that of later ones.
void RunIndex::use_precision(Precision precision) {
  if (fields_.empty() || precision == Precision::float64) precision_ = precision;
}

/// Adds the names and units of fields in an open file that are not known yet, and notes fill values
/// of earlier versions.
void RunIndex::add_fields(std::int64_t file) {
  const int grid_axes = count_grid_axes(file);
  for (const std::string& name : list_datasets(file)) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    if (std::ssize(dataset_extent(dataset, name)) != 1 + grid_axes) continue;
    use_precision(field_layout(dataset, name, grid_axes).precision);
    const FieldText text = text_of_field(dataset);
    FieldText& known = fields_.try_emplace(name, text).first->second;
    known.earlier_fill = known.earlier_fill || text.earlier_fill;
  }
}

/// Adds a step file's record. The first file also gives the grid and the root attributes.
void RunIndex::read_step(std::int64_t step) {
  const fs::path path = folder_ / step_file_name(step);
  const Hdf5File file = open_verified(path).file;
  naming_file(path, [&] {
    const Axes axes = read_axes(file);
    if (axes.times.size() != 1) throw IoError("holds more than one record");
    if (axes.steps[0] != step) throw IoError("holds step " + std::to_string(axes.steps[0]));
    if (!records_.empty() && axes.shape != shape_)
      throw IoError("has another grid than the other step files");
    std::map<std::string, std::string> texts;
    for (const char* name : {"title", "source", "history"})
      texts[name] = read_text_attribute(file, name);
    add_fields(file);
    if (records_.empty()) {
      shape_ = axes.shape;
      spacing_ = axes.spacing;
      units_ = axes.units;
      swept_ = axes.swept;
      root_texts_ = std::move(texts);
    }
    records_[step] = {axes.times[0], {}, 0, has_mask(file)};
  });
}

/// Loads all outputs except unreadable ones, beginning with the one just written or the newest. The
/// index gives the time of a record whose step file is older than the index.
void RunIndex::load(const StepRecord* just_written) {
  const Hdf5Session session;
  records_.clear();
  fields_.clear();
  problems_.clear();
  std::vector<std::int64_t> order;
  for (const fs::path& file : list_step_files(folder_))
    order.push_back(step_of_file_name(file.filename().string()));
  if (just_written != nullptr) {
    add_output(*just_written);
    std::erase(order, just_written->step);
  }
  if (order.empty() && records_.empty())
    throw IoError(folder_.string() + ": holds no step files to make an index of");
  std::ranges::reverse(order);

  std::map<std::int64_t, double> known;
  fs::file_time_type known_at = written_at(path_);
  try {
    const OpenedFile old = open_verified(path_);
    const Axes axes = read_axes(old.file);
    if (old.format == "index")
      for (std::size_t i = 0; i < axes.steps.size(); ++i) known[axes.steps[i]] = axes.times[i];
  } catch (const IoError&) {  // an unusable index is ignored
  }
  bool used_known = false;
  for (const std::int64_t step : order) try {
      const auto found = known.find(step);
      if (!records_.empty() && found != known.end() &&
          written_at(folder_ / step_file_name(step)) <= known_at) {
        records_[step] = {found->second, {}, 0};
        used_known = true;
      } else {
        read_step(step);
      }
    } catch (const IoError& error) {
      problems_.emplace_back(error.what());
    }
  if (records_.empty()) throw IoError(problems_.front());
  if (used_known) naming_file(path_, [&] { add_fields(open_verified(path_).file); });
  add_bundles();
  loaded_ = true;
}

/// Records in bundles replace those in the step files that were copied. Ignores unusable bundles.
void RunIndex::add_bundles() {
  bundles_.clear();
  for (const fs::path& path : list_bundles(folder_)) try {
      const OpenedFile opened = open_verified(path);
      const Axes axes = read_axes(opened.file);
      if (opened.format != "series" || axes.shape != shape_) continue;
      const std::string name = path.filename().string();
      const auto copied =
          read_numbers_attribute<std::uint64_t>(opened.file, copied_digests, axes.steps.size());
      if (copied.size() != axes.steps.size()) continue;
      bundles_[name] = axes.steps.size();
      for (std::size_t i = 0; i < axes.steps.size(); ++i)
        if (const auto record = records_.find(axes.steps[i]);
            record != records_.end() && record->second.time == axes.times[i] &&
            sealed_digest(folder_ / step_file_name(axes.steps[i])) == copied[i])
          record->second.bundle = name, record->second.place = i;
    } catch (const IoError&) {
    }
}

std::vector<RunIndex::RecordRange> RunIndex::runs() const {
  std::vector<RecordRange> runs;
  for (const auto& [step, record] : records_) {
    if (record.bundle.empty())
      runs.push_back({step_file_name(step), 0, 1, 1});
    else if (!runs.empty() && runs.back().file == record.bundle &&
             runs.back().place + runs.back().records == record.place)
      ++runs.back().records;
    else
      runs.push_back({record.bundle, record.place, 1, bundles_.at(record.bundle)});
  }
  return runs;
}

/// Writes root attributes, axes, and for each field a virtual dataset (time, y, x), which reads as
/// NaN if a step file lacks the field. The mask is that of the last output known to have one.
void RunIndex::lay_out_index(const fs::path& scratch, const Axes& axes) const {
  const std::vector<RecordRange> all = runs();
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
  for (const auto& [name, text] : root_texts_) write_attribute(file, name, text);
  write_format(file, "index");
  AxisScales scales = write_axes(file, axes);
  for (const auto& [name, text] : fields_) {
    const Hdf5Properties properties = virtual_properties(precision_);
    const Hdf5Space space = records_space(axes.steps.size(), axes.shape);
    std::size_t at = 0;
    for (const RecordRange& run : all) {
      const Hdf5Space source = records_space(run.places, axes.shape);
      select_records(source, run.place, run.records, axes.shape);
      select_records(space, at, run.records, axes.shape);
      at += run.records;
      // A relative path, so that a run folder can be moved.
      check_hdf5(H5Pset_virtual(properties, space, ("fields/" + run.file).c_str(),
                                ("/" + name).c_str(), source),
                 "map records of " + name);
    }
    check_hdf5(H5Sselect_all(space), "select all records");
    Hdf5Dataset dataset =
        create_dataset(file, name, hdf5_stored_type(precision_), space, properties);
    describe_field(dataset, name, text, scales);
    dataset.close("close dataset " + name);
  }
  const auto masked = std::find_if(records_.rbegin(), records_.rend(),
                                   [](const auto& record) { return record.second.masked; });
  if (masked != records_.rend())
    lay_out_mask(file, shape_, "fields/" + step_file_name(masked->first), scales);
  close_axes(scales);
  file.close("close the HDF5 file");
}

void RunIndex::write_index() const {
  Axes axes{shape_, spacing_, {}, {}, units_, swept_};
  for (const auto& [step, record] : records_) axes.add(record.time, step);
  FileWriter().write(only_rank(), path_,
                     {.shape = shape_,
                      .expected_bytes = expected_axes(axes),
                      .write_hdf5 = [&](const fs::path& scratch,
                                        const PackedSizes&) { lay_out_index(scratch, axes); }},
                     {.rows = RowRange::all(shape_)}, "");
}

/// Writes each bundle that is due, with the first outputs that are in no bundle.
void RunIndex::write_bundles() {
  for (;;) {
    std::vector<std::int64_t> steps;
    for (const auto& [step, record] : records_)
      if (record.bundle.empty() && steps.size() < bundle_size) steps.push_back(step);
    if (steps.size() < bundle_size) return;
    // A bundle has the name of its first step that does not name an existing bundle.
    const std::string name = bundle_name(*std::ranges::find_if(
        steps, [&](std::int64_t step) { return !bundles_.contains(bundle_name(step)); }));
    const fs::path path = folder_ / name;
    try {
      write_bundle(path, steps);
    } catch (const BadStep& bad) {
      problems_.push_back(bad.problem);
      records_.erase(bad.step);
      continue;
    }
    bundles_[name] = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i)
      records_[steps[i]].bundle = name, records_[steps[i]].place = i;
  }
}

std::vector<std::string> RunIndex::write() try {
  const Hdf5Session session;
  if (!loaded_) load(nullptr);
  write_bundles();
  if (records_.empty()) throw IoError(path_.string() + ": no output is left that it could show");
  write_index();
  std::set<std::string> used;
  for (const auto& [step, record] : records_) used.insert(record.bundle);
  for (const fs::path& bundle : list_bundles(folder_))
    if (!used.contains(bundle.filename().string())) fs::remove(bundle);
  return std::exchange(problems_, {});
} catch (const fs::filesystem_error& error) {
  throw IoError(error.path1().string() + ": " + error.code().message());
}

}  // namespace lapl
