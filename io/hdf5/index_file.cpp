#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <system_error>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {
namespace {

struct FieldText {
  std::string units, long_name;
};

/// What the new index will hold.
struct Index {
  Axes axes;
  std::map<std::string, FieldText> fields;
  bool single_precision = false;
  std::map<std::string, std::string> root_texts;
};

/// Steps of the files in the folder, in order.
std::vector<std::int64_t> steps_in(const std::filesystem::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const auto step = step_of_file_name(entry->path().filename().string()); step >= 0)
      steps.push_back(step);
  if (error) throw IoError(folder.string() + ": cannot list the folder: " + error.message());
  if (steps.empty()) throw IoError(folder.string() + ": holds no step files to make an index of");
  std::ranges::sort(steps);
  return steps;
}

/// Adds those fields of an open step file or index that are not known yet.
void add_fields(hid_t file, Index& index) {
  for (const std::string& name : list_datasets(file)) {
    if (index.fields.contains(name)) continue;
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    if (extent_of(dataset, name).size() != 3) continue;
    if (index.fields.empty()) index.single_precision = field_layout(dataset, name).single_precision;
    index.fields[name] = {read_text_attribute(dataset, "units"),
                          read_text_attribute(dataset, "long_name")};
  }
}

/// Step, time and time of writing of the records that an earlier index took.
struct Known {
  std::map<std::int64_t, double> times;
  std::filesystem::file_time_type written;
};

/// From the index as it was, so that rewriting it n times does not open n^2 / 2 step files. An
/// index that cannot be used is as good as none.
Known read_known(const std::filesystem::path& path, Index& index) try {
  Known known{{}, std::filesystem::last_write_time(path)};
  const OpenedFile old = open_verified(path);
  if (old.format != "index") return {};
  const Axes axes = read_axes(old.file);
  for (std::size_t i = 0; i < axes.steps.size(); ++i) known.times[axes.steps[i]] = axes.times[i];
  add_fields(old.file, index);
  return known;
} catch (const std::exception&) {
  return {};
}

/// Takes over what a step file says, of which nothing where it throws. The first one also gives the
/// grid and the root attributes; what was just written need not be verified.
double read_step(const std::filesystem::path& path, std::int64_t step, bool first,
                 bool just_written, Index& index) {
  const Hdf5File file = just_written ? naming_file(path, [&] { return open_hdf5_file(path); })
                                     : open_verified(path).file;
  return naming_file(path, [&] {
    Index more = index;
    const Axes axes = read_axes(file);
    if (axes.times.size() != 1) throw IoError("holds more than one record");
    if (axes.steps[0] != step) throw IoError("holds step " + std::to_string(axes.steps[0]));
    if (first) {
      more.axes.shape = axes.shape;
      more.axes.spacing = axes.spacing;
      const Hdf5Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
      for (const char* name : {"Conventions", "title", "source", "history"})
        more.root_texts[name] = read_text_attribute(root, name);
    } else if (axes.shape != index.axes.shape) {
      throw IoError("has another grid than the other step files");
    }
    add_fields(file, more);
    index = std::move(more);
    return axes.times[0];
  });
}

/// Is the file no younger than the index that took its time?
bool unchanged(const std::filesystem::path& file, const Known& known) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  return !error && written <= known.written;
}

/// From what was just written, or else from the newest on; what cannot be read is left out.
Index collect(const std::filesystem::path& path, const std::filesystem::path& folder,
              std::int64_t just_written, std::vector<std::string>& left_out) {
  std::vector<std::int64_t> order = steps_in(folder);
  std::ranges::reverse(order);
  if (const auto at = std::ranges::find(order, just_written); at != order.end())
    std::rotate(order.begin(), at, at + 1);
  Index index, earlier;
  const Known known = read_known(path, earlier);
  std::map<std::int64_t, double> times;
  for (const std::int64_t step : order) try {
      const auto file = folder / step_file_name(step);
      const bool first = times.empty();
      const auto found = known.times.find(step);
      times.emplace(step, !first && found != known.times.end() && unchanged(file, known)
                              ? found->second
                              : read_step(file, step, first, step == just_written, index));
    } catch (const IoError& error) {
      left_out.emplace_back(error.what());
    }
  if (times.empty()) throw IoError(left_out.front());
  for (const auto& [step, time] : times) {
    index.axes.steps.push_back(step);
    index.axes.times.push_back(time);
  }
  index.fields.merge(earlier.fields);
  return index;
}

