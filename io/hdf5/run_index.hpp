// RUN/fields.nc, the index that shows all outputs of a run along a time axis, and its bundles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/step_file.hpp"

namespace lapl {

struct Axes;

/// Maintains the index. A program that reads the index keeps all files open to which the index
/// refers; beyond its limit of open files it reads NaN. So each group of 256 outputs is copied into
/// one file, a bundle, to which the index refers instead. Bundles never change; step files stay.
class RunIndex {
 public:
  /// Attribute of a bundle: the sealed_digest of each step file that it copies.
  static constexpr const char* copied_digests = "lapl_copied_digests";

  static constexpr std::size_t bundle_size = 256;  ///< outputs in a bundle

  /// `path` is RUN/fields.nc; `folder` is RUN/fields.
  RunIndex(std::filesystem::path path, std::filesystem::path folder);

  /// Adds an output that was just written. Throws IoError.
  void add(const StepRecord& record);

  /// Removes an output whose file has changed since it was added.
  void remove(std::int64_t step) { records_.erase(step); }

  /// Number of outputs in the index once it is written.
  std::size_t size() const { return records_.size(); }

  /// Rewrites the index atomically and writes the bundles that are due. Omits unusable step files
  /// and returns a message about each. Throws IoError.
  std::vector<std::string> write();

 private:
  /// The place of an output's values: in its step file, or in a bundle.
  struct Record {
    double time = 0;
    std::string bundle;  // file name; empty: in the step file
    std::size_t place = 0;
    bool masked = false;  // true if the step file is known to have a mask
  };
  /// Consecutive records with values at consecutive places of one file.
  struct RecordRange {
    std::string file;
    std::size_t place, records, places;  // places: number of records in `file`
  };
  void load(const StepRecord* just_written);
  void add_output(const StepRecord& record);
  void read_step(std::int64_t step);
  void add_bundles();
  void add_fields(std::int64_t file);  // HDF5's hid_t
  void write_bundles();
  void write_bundle(const std::filesystem::path& path,
                    const std::vector<std::int64_t>& steps) const;
  /// A step file that cannot be copied into a bundle.
  struct BadStep {
    std::int64_t step;
    std::string problem;
  };
  std::shared_ptr<const StoredMask> read_mask(std::int64_t step) const;
  int find_packed(const std::vector<std::int64_t>& steps, PackedSizes& sizes) const;
  std::vector<std::vector<std::byte>> read_fields(std::int64_t step, bool packed) const;
  void use_precision(Precision precision);
  void write_index() const;
  void lay_out_index(const std::filesystem::path& scratch, const Axes& axes) const;
  std::vector<RecordRange> runs() const;

  std::filesystem::path path_, folder_;
  bool loaded_ = false;
  std::map<std::int64_t, Record> records_;  // by step
  Shape shape_;
  Spacing spacing_;
  Units units_;
  std::string swept_;  // Axes::swept
  Precision precision_ = Precision::float64;
  std::map<std::string, FieldText> fields_;
  std::map<std::string, std::string> root_texts_;
  std::map<std::string, std::size_t> bundles_;  // number of records, by file name
  std::vector<std::string> problems_;
};

}  // namespace lapl
