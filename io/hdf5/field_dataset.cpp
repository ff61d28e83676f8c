#include "io/hdf5/field_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/packed_values.hpp"
#include "io/hdf5/rehearsal.hpp"
#include "kernels/fields/host_vector.hpp"

namespace lapl {
namespace {

/// The place of a cell in a dataset. Records are counted along all axes before those of the grid,
/// the last of which varies fastest.
std::vector<hsize_t> place_in_records(hid_t dataset, const std::string& name, std::size_t record,
                                      Cell cell, Shape shape) {
  const std::vector<hsize_t> extent = dataset_extent(dataset, name);
  auto place = along_axes(static_cast<int>(extent.size()), 0, 0,
                          {cell.row, cell.column, cell.plane, shape.axes});
  for (std::ptrdiff_t axis = std::ssize(extent) - shape.axes; --axis >= 0;) {
    place[axis] = record % extent[axis];
    record /= extent[axis];
  }
  return place;
}

/// Selects a block in a dataset with `rank` axes; `first` is the block's first cell.
Hdf5Space select_block(hid_t dataset, int rank, const std::string& name, Cell first, Shape block,
                       std::size_t record = 0) {
  Hdf5Space space(H5Dget_space(dataset), "read the extent of dataset " + name);
  const auto start = place_in_records(dataset, name, record, first, block);
  const auto count = along_axes(rank, 1, 1, block);
  check_hdf5(
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
      "select a part of dataset " + name);
  return space;
}

/// A data space in memory with as many axes as the dataset has: HDF5 copies between selections of
/// equal shape row by row, between others value by value.
Hdf5Space block_space(int rank, Shape block) { return make_space(along_axes(rank, 1, 1, block)); }

/// Calls `use(first cell, shape)` for the part of the grid in each chunk, in the order of the grid.
template <class Use>
void for_each_chunk(Shape shape, Shape chunk, const Use& use) {
  for (std::int64_t plane = 0; plane < shape.planes; plane += chunk.planes)
    for (std::int64_t row = 0; row < shape.rows; row += chunk.rows)
      for (std::int64_t column = 0; column < shape.columns; column += chunk.columns)
        use(Cell{row, column, plane},
            Shape{std::min(chunk.rows, shape.rows - row),
                  std::min(chunk.columns, shape.columns - column),
                  std::min(chunk.planes, shape.planes - plane), shape.axes});
}

template <class T>
void read_block(hid_t dataset, int rank, const std::string& name, Cell first, Shape block,
                T* values, std::size_t record = 0) {
  const Hdf5Space selected = select_block(dataset, rank, name, first, block, record);
  check_hdf5(
      H5Dread(dataset, memory_type<T>(), block_space(rank, block), selected, H5P_DEFAULT, values),
      "read dataset " + name);
}

}  // namespace

std::vector<hsize_t> along_axes(int axes, hsize_t leading, std::size_t record, Shape grid) {
  std::vector<hsize_t> values(axes, leading);
  std::vector<std::int64_t> last = grid.extents();
  last.insert(last.begin(), static_cast<std::int64_t>(record));
  std::copy(last.rbegin(), last.rbegin() + std::min<std::ptrdiff_t>(axes, std::ssize(last)),
            values.rbegin());
  return values;
}

std::vector<ContiguousValues> packed_chunks(Shape grid, std::size_t value_size) {
  const Shape chunk = chunk_shape(grid, value_size, true);
  std::vector<ContiguousValues> chunks;
  for_each_chunk(grid, chunk, [&](Cell first, Shape block) {
    const auto used = static_cast<std::uint64_t>(block.cells()) * value_size;
    chunks.push_back({static_cast<std::uint64_t>(cell_index(grid, first)) * value_size, used, 0,
                      static_cast<std::uint64_t>(chunk.cells()) * value_size - used});
  });
  return chunks;
}

Hdf5Dataset create_records(hid_t location, const std::string& name, Precision precision,
                           const std::vector<hsize_t>& extent, Shape shape, int compression) {
  return create_chunked(location, name, hdf5_stored_type(precision), extent, shape, compression);
}

Hdf5Dataset create_chunked(hid_t location, const std::string& name, hid_t type,
                           const std::vector<hsize_t>& extent, Shape shape, int compression) {
  const Shape chunk = chunk_shape(shape, H5Tget_size(type), compression > 0);
  const int axes = static_cast<int>(extent.size());
  const auto chunks = along_axes(axes, 1, 1, chunk);
  const Hdf5Properties properties = dataset_properties();
  check_hdf5(H5Pset_chunk(properties, axes, chunks.data()), "set the chunks of " + name);
  if (compression > 0) {
    check_hdf5(H5Pset_shuffle(properties), "set the filters of " + name);
    check_hdf5(H5Pset_deflate(properties, static_cast<unsigned>(compression)),
               "set the filters of " + name);
  }
  const Hdf5Properties links(H5Pcreate(H5P_LINK_CREATE), "make link properties");
  check_hdf5(H5Pset_create_intermediate_group(links, 1), "set link properties");
  return create_dataset(location, name, type, make_space(extent), properties, links);
}

Hdf5Properties virtual_properties(Precision precision) {
  Hdf5Properties properties = dataset_properties();
  check_hdf5(H5Pset_fill_time(properties, H5D_FILL_TIME_IFSET), "set dataset properties");
  with_precision(precision, [&]<class T>() {
    const T missing = std::numeric_limits<T>::quiet_NaN();
    check_hdf5(H5Pset_fill_value(properties, memory_type<T>(), &missing), "set the fill value");
  });
  return properties;
}

hid_t hdf5_stored_type(Precision precision) {
  return with_precision(precision, []<class T>() { return stored_type<T>(); });
}

void write_packed(hid_t dataset, const std::string& name, std::size_t record, Shape shape,
                  std::size_t value_size, std::span<const std::span<const std::byte>> chunks) {
  auto chunk = chunks.begin();
  for_each_chunk(shape, chunk_shape(shape, value_size, true), [&](Cell first, Shape) {
    const auto start = place_in_records(dataset, name, record, first, shape);
    check_hdf5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, start.data(), chunk->size(), chunk->data()),
               "write dataset " + name);
    ++chunk;
  });
}

