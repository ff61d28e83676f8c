// One HDF5 file whose values many ranks write, each its own rows, with the bytes that one process
// would have written.
//
//   first rank   HDF5 lays the file out in a scratch file, without values; where they go is found
//   every rank   writes its bytes at their places in the temporary file, and fsyncs it
//   every rank   hashes its bytes in turn, in the order of the file: the seal
//   first rank   appends the seal, renames
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// What a rank has of each field.
struct RankedValues {
  Shape shape;  ///< of the whole grid
  RowRange rows;
  std::vector<std::pair<std::string, FieldView>> fields;  ///< by their datasets' names
};

/// Writes the file that `write_hdf5`, which the first rank alone calls, lays out at a scratch path;
/// it holds a dataset for each field, without values. `expected_bytes`: of all but values. To be
/// called by all ranks, and throws the same IoError on all, that of the first rank which failed.
void write_ranked(Ranks& ranks, const std::filesystem::path& path, std::uint64_t expected_bytes,
                  const RankedValues& values,
                  const std::function<void(const std::filesystem::path& scratch)>& write_hdf5);

}  // namespace lapl
