// Reads and writes a grid's values in HDF5 datasets. Messages omit the file (hdf5_handle.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/packing.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// The extents of a chunk: bands of whole rows or planes of 4 to 32 MiB and about equal height, if
/// packed of up to 1 MiB. A grid of up to 8 MiB is one chunk; a row over 32 MiB is cut into pieces
/// of that size.
Shape chunk_shape(Shape grid, std::size_t value_size, bool packed = false);

/// Bytes that the chunks of a field take in a file; of packed ones the most that they take.
std::uint64_t stored_size(Shape grid, std::size_t value_size, bool packed = false);

/// The chunks of a packed field in the order of the grid, before they are packed; no offsets.
std::vector<ContiguousValues> packed_chunks(Shape grid, std::size_t value_size);

/// Allocates space for a record of a dataset without writing values. FileWriter writes them at the
/// places that contiguous_values finds. `sizes`: bytes of each chunk of a packed record.
void lay_out_record(hid_t dataset, const std::string& name, std::size_t record, Shape shape,
                    Precision precision, std::span<const std::uint64_t> sizes = {});
/// Creates a contiguous dataset without a time axis, and allocates its space.
[[nodiscard]] Hdf5Dataset lay_out_contiguous_field(hid_t location, const std::string& name,
                                                   Shape shape, Precision precision);

/// Creates a chunked dataset of this extent, any axes of records before those of the grid, and the
/// groups in its name. Each chunk has values of one record only.
[[nodiscard]] Hdf5Dataset create_records(hid_t location, const std::string& name,
                                         Precision precision, const std::vector<hsize_t>& extent,
                                         Shape shape, int compression = 0);
/// The same for values of a stored type.
[[nodiscard]] Hdf5Dataset create_chunked(hid_t location, const std::string& name, hid_t type,
                                         const std::vector<hsize_t>& extent, Shape shape,
                                         int compression);
/// Writes packed chunks of a record, in the order of packed_chunks.
void write_packed(hid_t dataset, const std::string& name, std::size_t record, Shape shape,
                  std::size_t value_size, std::span<const std::span<const std::byte>> chunks);

/// The places of a record's values in the file, in the order of the grid; of packed values those of
/// the packed chunks.
std::vector<ContiguousValues> contiguous_values(hid_t location, const std::string& name,
                                                std::size_t record, Shape shape,
                                                std::size_t value_size);

/// The level of compression of a field of one record that is packed as create_records packs it; 0
/// for any other.
int packed_level(hid_t dataset, const std::string& name, Shape shape, Precision precision);
/// The packed chunks of such a field, one after the other; their sizes are added to `sizes`.
std::vector<std::byte> read_packed(hid_t dataset, const std::string& name, Shape shape,
                                   Precision precision, std::vector<std::uint64_t>& sizes);

/// Properties of a virtual dataset whose values read as NaN unless a file is mapped to them.
Hdf5Properties virtual_properties(Precision precision);

/// HDF5's type of a stored value.
hid_t hdf5_stored_type(Precision precision);

/// One number for each of a dataset's `axes` axes: the last `axes` of `record` and the extents of
/// `grid`, with `leading` for any axes before them.
std::vector<hsize_t> along_axes(int axes, hsize_t leading, std::size_t record, Shape grid);
/// The extent (records, [planes, rows,] columns).
inline std::vector<hsize_t> records_extent(std::size_t records, Shape shape) {
  return along_axes(1 + shape.axes, 1, records, shape);
}

/// Extent and type of a dataset that can be read as a field.
struct DatasetLayout {
  Shape shape;
  std::size_t records = 1;  ///< length of the time axis; 1 without one
  /// the grid's axes, perhaps with time before them, perhaps with axes of length 1 before time
  int axes = 2;
  Precision precision = Precision::float64;  ///< of the values that read_values returns
  bool fits_single = false;                  ///< float32 holds every value of the stored type
  Packing packing = {};
};

/// The layout of an array with this extent; messages call it `name`. Throws IoError as field_layout
/// does.
DatasetLayout array_layout(const std::string& name, const std::vector<hsize_t>& extent,
                           int grid_axes = 2);

/// The layout of an open dataset of a grid with `grid_axes` axes. Throws IoError unless it has
/// these axes, or time before them, possibly after axes of length 1, and holds integers,
/// floating-point numbers or h5py's booleans. For a grid of two axes, (columns) alone is one row.
DatasetLayout field_layout(hid_t dataset, const std::string& name, int grid_axes = 2);

/// All values at `record`, unpacked, in this machine's byte order. IEEE 32-bit values of either
/// byte order stay float32 unless packed; all others become float64.
FieldValues read_values(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                        std::size_t record);

/// Does the same for the rows `rows` of a dataset without a time axis.
FieldValues read_rows(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                      RowRange rows);

/// Reads all values in pieces of a few megabytes, in the order of the grid; `first` is the index in
/// the field of a piece's first value.
void for_pieces(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                const std::function<void(std::int64_t first, FieldView values)>& use);

/// Calls touch_values with the type that read_values returns.
void touch_field(hid_t dataset, const std::string& name, const DatasetLayout& layout);

/// Writes the values at `record` of a dataset with `axes` axes (DatasetLayout::axes).
void write_values(hid_t dataset, const std::string& name, int axes, std::size_t record, Shape shape,
                  FieldView values);

}  // namespace lapl