void lay_out_record(hid_t dataset, const std::string& name, std::size_t record, Shape shape,
                    Precision precision, std::span<const std::uint64_t> sizes) {
  if (!sizes.empty()) {
    const std::vector<std::byte> zeros(std::ranges::max(sizes));
    std::vector<std::span<const std::byte>> chunks;
    for (const std::uint64_t size : sizes) chunks.push_back(std::span(zeros).first(size));
    return write_packed(dataset, name, record, shape, byte_size(precision), chunks);
  }
  // HDF5 caches chunks of up to this size and may place them in another order. If such a chunk is
  // written whole, HDF5 places it as in a file that is written with values.
  constexpr std::int64_t most_gathered = 1 << 20;
  const int axes = static_cast<int>(dataset_extent(dataset, name).size());
  with_precision(precision, [&]<class T>() {
    const Shape chunk = chunk_shape(shape, sizeof(T));
    const bool is_small = chunk.cells() * static_cast<std::int64_t>(sizeof(T)) <= most_gathered;
    const std::vector<T> zeros(is_small ? chunk.cells() : 1);
    for_each_chunk(shape, chunk, [&](Cell first, Shape block) {
      const Shape part = is_small ? block : Shape{1, 1, 1, shape.axes};
      const Hdf5Space selected = select_block(dataset, axes, name, first, part, record);
      check_hdf5(H5Dwrite(dataset, memory_type<T>(), block_space(axes, part), selected, H5P_DEFAULT,
                          zeros.data()),
                 "write dataset " + name);
    });
  });
}

Hdf5Dataset lay_out_contiguous_field(hid_t location, const std::string& name, Shape shape,
                                     Precision precision) {
  Hdf5Dataset dataset = create_dataset(location, name, hdf5_stored_type(precision),
                                       block_space(shape.axes, shape), dataset_properties());
  lay_out_record(dataset, name, 0, shape, precision);
  return dataset;
}

std::vector<ContiguousValues> contiguous_values(hid_t location, const std::string& name,
                                                std::size_t record, Shape shape,
                                                std::size_t value_size) {
  const Hdf5Dataset dataset(H5Dopen2(location, name.c_str(), H5P_DEFAULT), "open dataset " + name);
  const auto bytes_of_cells = [&](std::int64_t cells) {
    return static_cast<std::uint64_t>(cells) * value_size;
  };
  if (const haddr_t address = H5Dget_offset(dataset); address != HADDR_UNDEF) {
    if (H5Dget_storage_size(dataset) != bytes_of_cells(shape.cells()))
      throw IoError("dataset " + name + " has room for another number of values");
    return {{.size = bytes_of_cells(shape.cells()), .offset = address}};
  }
  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
  const bool packed = check_hdf5(H5Pget_nfilters(properties), "read the filters of " + name) > 0;
  const Shape chunk = chunk_shape(shape, value_size, packed);
  std::vector<ContiguousValues> runs;
  for_each_chunk(shape, chunk, [&](Cell first, Shape block) {
    const auto start = place_in_records(dataset, name, record, first, shape);
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    check_hdf5(H5Dget_chunk_info_by_coord(dataset, start.data(), &mask, &address, &size),
               "find a chunk of dataset " + name);
    if (address == HADDR_UNDEF || mask != 0 || (!packed && size != bytes_of_cells(chunk.cells())))
      throw IoError("dataset " + name + " lacks a chunk");
    // A chunk is whole rows or planes, or a piece of one row, so its cells are contiguous.
    const std::uint64_t used = packed ? size : bytes_of_cells(block.cells());
    runs.push_back({bytes_of_cells(cell_index(shape, first)), used, address, size - used});
  });
  return runs;
}

