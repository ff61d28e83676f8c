// RUN/fields.nc, which shows all outputs of a run with a time axis, and the bundles under it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/step_file.hpp"

namespace lapl {

struct Axes;

/// Programs that read fields.nc hold open every file that it refers to, and read what they cannot
/// open as NaN: so each 256 outputs are copied into a bundle, and it refers to that. A copy does
/// not change any more; step files stay what they are.
class RunIndex {
 public:
  static constexpr std::size_t bundle_size = 256;  ///< outputs

  /// `path` is RUN/fields.nc, `folder` RUN/fields.
  RunIndex(std::filesystem::path path, std::filesystem::path folder);

  /// Takes in an output that has just been written. Throws IoError.
  void add(const StepRecord& record);

  /// Leaves out an output whose file is not what it was.
  void remove(std::int64_t step) { records_.erase(step); }

  /// Outputs that the file will show.
  std::size_t size() const { return records_.size(); }

  /// Rewrites the file, atomically, and makes the bundles that are due. Step files that cannot be
  /// used are left out: returned is what is wrong with each. Throws IoError.
  std::vector<std::string> write();

 private:
  /// Where the values of an output are: in its step file, or in a bundle.
  struct Record {
    double time = 0;
    std::string bundle;  // file name; empty: the step file
    std::size_t place = 0;
  };
  struct FieldText {
    std::string units, long_name;
  };
  /// Consecutive records with their values in consecutive places of one file.
  struct Run {
    std::string file;
    std::size_t place, records, places;  // places: all that the file has
  };
  void load(const StepRecord* just_written);
  void take(const StepRecord& record);
  void read_step(std::int64_t step);
  void take_bundles();
  void add_fields(std::int64_t file);  // HDF5's hid_t
  void write_bundles();
  void write_bundle(const std::filesystem::path& path,
                    const std::vector<std::int64_t>& steps) const;
  std::vector<FieldValues> read_fields(std::int64_t step) const;
  void write_index() const;
  void lay_out_index(const std::filesystem::path& scratch, const Axes& axes) const;
  std::vector<Run> runs() const;

  std::filesystem::path path_, folder_;
  bool loaded_ = false;
  std::map<std::int64_t, Record> records_;  // by step
  Shape shape_;
  Spacing spacing_;
  Precision precision_ = Precision::float64;
  std::map<std::string, FieldText> fields_;
  std::map<std::string, std::string> root_texts_;
  std::map<std::string, std::size_t> bundles_;  // records in each
  std::vector<std::string> problems_;
};

}  // namespace lapl
