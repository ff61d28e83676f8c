// The time series of a run or a file, to be exported: which records there are, and their values one
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// Steps from `first` to `last`, both included, every `every` steps from `first` on.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t every = 1;

  bool contains(std::int64_t step) const {
    return step >= first && step <= last && (step - first) % every == 0;
  }
};

struct SeriesRecord {
  std::filesystem::path file;
  std::size_t record = 0;  ///< in the file
  std::int64_t step = 0;
  double time = 0;                  ///< s
  std::vector<std::string> fields;  ///< datasets that it holds
};

struct Series {
  Shape shape;
  Spacing spacing;
  Precision precision = Precision::float64;
  std::vector<SeriesRecord> records;  ///< in order of step; at least one
  /// Called before a field of a record is read.
  std::function<void(const SeriesRecord&)> before_reading = [](const SeriesRecord&) {};

  /// Every dataset that a record holds: of the last one first, in its order.
  std::vector<std::string> fields() const;
};

/// The outputs of those steps in a run folder (also of one that is being written: what is
/// finished), an index, an output or an exported file. Verifies every file's seal. Throws IoError;
/// ConfigError where no output is of those steps.
Series open_series(const std::filesystem::path& path, const StepRange& range);

/// The values of one record; NaN where it lacks the field. The file's seal is verified once more,
/// as it may have changed. Throws IoError.
FieldValues read_record(const Series& series, const SeriesRecord& record, const std::string& field);

}  // namespace lapl