/// The dataset (time, y, x) whose record i is the dataset of that name in the step file of step i.
/// Where a step file lacks it, readers find the fill value.
template <class T>
Hdf5Dataset create_virtual(hid_t file, const std::string& name, const Axes& axes) {
  const std::array<hsize_t, 3> extent = {axes.steps.size(), static_cast<hsize_t>(axes.shape.rows),
                                         static_cast<hsize_t>(axes.shape.columns)};
  const std::array<hsize_t, 3> record = {1, extent[1], extent[2]};
  const Hdf5Space space(H5Screate_simple(3, extent.data(), nullptr), "make a data space");
  const Hdf5Space source(H5Screate_simple(3, record.data(), nullptr), "make a data space");
  const Hdf5Properties properties = dataset_properties();
  const T missing = std::numeric_limits<T>::quiet_NaN();
  check_hdf5(H5Pset_fill_time(properties, H5D_FILL_TIME_IFSET), "set dataset properties");
  check_hdf5(H5Pset_fill_value(properties, memory_type<T>(), &missing), "set the fill value");
  for (std::size_t i = 0; i < axes.steps.size(); ++i) {
    const std::array<hsize_t, 3> start = {i, 0, 0};
    check_hdf5(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, record.data(), nullptr),
        "select a record");
    // Relative to the index itself, so that a run folder can be moved.
    const std::string file_name = "fields/" + step_file_name(axes.steps[i]);
    check_hdf5(H5Pset_virtual(properties, space, file_name.c_str(), ("/" + name).c_str(), source),
               "map a record of " + name);
  }
  return {
      H5Dcreate2(file, name.c_str(), stored_type<T>(), space, H5P_DEFAULT, properties, H5P_DEFAULT),
      "create dataset " + name};
}

void write_hdf5(const std::filesystem::path& scratch, const Index& index) {
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
  {
    const Hdf5Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
    for (const auto& [name, text] : index.root_texts) write_attribute(root, name, text);
    write_format(file, "index");
    AxisScales scales = write_axes(file, index.axes);
    for (const auto& [name, text] : index.fields) {
      Hdf5Dataset dataset = index.single_precision ? create_virtual<float>(file, name, index.axes)
                                                   : create_virtual<double>(file, name, index.axes);
      write_attribute(dataset, "units", text.units);
      write_attribute(dataset, "long_name", text.long_name);
      attach_axes(dataset, name, scales);
      dataset.close("close dataset " + name);
    }
    scales.close();
  }
  file.close("close the HDF5 file");
}

void expect_hdf5(const std::filesystem::path& scratch, const Index& index) {
  const Hdf5File file = reopen_hdf5_file(scratch);
  expect_axes(file, index.axes);
  for (const auto& [name, text] : index.fields) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
    std::size_t records = 0;
    check_hdf5(H5Pget_virtual_count(properties, &records), "read the records of " + name);
    if (records != index.axes.steps.size())
      throw IoError("dataset " + name + " reads back with another number of records");
  }
}

}  // namespace

std::vector<std::string> write_index(const std::filesystem::path& path,
                                     const std::filesystem::path& folder,
                                     std::int64_t just_written) {
  const Hdf5Session session;
  std::vector<std::string> left_out;
  const Index index = collect(path, folder, just_written, left_out);
  write_sealed(path, 0, [&](const std::filesystem::path& scratch) {
    naming_file(path, [&] {
      write_hdf5(scratch, index);
      expect_hdf5(scratch, index);
    });
  });
  return left_out;
}

}  // namespace lapl
