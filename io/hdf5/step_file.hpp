// A step file: the fields of one output step as HDF5, netCDF-4/CF and VTKHDF at once; it never
// changes. docs/format.md draws its layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "io/hdf5/file_writer.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/run_config.hpp"

namespace lapl {

class StoredMask;

/// A field of a step file.
struct NamedField {
  std::string name;       ///< dataset name, such as laplacian
  std::string long_name;  ///< for people
  std::string units;
  FieldView values;
  bool masked = false;             ///< NaN in cells outside a mask
  std::string complex = {};        ///< the complex field of which it is a part
  std::string standard_name = {};  ///< of the CF conventions

  FieldText text(std::optional<int> kept_bits = {}) const {
    return {units, long_name, standard_name, masked, complex, false, kept_bits};
  }
};

/// Name and text of each entry of /provenance.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// The text of an entry; empty if there is none.
std::string provenance_text(const Provenance& provenance, std::string_view name);

/// The content of a step file.
struct StepRecord {
  Shape shape;
  Spacing spacing = {};
  std::int64_t step = 0;
  double time = 0;
  std::string title;
  std::vector<NamedField> fields = {};
  Provenance provenance;
  StoredForm form = {};  ///< in which the file has the fields
  Units units = {};
  std::shared_ptr<const StoredMask> mask = {};  ///< of the whole grid, on the first rank

  Precision stored_precision(const NamedField& field) const {
    return form.precision.value_or(value_precision(field.values));
  }
};

/// Bytes of a step file with `fields` fields of a run in this precision, within about 10 KB; the
/// most that it takes if it is compressed.
std::uint64_t step_file_bytes(Shape shape, const StoredForm& form, Precision precision,
                              std::size_t fields);

/// Writes the file, atomically and durably, on all ranks together. A rank's record has its `rows`
/// of each field; the ranks' rows follow each other, and a rank may have none. Throws the same
/// IoError on all ranks.
void write_step_file(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                     const StepRecord& record, RowRange rows);

/// The text attributes of a step file's root, by name.
std::vector<std::pair<std::string, std::string>> root_texts(const StepRecord& record);

/// The state digest in an output; 0 if it cannot be read.
std::uint64_t state_digest_in(const std::filesystem::path& file);

/// The fault of an output that was stored with this state digest; empty if it has none. A file last
/// written before `unchanged_since` is not read, but must exist and have a seal.
std::string output_problem(
    const std::filesystem::path& file, std::uint64_t state_digest,
    std::filesystem::file_time_type unchanged_since = std::filesystem::file_time_type::min());

/// The file name in RUN/fields, such as step-000002500.nc. From step 10^9 on, names do not sort by
/// step.
std::string step_file_name(std::int64_t step, std::string_view ending = ".nc");
/// The step in a name that step_file_name returns; -1 for any other name.
std::int64_t step_of_file_name(const std::string& name, std::string_view ending = ".nc");

/// The step files in `folder`, by step; none if there is no such folder. Throws IoError.
std::vector<std::filesystem::path> list_step_files(const std::filesystem::path& folder,
                                                   std::string_view ending = ".nc");

/// The content of one of lapl's files, or of another HDF5 file with 2-D fields.
struct FileContent {
  std::string kind;  ///< "step", "index", "series" or "checkpoint"; "hdf5" if not lapl's
  Shape shape;
  Spacing spacing = {};
  std::vector<std::int64_t> steps;  ///< one per record; empty if unknown
  std::vector<double> times;
  std::vector<std::string> fields;  ///< dataset names
  std::string precision;            ///< float32 or float64
  Provenance provenance;
  Units units = {};
  std::map<std::string, std::string> field_units = {};  ///< by dataset, of those that have one
};

/// The content of a file without its values. Verifies the seal of lapl's own files. Throws IoError
/// with the file's name and what is wrong with it.
FileContent read_content(const std::filesystem::path& file);

/// Does the same for a file in RUN/fields. Also throws IoError if it is not an output.
FileContent read_output(const std::filesystem::path& file);

/// A dataset of numbers that is not a field, such as a covariance.
struct ArrayContent {
  std::string name;
  std::vector<std::uint64_t> extent;
  std::string precision;
};

/// The readable datasets of four or more axes, which read_field does not support, in a file of
/// filter results or of another program; none in lapl's other files. Verifies the seal. Throws
/// IoError.
std::vector<ArrayContent> read_arrays(const std::filesystem::path& file);

/// All values of a dataset that read_arrays lists, as float64. Throws IoError as read_field does.
std::vector<double> read_array_values(const std::filesystem::path& file,
                                      const std::string& dataset);

/// One field at a record (0 in a step file), from a dataset of any number type with axes
/// (columns), (rows, columns) or (time, rows, columns), possibly after axes of length 1. float32
/// stays float32, all other types become float64. `grid_axes` is the grid's number of axes if the
/// file is not lapl's. `receive_shape` receives the shape before memory is allocated; its
/// exceptions pass through. Throws IoError also for external storage, external links, virtual
/// datasets (except in an index), unknown filters, and sizes that the file's length makes
/// impossible.
struct ReadField {
  Shape shape;
  std::size_t records = 1;  ///< in the dataset
  bool one_axis = false;    ///< a single row, from a dataset of one axis
  FieldValues values;
  std::size_t record = 0;               ///< the one that was read
  std::optional<double> time = {};      ///< its time, if the file has a time axis
  std::optional<Spacing> spacing = {};  ///< of the grid, in an output of lapl
};
ReadField read_field(const std::filesystem::path& file, const std::string& dataset,
                     const RecordChoice& record = {},
                     const std::function<void(Shape)>& receive_shape = {}, int grid_axes = 2);

/// The index of the chosen record among `records`. `times` has the time of each record, or is
/// empty. Throws IoError that says which records there are.
std::size_t chosen_record(const RecordChoice& choice, std::size_t records,
                          const std::vector<double>& times, const std::string& name);

}  // namespace lapl
