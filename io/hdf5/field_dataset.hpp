// A grid's values in and out of an HDF5 dataset. Messages as in hdf5_handle.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// Extents of a chunk: bands of whole rows of 4 to 32 MiB and about equal height, or of whole
/// planes. A grid of up to 8 MiB is one chunk; a row over 32 MiB is cut into pieces of that size.
Shape chunk_shape(Shape grid, std::size_t value_size);

/// Bytes that the chunks of a field take in a file.
std::uint64_t stored_size(Shape grid, std::size_t value_size);

/// Makes HDF5 find room for a record of a dataset, as if the values had been written; others write
/// them (runs_of).
void lay_out_record(hid_t dataset, const std::string& name, int axes, std::size_t record,
                    Shape shape, Precision precision);

/// Creates a dataset (1, [planes, rows,] columns) in chunks, for netCDF and VTK, and lays it out.
[[nodiscard]] Hdf5Dataset lay_out_chunked_field(hid_t location, const std::string& name,
                                                Shape shape, Precision precision);
/// The same without the time axis, contiguous.
[[nodiscard]] Hdf5Dataset lay_out_contiguous_field(hid_t location, const std::string& name,
                                                   Shape shape, Precision precision);

/// Creates a dataset (records, the axes of the grid), with `axes` axes as in DatasetLayout, in
/// chunks, each a part of one record; the groups in its name too.
[[nodiscard]] Hdf5Dataset create_records(hid_t location, const std::string& name,
                                         Precision precision, int axes, std::size_t records,
                                         Shape shape);

/// Where the values of a field lie at a record, in the order of the grid.
std::vector<ValueRun> runs_of(hid_t location, const std::string& name, std::size_t record,
                              Shape shape, std::size_t value_size);

/// HDF5's type for a value as stored.
hid_t stored_type_of(Precision precision);

/// One value for each of `axes` axes: the last of `record` and the grid's, or these behind as many
/// `leading` as it takes.
std::vector<hsize_t> along_axes(int axes, hsize_t leading, std::size_t record, Shape grid);

/// By netCDF's conventions a value stands for scale times it plus offset, or for none (NaN) where
/// it is one of these.
struct Packing {
  double scale = 1, offset = 0;
  std::vector<double> missing;
};

/// Extent and type of a dataset that can be read as fields.
struct DatasetLayout {
  Shape shape;
  std::size_t records = 1;  ///< length of the time axis, 1 where there is none
  int axes = 2;  ///< those of the grid; time before them; or these behind some of length 1
  Precision precision = Precision::float64;  ///< that read_values gives
  bool fits_single = false;                  ///< every value of the type is one of float32
  Packing packing = {};
};

/// The layout of an array of that extent, `name` in messages; throws IoError as field_layout.
DatasetLayout layout_of(const std::string& name, const std::vector<hsize_t>& extent,
                        int grid_axes = 2);

/// The layout of an open dataset of a grid of so many axes; throws IoError unless it has these, or
/// time before them, any behind further axes of length 1, of integers or floating-point numbers. On
/// two axes (columns) alone is one row.
DatasetLayout field_layout(hid_t dataset, const std::string& name, int grid_axes = 2);

/// All values at `record`, unpacked and converted to this machine's; IEEE 32 bits of either byte
/// order stay float32 unless they are packed, all else becomes float64.
FieldValues read_values(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                        std::size_t record);

/// The same of those rows alone, in a dataset without a time axis.
FieldValues read_rows(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                      RowRange rows);

/// The same piece by piece, of some megabytes each, in the order of the grid: use(index in the
/// field of the first value, values).
void for_pieces(hid_t dataset, const std::string& name, const DatasetLayout& layout,
                const std::function<void(std::int64_t first, FieldView values)>& use);

/// touch_values with the type that read_values gives.
void touch_field(hid_t dataset, const std::string& name, const DatasetLayout& layout);

/// Writes the values at `record` of a dataset with `axes` axes as in DatasetLayout.
void write_values(hid_t dataset, const std::string& name, int axes, std::size_t record, Shape shape,
                  FieldView values);

}  // namespace lapl
