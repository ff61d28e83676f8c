// RUN/fields.nc, which shows all outputs of a run along a time axis, and the bundles it refers to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/step_file.hpp"

namespace lapl {

struct Axes;

/// Maintains fields.nc. Programs that read it hold open every file it refers to, and read NaN from
/// files beyond their limit. So every 256 outputs are copied into a bundle, and the index refers to
/// that instead. Bundles never change; step files stay as they are.
class RunIndex {
 public:
  static constexpr std::size_t bundle_size = 256;  ///< outputs in a bundle

  /// `path` is RUN/fields.nc, `folder` RUN/fields.
  RunIndex(std::filesystem::path path, std::filesystem::path folder);

  /// Adds an output that was just written. Throws IoError.
  void add(const StepRecord& record);

  /// Removes an output whose file has changed since.
  void remove(std::int64_t step) { records_.erase(step); }

  /// Number of outputs that the index will show.
  std::size_t size() const { return records_.size(); }

  /// Rewrites the index atomically and makes the bundles that are due. Leaves out unusable step
  /// files and returns what is wrong with each. Throws IoError.
  std::vector<std::string> write();

 private:
  /// The place of an output's values: in its step file, or in a bundle.
  struct Record {
    double time = 0;
    std::string bundle;  // file name; empty: in the step file
    std::size_t place = 0;
  };
  struct FieldText {
    std::string units, long_name;
  };
  /// Consecutive records with their values at consecutive places of one file.
  struct Run {
    std::string file;
    std::size_t place, records, places;  // places: all in the file
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
  std::map<std::string, std::size_t> bundles_;  // number of records in each
  std::vector<std::string> problems_;
};

}  // namespace lapl