int packed_level(hid_t dataset, const std::string& name, Shape shape, Precision precision) {
  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read properties of " + name);
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_nfilters(properties) != 2) return 0;
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  const int axes = 1 + shape.axes;
  std::vector<hsize_t> chunk(axes);
  if (H5Tequal(type, hdf5_stored_type(precision)) <= 0 ||
      H5Pget_chunk(properties, axes, chunk.data()) != axes ||
      chunk != along_axes(axes, 1, 1, chunk_shape(shape, byte_size(precision), true)))
    return 0;
  unsigned flags = 0, level = 0;
  std::size_t none = 0, one = 1;
  const bool fits = H5Pget_filter2(properties, 0, &flags, &none, nullptr, 0, nullptr, nullptr) ==
                        H5Z_FILTER_SHUFFLE &&
                    H5Pget_filter2(properties, 1, &flags, &one, &level, 0, nullptr, nullptr) ==
                        H5Z_FILTER_DEFLATE;
  return fits ? static_cast<int>(level) : 0;
}

std::vector<std::byte> read_packed(hid_t dataset, const std::string& name, Shape shape,
                                   Precision precision, std::vector<std::uint64_t>& sizes) {
  std::vector<std::byte> bytes;
  const Shape chunk = chunk_shape(shape, byte_size(precision), true);
  const std::string doing = "read a chunk of dataset " + name;
  for_each_chunk(shape, chunk, [&](Cell first, Shape) {
    const auto start = place_in_records(dataset, name, 0, first, shape);
    hsize_t size = 0;
    check_hdf5(H5Dget_chunk_storage_size(dataset, start.data(), &size), doing);
    const std::size_t before = bytes.size();
    if (size > most_packed(static_cast<std::uint64_t>(chunk.cells()) * byte_size(precision)))
      throw IoError("dataset " + name + " has a chunk that is longer than lapl writes it");
    bytes.resize(before + size);
    std::uint32_t mask = 0;
    check_hdf5(H5Dread_chunk(dataset, H5P_DEFAULT, start.data(), &mask, bytes.data() + before),
               doing);
    if (mask != 0) throw IoError("dataset " + name + " has a chunk without its filters");
    sizes.push_back(size);
  });
  return bytes;
}

DatasetLayout array_layout(const std::string& name, const std::vector<hsize_t>& extent,
                           int grid_axes) {
  DatasetLayout layout;
  layout.axes = static_cast<int>(extent.size());
  const int leading = layout.axes - 1 - grid_axes;
  const int least = grid_axes == 2 ? 1 : grid_axes;  // a single row may have no row axis
  if (layout.axes < least || std::any_of(extent.begin(), extent.begin() + std::max(leading, 0),
                                         [](hsize_t size) { return size != 1; }))
    throw IoError("{} has the axes ({}) (expected {}, or these behind axes of length 1)", name,
                  fmt::join(extent, ", "),
                  grid_axes == 1   ? "(columns) or (time, columns)"
                  : grid_axes == 2 ? "(columns), (rows, columns) or (time, rows, columns)"
                                   : "(planes, rows, columns) or (time, planes, rows, columns)");
  if (std::ranges::count(extent, hsize_t{0}) > 0) throw IoError(name + " holds no values");
  std::vector<std::int64_t> of_grid(extent.end() - std::min(layout.axes, grid_axes), extent.end());
  if (layout.axes < grid_axes) of_grid.insert(of_grid.begin(), 1);
  layout.shape = Shape::of(of_grid);
  if (layout.axes > grid_axes) layout.records = extent.end()[-1 - grid_axes];
  return layout;
}

