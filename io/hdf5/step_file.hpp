// One output step: one immutable file that is HDF5, netCDF-4/CF and VTKHDF at once, and the index
// over all of a run's. docs/format.md draws the layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/file_writer.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// A field to be written.
struct NamedField {
  std::string name;       ///< dataset name, such as laplacian
  std::string long_name;  ///< for people
  std::string units;
  FieldView values;
};

/// Name and text of each entry of /provenance.
using Provenance = std::vector<std::pair<std::string, std::string>>;

struct StepRecord {
  Shape shape;
  Spacing spacing = {};
  std::int64_t step = 0;
  double time = 0;  ///< seconds
  std::string title;
  std::vector<NamedField> fields;
  Provenance provenance;
};

/// Bytes of a step file with `fields` fields of `value_size` bytes a value, within some 10 KB.
std::uint64_t step_file_bytes(Shape shape, std::size_t value_size, std::size_t fields);

/// Writes the file, atomically and durably. Throws IoError.
void write_step_file(const std::filesystem::path& path, const StepRecord& record);

/// The same by all ranks together: each field of a rank's record holds the values of `rows` alone.
/// Ranges of ranks follow one another, and some may be empty. Throws the same IoError on all ranks.
void write_step_file(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                     const StepRecord& record, RowRange rows);

/// The root attributes of a step file that are texts, by name.
std::vector<std::pair<std::string, std::string>> root_texts(const StepRecord& record);

/// The digest of the state that an output names; 0 where it cannot be read.
std::uint64_t state_digest_in(const std::filesystem::path& file);

/// What is wrong with an output that was stored with this state digest; empty where nothing is. One
/// that was last written before `unchanged_since` is only looked for, with its seal, not read.
std::string output_problem(
    const std::filesystem::path& file, std::uint64_t state_digest,
    std::filesystem::file_time_type unchanged_since = std::filesystem::file_time_type::min());

/// step-000002500.nc, the name in the folder RUN/fields; checkpoints have the ending .h5. Beyond
/// 10^9 the order of names is not that of steps.
std::string step_file_name(std::int64_t step, std::string_view ending = ".nc");
/// The step in such a name (without a folder); -1 for any other name.
std::int64_t step_of_file_name(const std::string& name, std::string_view ending = ".nc");

/// Step files in `folder`, in order of their steps; none where there is no such folder. Throws
/// IoError.
std::vector<std::filesystem::path> list_step_files(const std::filesystem::path& folder,
                                                   std::string_view ending = ".nc");

/// What a file of ours, or another HDF5 file with 2-D fields, holds.
struct FileContent {
  std::string kind;  ///< "step", "index", "series", "checkpoint" or "hdf5" for any other
  Shape shape;
  Spacing spacing = {};
  std::vector<std::int64_t> steps;  ///< one for each record; empty if unknown
  std::vector<double> times;
  std::vector<std::string> fields;  ///< dataset names
  std::string precision;            ///< float32 or float64
  Provenance provenance;
};

/// Verifies the seal of a file of ours, then reads what it holds, without the values.
/// Throws IoError naming the file and what is wrong with it.
FileContent read_content(const std::filesystem::path& file);

/// The same of a file in RUN/fields. Throws IoError, too, where it is something else than an
/// output.
FileContent read_output(const std::filesystem::path& file);

/// A dataset of numbers that is no field, such as a covariance.
struct ArrayContent {
  std::string name;
  std::vector<std::uint64_t> extent;
  std::string precision;
};

/// Those of four axes or more that read_field does not take, and whose values can be read, in a
/// file of filter results or of another program; none in lapl's other files. Verifies the seal.
/// Throws IoError.
std::vector<ArrayContent> read_arrays(const std::filesystem::path& file);

/// All values of one, as float64. Throws IoError as read_field does.
std::vector<double> read_array_values(const std::filesystem::path& file,
                                      const std::string& dataset);

/// The values of one field at record `record` (0 in a step file). Datasets that are (columns),
/// (rows, columns) or (time, rows, columns), or these behind axes of length 1, of any number type;
/// float32 stays float32, all else becomes float64. `grid_axes`: of the grid, where the file is not
/// ours. Refuses external storage, external links,
/// virtual datasets (but those of our own index), unknown filters and sizes above what the file's
/// length makes believable. `take_shape` is told the shape before memory is taken for it; what it
/// throws comes out. Throws IoError.
struct ReadField {
  Shape shape;
  std::size_t records = 1;  ///< of the dataset
  bool one_axis = false;    ///< one row, of a dataset that has one axis alone
  FieldValues values;
};
ReadField read_field(const std::filesystem::path& file, const std::string& dataset,
                     std::size_t record = 0, const std::function<void(Shape)>& take_shape = {},
                     int grid_axes = 2);

}  // namespace lapl
