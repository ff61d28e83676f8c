#include "io/hdf5/hdf5_values.hpp"

#include <algorithm>

namespace lapl {
namespace {

Hdf5Type text_type(std::string_view text) {
  const bool ascii = std::ranges::all_of(text, [](unsigned char c) { return c < 128; });
  Hdf5Type type(H5Tcopy(H5T_C_S1), "make a text type");
  check_hdf5(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "make a text type");
  check_hdf5(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a text type");
  check_hdf5(H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "make a text type");
  return type;
}

/// HDF5 reads at least one byte, even if the text is empty.
const char* text_data(std::string_view text) { return text.empty() ? "" : text.data(); }

/// Fixed-length text without its padding zeros.
std::string without_padding(std::string text) {
  text.resize(std::min(text.find_last_not_of('\0') + 1, text.size()));
  return text;
}

Hdf5Space array_space(hsize_t count) { return make_space(std::span(&count, 1)); }

}  // namespace

Hdf5Properties dataset_properties() {
  Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE), "make dataset properties");
  check_hdf5(H5Pset_attr_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
             "set dataset properties");
  check_hdf5(H5Pset_obj_track_times(properties, false), "set dataset properties");
  check_hdf5(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "set dataset properties");
  return properties;
}

Hdf5Space make_space(std::span<const hsize_t> extent) {
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
          "make a data space"};
}

Hdf5Dataset create_dataset(hid_t location, const std::string& name, hid_t type, hid_t space,
                           hid_t properties, hid_t links) {
  return {H5Dcreate2(location, name.c_str(), type, space, links, properties, H5P_DEFAULT),
          "create dataset " + name};
}

void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const Hdf5Type type = text_type(text);
  const Hdf5Space space(H5Screate(H5S_SCALAR), "make a data space");
  Hdf5Attribute attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                          "create attribute " + name);
  check_hdf5(H5Awrite(attribute, type, text_data(text)), "write attribute " + name);
  attribute.close("close attribute " + name);
}

template <class T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values) {
  const Hdf5Space space = values.size() == 1 ? Hdf5Space(H5Screate(H5S_SCALAR), "make a data space")
                                             : array_space(values.size());
  Hdf5Attribute attribute(
      H5Acreate2(object, name.c_str(), stored_type<T>(), space, H5P_DEFAULT, H5P_DEFAULT),
      "create attribute " + name);
  check_hdf5(H5Awrite(attribute, memory_type<T>(), values.data()), "write attribute " + name);
  attribute.close("close attribute " + name);
}

std::string read_text_attribute(hid_t object, const std::string& name) {
  if (check_hdf5(H5Aexists(object, name.c_str()), "look for attribute " + name) == 0) return {};
  const Hdf5Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                                "open attribute " + name);
  const Hdf5Type type(H5Aget_type(attribute), "read the type of attribute " + name);
  const Hdf5Space space(H5Aget_space(attribute), "read the extent of attribute " + name);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) == 0) {
    std::string text(H5Tget_size(type), '\0');
    check_hdf5(H5Aread(attribute, type, text.data()), "read attribute " + name);
    return without_padding(std::move(text));
  }
  char* held = nullptr;
  check_hdf5(H5Aread(attribute, type, static_cast<void*>(&held)), "read attribute " + name);
  std::string text = held != nullptr ? held : "";
  H5free_memory(held);
  return text;
}

template <class T>
T read_number_attribute(hid_t object, const std::string& name) {
  return read_numbers_attribute<T>(object, name, 1).front();
}

template <class T>
std::vector<T> read_numbers_attribute(hid_t object, const std::string& name, std::size_t most) {
  const Hdf5Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                                "open attribute " + name);
  const Hdf5Space space(H5Aget_space(attribute), "read the extent of attribute " + name);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1 || static_cast<std::size_t>(count) > most)
    throw IoError("attribute " + name + " is not one number" +
                  (most == 1 ? "" : ", nor two to " + std::to_string(most)));
  std::vector<T> values(static_cast<std::size_t>(count));
  check_hdf5(H5Aread(attribute, memory_type<T>(), values.data()), "read attribute " + name);
  return values;
}

template <class T>
Hdf5Dataset write_array(hid_t location, const std::string& name, const std::vector<T>& values) {
  Hdf5Dataset dataset = create_dataset(location, name, stored_type<T>(), array_space(values.size()),
                                       dataset_properties());
  if (!values.empty())
    check_hdf5(H5Dwrite(dataset, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
               "write dataset " + name);
  return dataset;
}

void write_text(hid_t location, const std::string& name, std::string_view text) {
  const Hdf5Type type = text_type(text);
  const Hdf5Space space(H5Screate(H5S_SCALAR), "make a data space");
  Hdf5Dataset dataset = create_dataset(location, name, type, space, dataset_properties());
  check_hdf5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text_data(text)),
             "write dataset " + name);
  dataset.close("close dataset " + name);
}

Hdf5Dataset write_strings(hid_t location, const std::string& name,
                          const std::vector<std::string>& texts, hid_t space) {
  const Hdf5Type type(H5Tcopy(H5T_C_S1), "make a text type");
  check_hdf5(H5Tset_size(type, H5T_VARIABLE), "make a text type");
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
  const Hdf5Properties properties = dataset_properties();  // HDF5 requires a fill value for texts
  check_hdf5(H5Pset_fill_time(properties, H5D_FILL_TIME_IFSET), "set dataset properties");
  Hdf5Dataset dataset = create_dataset(location, name, type, space, properties);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  check_hdf5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
             "write dataset " + name);
  return dataset;
}

template <class T>
std::vector<T> read_array(hid_t location, const std::string& name, std::size_t most) {
  const Hdf5Dataset dataset = open_own_dataset(location, name);
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  if (H5Tequal(type, stored_type<T>()) <= 0)
    throw IoError("dataset " + name + " is of another type than lapl writes");
  const std::vector<hsize_t> extent = dataset_extent(dataset, name);
  const hsize_t count = extent.empty() ? 1 : extent[0];
  if (extent.size() > 1 || count > most)
    throw IoError("dataset " + name + " is of another size than lapl writes");
  return count == 0 ? std::vector<T>() : read_all<T>(dataset, name, memory_type<T>());
}

std::string read_text(hid_t location, const std::string& name, std::size_t most) {
  const Hdf5Dataset dataset = open_plain_dataset(location, name);
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
      !dataset_extent(dataset, name).empty())
    throw IoError("dataset " + name + " is not one text of fixed length");
  if (H5Tget_size(type) > most)
    throw IoError("dataset " + name + " is longer than the file can hold");
  std::string text(H5Tget_size(type), '\0');
  check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()),
             "read dataset " + name);
  return without_padding(std::move(text));
}

#define LAPL_INSTANTIATE(T)                                                               \
  template void write_attribute(hid_t, const std::string&, const std::vector<T>&);        \
  template T read_number_attribute(hid_t, const std::string&);                            \
  template std::vector<T> read_numbers_attribute(hid_t, const std::string&, std::size_t); \
  template Hdf5Dataset write_array(hid_t, const std::string&, const std::vector<T>&);     \
  template std::vector<T> read_array(hid_t, const std::string&, std::size_t);
LAPL_INSTANTIATE(float)
LAPL_INSTANTIATE(double)
LAPL_INSTANTIATE(std::uint8_t)
LAPL_INSTANTIATE(std::int32_t)
LAPL_INSTANTIATE(std::int64_t)
LAPL_INSTANTIATE(std::uint64_t)
#undef LAPL_INSTANTIATE

}  // namespace lapl