namespace {

template <class T>
void unpack(std::vector<T>& values, const Packing& packing) {
  if (packing.is_none()) return;
  for (T& value : values) value = static_cast<T>(packing.meaning(static_cast<double>(value)));
}

/// True for booleans as h5py stores them: an enumeration of FALSE, 0, and TRUE, 1.
bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_nmembers(type) != 2) return false;
  for (unsigned value = 0; value < 2; ++value) {
    char* const name = H5Tget_member_name(type, value);
    const bool fits = name != nullptr && std::string_view(name) == (value == 0 ? "FALSE" : "TRUE");
    H5free_memory(name);
    std::int64_t number = -1;
    std::array<std::byte, 64> held{};
    const Hdf5Type base(H5Tget_super(type), "read the type of a boolean");
    if (!fits || H5Tget_size(base) > held.size() ||
        H5Tget_member_value(type, value, held.data()) < 0 ||
        H5Tconvert(base, H5T_NATIVE_INT64, 1, held.data(), nullptr, H5P_DEFAULT) < 0)
      return false;
    std::memcpy(&number, held.data(), sizeof(number));
    if (number != value) return false;
  }
  return true;
}

}  // namespace

DatasetLayout field_layout(hid_t dataset, const std::string& name, int grid_axes) {
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER && !is_boolean(type))
    throw IoError("dataset " + name +
                  " holds neither integers nor floating-point numbers nor booleans");
  DatasetLayout layout = array_layout("dataset " + name, dataset_extent(dataset, name), grid_axes);
  if (H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0)
    layout.precision = Precision::float32;
  layout.fits_single = H5Tget_size(type) <= (kind == H5T_FLOAT ? 4 : 2);
  if (kind == H5T_ENUM) return layout;
  layout.packing = read_packing(dataset, name);
  if (layout.packing.scale != 1 || layout.packing.offset != 0) {
    layout.precision = Precision::float64;
    layout.fits_single = false;
  }
  return layout;
}

void write_values(hid_t dataset, const std::string& name, int axes, std::size_t record, Shape shape,
                  FieldView values) {
  const auto write = [&]<class T>(std::span<const T> held) {
    const Hdf5Space selected = select_block(dataset, axes, name, {}, shape, record);
    check_hdf5(H5Dwrite(dataset, memory_type<T>(), block_space(axes, shape), selected, H5P_DEFAULT,
                        held.data()),
               "write dataset " + name);
  };
  std::visit(write, values);
}

void touch_field(hid_t dataset, const std::string& name, const DatasetLayout& layout) {
  touch_values(dataset, name,
               with_precision(layout.precision, []<class T>() { return memory_type<T>(); }));
}

FieldValues read_rows(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                      RowRange rows) {
  return with_precision(layout.precision, [&]<class T>() {
    const Shape shape = layout.shape;
    std::vector<T> values = host_vector<T>(rows.count * shape.columns);
    // Within a plane, the rows are one block.
    for (std::int64_t row = rows.first, count = 0; row < rows.end(); row += count) {
      count = std::min(rows.end() - row, shape.rows - row % shape.rows);
      read_block(dataset, layout.axes, name, {row % shape.rows, 0, row / shape.rows},
                 {count, shape.columns, 1, shape.axes},
                 values.data() + (row - rows.first) * shape.columns);
    }
    return FieldValues(std::move(values));
  });
}

void for_pieces(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                const std::function<void(std::int64_t first, FieldView values)>& use) {
  if (is_rehearsal()) return touch_field(dataset, name, layout);
  with_precision(layout.precision, [&]<class T>() {
    const Shape chunk = chunk_shape(layout.shape, sizeof(T));
    std::vector<T> values = host_vector<T>(chunk.cells());
    for_each_chunk(layout.shape, chunk, [&](Cell first, Shape block) {
      read_block(dataset, layout.axes, name, first, block, values.data());
      use(cell_index(layout.shape, first),
          std::span<const T>(values).first(static_cast<std::size_t>(block.cells())));
    });
  });
}

FieldValues read_values(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                        std::size_t record) {
  if (record >= layout.records)
    throw IoError("dataset " + name + " has no record " + std::to_string(record) + ", only " +
                  std::to_string(layout.records) + " from 0 on");
  if (is_rehearsal()) return touch_field(dataset, name, layout), FieldValues();
  return with_precision(layout.precision, [&]<class T>() {
    std::vector<T> values = host_vector<T>(layout.shape.cells());
    read_block(dataset, layout.axes, name, {}, layout.shape, values.data(), record);
    unpack(values, layout.packing);
    return FieldValues(std::move(values));
  });
}

}  // namespace lapl
