// The bundles of a run's index: copies of 256 outputs each.
#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/mask_dataset.hpp"
#include "io/hdf5/run_index.hpp"

namespace lapl {

namespace fs = std::filesystem;

/// Finds out whether all these outputs are compressed as a bundle of them would be: returns the
/// level of the first one, or 0, and the sizes of their chunks. Throws BadStep.
int RunIndex::find_packed(const std::vector<std::int64_t>& steps, PackedSizes& sizes) const {
  int level = 0;
  sizes.resize(fields_.size() * steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) try {
      const fs::path path = folder_ / step_file_name(steps[i]);
      const OpenedFile opened = open_verified(path);
      const bool packed = naming_file(path, [&] {
        std::size_t at = i;
        for (const auto& [name, text] : fields_) {
          if (!has_dataset(opened.file, name)) return false;
          const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
          const int found = packed_level(dataset, name, shape_, precision_);
          if (found == 0) return false;
          if (level == 0) level = found;
          read_packed(dataset, name, shape_, precision_, sizes[at]);
          at += steps.size();
        }
        return true;
      });
      if (!packed) return sizes.clear(), 0;
    } catch (const IoError& error) {
      throw BadStep{steps[i], error.what()};
    }
  return level;
}

/// The fields of one step file in the order of fields_, as their values or packed; NaN for missing
/// fields. Throws BadStep.
std::vector<std::vector<std::byte>> RunIndex::read_fields(std::int64_t step, bool packed) const
    try {
  const fs::path path = folder_ / step_file_name(step);
  const OpenedFile opened = open_verified(path);
  return naming_file(path, [&] {
    std::vector<std::vector<std::byte>> values;
    const auto put = [&](const FieldValues& read) {
      const auto bytes = field_bytes(as_view(read));
      values.emplace_back(bytes.begin(), bytes.end());
    };
    for (const auto& [name, text] : fields_) {
      if (check_hdf5(H5Lexists(opened.file, name.c_str(), H5P_DEFAULT), "look for " + name) == 0) {
        put(missing_values(shape_.cells(), precision_));
        continue;
      }
      const Hdf5Dataset dataset = open_plain_dataset(opened.file, name);
      const DatasetLayout layout = field_layout(dataset, name, shape_.axes);
      if (layout.shape != shape_) throw IoError("has another grid than the other step files");
      if (packed) {
        std::vector<std::uint64_t> sizes;
        values.push_back(read_packed(dataset, name, shape_, precision_, sizes));
        continue;
      }
      FieldValues read = read_values(dataset, name, layout, 0);
      if (layout.precision != precision_) read = as_doubles(as_view(read));
      put(read);
    }
    return values;
  });
} catch (const IoError& error) {
  throw BadStep{step, error.what()};
}

/// The mask in a step file; null if it has none. Throws BadStep.
std::shared_ptr<const StoredMask> RunIndex::read_mask(std::int64_t step) const try {
  const fs::path path = folder_ / step_file_name(step);
  const OpenedFile opened = open_verified(path);
  return naming_file(path, [&] { return StoredMask::read(opened.file, shape_); });
} catch (const IoError& error) {
  throw BadStep{step, error.what()};
}

/// Copies the step files of `steps` into one file.
void RunIndex::write_bundle(const fs::path& path, const std::vector<std::int64_t>& steps) const {
  Axes axes{shape_, spacing_, {}, {}, units_, swept_};
  for (const std::int64_t step : steps) axes.add(records_.at(step).time, step);
  std::vector<std::uint64_t> copied;
  for (const std::int64_t step : steps) try {
      copied.push_back(sealed_digest(folder_ / step_file_name(step)));
    } catch (const IoError& error) {
      throw BadStep{step, error.what()};
    }
  PackedSizes sizes;
  const int level = find_packed(steps, sizes);
  FilePlan plan{.shape = shape_, .records = steps.size(), .expected_bytes = expected_axes(axes)};
  for (const auto& [name, text] : fields_) plan.fields.emplace_back(name, precision_);
  const std::shared_ptr<const StoredMask> mask = read_mask(steps.back());
  if (mask) plan.expected_bytes += mask->bytes(1);
  plan.write_hdf5 = [&](const fs::path& scratch, const PackedSizes&) {
    Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
    for (const auto& [name, text] : root_texts_) write_attribute(file, name, text);
    write_format(file, "series");
    AxisScales scales = write_axes(file, axes);
    std::vector<Hdf5Dataset> datasets;
    for (const auto& [name, text] : fields_) {
      datasets.push_back(create_records(file, name, precision_,
                                        records_extent(steps.size(), shape_), shape_, level));
      describe_field(datasets.back(), name, text, scales);
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t field = 0; field < datasets.size(); ++field)
        lay_out_record(
            datasets[field], "of a field", i, shape_, precision_,
            level > 0 ? sizes[field * steps.size() + i] : std::span<const std::uint64_t>());
    if (mask) mask->write(file, scales);
    write_attribute(file, copied_digests, copied);
    for (Hdf5Dataset& dataset : datasets) dataset.close("close a dataset");
    close_axes(scales);
    file.close("close the HDF5 file");
  };
  const auto make = [&](const PutRecord& put) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::vector<std::vector<std::byte>> stored = read_fields(steps[i], level > 0);
      for (std::size_t field = 0; field < stored.size(); ++field) put(field, i, stored[field]);
    }
  };
  write_records(path, plan, {}, make, sizes);
}

}  // namespace lapl
