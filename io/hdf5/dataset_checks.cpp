#include "io/hdf5/dataset_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/rehearsal.hpp"
#include "kernels/machine/size_text.hpp"

namespace lapl {
namespace {

/// The largest compression ratio of deflate: two bits can encode 258 bytes.
constexpr hsize_t deflate_ratio = 1032;

herr_t refuse_external_link(const char*, const char*, const char*, const char*, unsigned*, hid_t,
                            void* refused) {
  *static_cast<bool*>(refused) = true;
  return -1;
}

herr_t add_dataset_name(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

std::string joined_names(hid_t file) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names = list_datasets(file);
  std::erase_if(names, [](const std::string& name) {  // that lapl adds to each output
    return name.starts_with("VTKHDF/") || name.starts_with("provenance/");
  });
  if (names.empty()) return "the file holds no dataset";
  const auto first = std::span(names).first(std::min(most, names.size()));
  return fmt::format("the file holds {}{}", fmt::join(first, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

/// Filters that HDF Group's registry lists, and HDF5's own.
constexpr std::pair<H5Z_filter_t, const char*> filter_names[] = {
    {4, "szip"},    {5, "nbit"},      {6, "scaleoffset"}, {307, "bzip2"},
    {32000, "lzf"}, {32001, "blosc"}, {32004, "lz4"},     {32008, "bitshuffle"},
    {32013, "zfp"}, {32015, "zstd"},  {32017, "sz"},      {32019, "fcidecomp"},
    {32024, "sz3"}, {32026, "blosc2"}};

std::string filter_name(H5Z_filter_t filter) {
  const auto* const row =
      std::ranges::find(filter_names, filter, &std::pair<H5Z_filter_t, const char*>::first);
  return row != std::end(filter_names) ? fmt::format(" ({})", row->second) : "";
}

/// The line that makes a file without the filter: h5repack knows HDF5's own, h5py lzf, and
/// hdf5plugin the others.
std::string conversion(H5Z_filter_t filter) {
  if (filter < 256) return "h5repack -f GZIP=4 IN.h5 OUT.h5";
  return fmt::format(
      "python3 -c \"import h5py{}; h5py.File('OUT.h5', 'w')['DATASET'] = "
      "h5py.File('IN.h5')['DATASET'][()]\"",
      filter == 32000 ? "" : ", hdf5plugin");
}

/// True if deflate is among the dataset's filters. Throws IoError for a filter that is not allowed.
bool check_filters(hid_t properties, const std::string& name) {
  bool deflated = false;
  const int count = check_hdf5(H5Pget_nfilters(properties), "read the filters of dataset " + name);
  for (int index = 0; index < count; ++index) {
    unsigned flags = 0, configuration = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(index), &flags,
                                               &values, nullptr, 0, nullptr, &configuration);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      throw IoError(
          "dataset {} uses HDF5 filter {}{}, but only deflate, shuffle and fletcher32 are read "
          "({})",
          name, filter, filter_name(filter), conversion(filter));
    deflated |= filter == H5Z_FILTER_DEFLATE;
  }
  return deflated;
}

/// Throws IoError if an array of this extent exceeds `limit` bytes.
void check_size(const std::vector<hsize_t>& extent, hsize_t value_size, hsize_t limit,
                const std::string& what) {
  hsize_t bytes = value_size;
  bool overflow = false;
  for (const hsize_t size : extent) overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  if (overflow || bytes > limit)
    throw IoError(
        what + " declares " + (overflow ? "over 18 EB" : size_text(static_cast<double>(bytes))) +
        ", but a file of this length holds at most " + size_text(static_cast<double>(limit)));
}

/// The extent of a chunk; empty if the dataset is not chunked.
std::vector<hsize_t> chunk_extents(hid_t properties, const std::string& name) {
  if (H5Pget_layout(properties) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = check_hdf5(H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data()),
                              "read the chunks of dataset " + name);
  return {chunk.begin(), chunk.begin() + rank};
}

/// The most bytes of values that the file of `dataset` can hold. The extent alone proves nothing,
/// because missing chunks read as zeros.
hsize_t believable_size(hid_t dataset, bool deflated) {
  const Hdf5File file(H5Iget_file_id(dataset), "find the file of a dataset");
  hsize_t length = 0;
  check_hdf5(H5Fget_filesize(file, &length), "read the file's length");
  if (!deflated) return length;
  return std::max(length, std::min(length, H5Dget_storage_size(dataset)) * deflate_ratio);
}

}  // namespace

Hdf5Dataset open_plain_dataset(hid_t location, const std::string& name) {
  bool external = false;
  const Hdf5Properties access(H5Pcreate(H5P_DATASET_ACCESS), "make access properties");
  check_hdf5(H5Pset_elink_cb(access, refuse_external_link, &external), "set access properties");
  const hid_t id = H5Dopen2(location, name.c_str(), access);
  if (external)
    throw IoError("dataset " + name + " is behind a link to another file: not followed");
  if (id < 0 && !has_dataset(location, name))
    throw IoError("no dataset " + name + "; " + joined_names(location));
  Hdf5Dataset dataset(id >= 0 ? id : H5Dopen2(location, name.c_str(), access),
                      "open dataset " + name);

  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
  // Must come first: asking a virtual dataset for its extent may open other files.
  if (check_hdf5(H5Pget_layout(properties), "read properties of " + name) == H5D_VIRTUAL)
    throw IoError("dataset " + name + " is virtual (its values are in other files): not followed");
  if (check_hdf5(H5Pget_external_count(properties), "read properties of " + name) > 0)
    throw IoError("dataset " + name + " keeps its values in external files: not followed");

  const hsize_t limit = believable_size(dataset, check_filters(properties, name));
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  const hsize_t value_size = H5Tget_size(type);
  check_size(dataset_extent(dataset, name), value_size, limit, "dataset " + name);
  check_size(chunk_extents(properties, name), value_size, limit, "a chunk of dataset " + name);
  return dataset;
}

Hdf5Dataset open_own_dataset(hid_t location, const std::string& name) {
  Hdf5Dataset dataset = open_plain_dataset(location, name);
  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
  if (H5Pget_layout(properties) == H5D_CHUNKED)
    throw IoError("dataset " + name + " is chunked, as lapl does not write it");
  return dataset;
}

void touch_values(hid_t dataset, const std::string& name, hid_t memory_type) {
  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
  const std::vector<hsize_t> extent = dataset_extent(dataset, name),
                             chunk = chunk_extents(properties, name);
  if (extent.empty() || std::ranges::find(extent, 0) != extent.end()) return;
  std::vector<hsize_t> start(extent.size(), 0), stride(extent.size()), count(extent.size());
  hsize_t values = 1, bytes = H5Tget_size(memory_type);
  for (std::size_t axis = 0; axis < extent.size(); ++axis) {
    stride[axis] = chunk.empty() ? std::max<hsize_t>(extent[axis] - 1, 1) : chunk[axis];
    count[axis] = (extent[axis] - 1) / stride[axis] + 1;
    values *= count[axis];
    bytes *= extent[axis];  // at most deflate_ratio times the file's length
  }
  if (H5Pget_nfilters(properties) > 0) allow_decompressing(bytes);
  const Hdf5Space selected(H5Dget_space(dataset), "read the extent of dataset " + name);
  check_hdf5(H5Sselect_hyperslab(selected, H5S_SELECT_SET, start.data(), stride.data(),
                                 count.data(), nullptr),
             "select values of dataset " + name);
  const Hdf5Space in_memory = make_space(std::span(&values, 1));
  std::vector<std::byte> buffer(values * H5Tget_size(memory_type));
  check_hdf5(H5Dread(dataset, memory_type, in_memory, selected, H5P_DEFAULT, buffer.data()),
             "read dataset " + name);
}

std::vector<hsize_t> dataset_extent(hid_t dataset, const std::string& name) {
  const std::string doing = "read the extent of dataset " + name;
  const Hdf5Space space(H5Dget_space(dataset), doing);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) throw IoError("dataset " + name + " is empty");
  std::vector<hsize_t> extent(check_hdf5(H5Sget_simple_extent_ndims(space), doing));
  check_hdf5(H5Sget_simple_extent_dims(space, extent.data(), nullptr), doing);
  return extent;
}

bool has_dataset(hid_t file, const std::string& name) {
  const std::vector<std::string> names = list_datasets(file);
  const std::size_t start = std::min(name.find_first_not_of('/'), name.size());
  return std::ranges::find(names, name.substr(start)) != names.end();
}

std::vector<std::string> list_datasets(hid_t file) {
  std::vector<std::string> names;
  check_hdf5(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_dataset_name, &names),
             "list the datasets");
  return names;
}

}  // namespace lapl
