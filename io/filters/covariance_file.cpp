#include "io/filters/covariance_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <vector>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// IEEE binary16, little-endian; HDF5 has no constant for it before 1.14.4.
Hdf5Type hdf5_type(Half) {
  Hdf5Type type(H5Tcopy(H5T_IEEE_F32LE), "copy a type");
  check_hdf5(H5Tset_fields(type, 15, 10, 5, 0, 10), "make the type float16");
  check_hdf5(H5Tset_size(type, 2), "make the type float16");
  check_hdf5(H5Tset_ebias(type, 15), "make the type float16");
  return type;
}
Hdf5Type hdf5_type(double) { return {H5Tcopy(H5T_NATIVE_DOUBLE), "copy a type"}; }
Hdf5Type hdf5_type(float) { return {H5Tcopy(H5T_NATIVE_FLOAT), "copy a type"}; }

using DatasetShape = std::vector<hsize_t>;

void require_extent(const std::string& name, const DatasetShape& found,
                    const DatasetShape& expected) {
  if (found != expected)
    throw IoError("dataset {} is ({}) (expected ({}), from the input and mu)", name,
                  fmt::join(found, ", "), fmt::join(expected, ", "));
}

// The extent with a batch axis of length 1 added in front if it is missing.
DatasetShape with_batch(const std::string& name, DatasetShape extent, std::size_t axes,
                        const char* words) {
  if (extent.size() + 1 == axes) extent.insert(extent.begin(), 1);
  if (extent.size() != axes)
    throw IoError("dataset {} has {} axes (expected {}: batch, {}; or no batch)", name,
                  extent.size(), axes, words);
  return extent;
}

CovarianceProblem make_covariance_problem(const CovarianceNames& names, DatasetShape input,
                                          DatasetShape mu, DatasetShape gamma,
                                          const DatasetShape& c) {
  input = with_batch(names.input, input, 7, "output, row, column, output, row, column");
  mu = with_batch(names.mu, mu, 4, "channel, row, column");
  gamma = with_batch(names.gamma, gamma, 7, "channel, row, column, channel, row, column");
  require_extent(names.input, input,
                 {input[0], input[1], input[2], input[3], input[1], input[2], input[3]});
  if (mu[0] != input[0] || mu[2] < input[2] || mu[3] < input[3])
    throw IoError("dataset {} is ({}) (expected a batch of {} and at least {} rows and {} columns)",
                  names.mu, fmt::join(mu, ", "), input[0], input[2], input[3]);
  require_extent(names.gamma, gamma, {mu[0], mu[1], mu[2], mu[3], mu[1], mu[2], mu[3]});
  if (!c.empty() && c != DatasetShape{1}) require_extent(names.c, c, {input[1]});
  const auto count = [](hsize_t value) { return static_cast<std::int64_t>(value); };
  return {count(mu[0]),
          count(mu[1]),
          count(input[1]),
          {count(input[2]), count(input[3])},
          {count(mu[2] - input[2] + 1), count(mu[3] - input[3] + 1)}};
}

template <class Storage>
std::vector<Storage> read_finite(hid_t dataset, const std::string& name) {
  std::vector<Storage> values = read_all<Storage>(dataset, name, hdf5_type(Storage()));
  if constexpr (!std::is_same_v<Storage, double>) {
    if (!all_finite(values) && all_finite(read_all<double>(dataset, name, hdf5_type(double()))))
      throw NumericalError(
          "dataset {}: a value is infinite in {} (expected compute.precision float64)", name,
          sizeof(Storage) == 2 ? "float16" : "float32");
  }
  return values;
}

template <class Storage>
CovarianceTerms<Storage> read_terms(hid_t file, const CovarianceNames& names) {
  const auto values = [&](const std::string& name) {
    return read_finite<Storage>(open_plain_dataset(file, name), name);
  };
  return {values(names.input), values(names.mu), values(names.gamma), values(names.c)};
}

template <class Storage>
void write_sum(const std::vector<Storage>& sum, const DatasetShape& extent, const fs::path& target,
               const std::string& dataset, const std::string& history) {
  if (!target.parent_path().empty()) fs::create_directories(target.parent_path());
  write_sealed(target, sum.size() * sizeof(Storage), [&](const fs::path& scratch) {
    Hdf5File out = create_hdf5_file(scratch, Hdf5Format::netcdf);
    write_format(out, "filtered");
    const Hdf5Type type = hdf5_type(Storage());
    Hdf5Dataset written =
        create_dataset(out, dataset, type, make_space(extent), dataset_properties());
    check_hdf5(H5Dwrite(written, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sum.data()),
               "write dataset " + dataset);
    write_attribute(out, "history", history);
    written.close("close dataset " + dataset);
    out.close("close the file");
  });
}

}  // namespace

CovarianceResult add_covariance_file(const fs::path& source, const CovarianceNames& names,
                                     const fs::path& target, const std::string& dataset,
                                     const std::string& history, std::optional<Precision> precision,
                                     const std::string& backend, int threads) {
  const Hdf5Session session;
  return read_verified(source, [&](const OpenedFile& opened) -> CovarianceResult {
    const auto extent = [&](const std::string& name) {
      return dataset_extent(open_plain_dataset(opened.file, name), name);
    };
    CovarianceResult result;
    result.problem = make_covariance_problem(names, extent(names.input), extent(names.mu),
                                             extent(names.gamma), extent(names.c));
    const Hdf5Dataset input = open_plain_dataset(opened.file, names.input);
    const Hdf5Type type(H5Dget_type(input), "read the type of dataset " + names.input);
    const std::size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_FLOAT || size > 8)
      throw IoError("dataset " + names.input + " is none of float16, float32 and float64");
    const auto add = [&]<class Storage>(Storage, const char* storage) {
      if (is_rehearsal()) {
        for (const std::string& name : {names.input, names.mu, names.gamma, names.c})
          touch_values(open_plain_dataset(opened.file, name), name, hdf5_type(Storage()));
        return;
      }
      result.storage = storage;
      auto terms = read_terms<Storage>(opened.file, names);
      result.sum = add_covariance(result.problem, terms, backend, threads);
      if (result.sum.overflows)
        throw NumericalError(
            "dataset " + names.input +
            ": the sum is not finite where all that goes into it is; nothing was written");
      write_sum(terms.input, extent(names.input), target, dataset, history);
    };
    if (precision.value_or(size > 4 ? Precision::float64 : Precision::float32) ==
        Precision::float64)
      add(double(), "float64");
    else if (size == 2)
      add(Half(), "float16");
    else
      add(float(), "float32");
    return result;
  });
}

}  // namespace lapl
