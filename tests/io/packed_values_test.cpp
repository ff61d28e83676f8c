#include "io/hdf5/packed_values.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {
namespace {

template <class T>
std::vector<T> stored_as(const std::vector<double>& values, std::optional<int> kept_bits) {
  return std::get<std::vector<T>>(
      as_stored(std::span(values), precision_of_type<T>, kept_bits, "u"));
}

StepRecord packed_record(Shape shape, FieldView values, const StoredForm& form) {
  return {.shape = shape,
          .step = 7,
          .title = "a test",
          .fields = {{"u", "a field", "1", values}},
          .provenance = {},
          .form = form};
}

}  // namespace

TEST_CASE("output.round keeps so many bits that the relative error is no larger") {
  for (const double round : {0.25, 0.125, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, 0x1p-20, 1e-10, 2.5e-16}) {
    CAPTURE(round);
    const int bits = *StoredForm{.round = round}.kept_bits();
    CHECK(std::ldexp(1.0, -bits - 1) <= round);
    CHECK(std::ldexp(1.0, -bits) > round);  // one bit less would not do
    std::vector<double> values = random_field<double>({100, 100});
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::ldexp(values[i] - 0.5, static_cast<int>(i % 200) - 100);
    const std::vector<double> kept = stored_as<double>(values, bits);
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) error = std::max(error, std::abs(kept[i] / values[i] - 1));
    CHECK(error <= round);
    if (bits < 40) CHECK(error > round / 8);
    CHECK(stored_as<double>(kept, bits) == kept);  // rounding twice is rounding once
    if (bits < 23) {
      const std::vector<float> single = stored_as<float>(values, bits);
      CHECK(std::vector<double>(single.begin(), single.end()) == kept);
    }
  }
}

// Values of netCDF-C 4.10.1, of variables with the quantize mode BitRound and 3 bits.
TEST_CASE("values are rounded to the bits that netCDF's BitRound keeps") {
  CHECK(stored_as<float>(
            {1, 1.0625, 1.06249, 1.1875, -1.0625, 3.141592653589793, 1.99, 1e-3, 0, -0.0}, 3) ==
        std::vector<float>{1, 1.125, 1, 1.25, -1.125, 3.25, 2, 0.0009765625, 0, 0});
  CHECK(std::signbit(stored_as<float>({-0.0}, 3)[0]));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(stored_as<float>({std::nan("")}, 3)[0]));
  CHECK(stored_as<float>({infinity, -infinity}, 3) ==
        std::vector<float>{std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity()});
}

TEST_CASE("a value that would become infinite is named") {
  const auto message = [](double value, std::optional<int> bits) {
    return thrown_message<IoError>([&] { stored_as<float>({1, value}, bits); });
  };
  CHECK(contains(message(1e39, {}), "u has the value 1e+39, too large for float32 values"));
  CHECK(contains(message(-std::numeric_limits<float>::max(), 3), "u has the value -3.40"));
  CHECK(stored_as<float>({3.4e38}, {}) == std::vector<float>{3.4e38f});
  CHECK(thrown_message<IoError>(
            [&] { stored_as<double>({std::numeric_limits<double>::max()}, 3); }) != "");
}

TEST_CASE("compressed step files give back every bit" * doctest::test_suite("moderate")) {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(7);
  const auto check = [&]<class T>(Shape shape, int compression, const std::vector<T>& values) {
    CAPTURE(shape.rows);
    CAPTURE(shape.columns);
    CAPTURE(compression);
    write_step_file(path, packed_record(shape, std::span(values), {.compression = compression}));
    CHECK(folder.entries() == 1);
    const auto read = std::get<std::vector<T>>(read_field(path, "u").values);
    REQUIRE(read.size() == values.size());
    CHECK(std::memcmp(read.data(), values.data(), sizeof(T) * values.size()) == 0);
    const Hdf5Session session;
    const Hdf5File file = open_hdf5_file(path);
    const Hdf5Dataset dataset(H5Dopen2(file, "u", H5P_DEFAULT), "open");
    CHECK(packed_level(dataset, "u", shape, precision_of_type<T>) == compression);
    CHECK(!text_of_field(dataset).kept_bits);
  };
  for (const Shape shape : {Shape{1, 1},
                            {1, 7},
                            {7, 1},
                            {127, 129},
                            {1, 100003},
                            {1021, 1031},
                            {1, 300, 1, 1},
                            {3, 5, 4, 3},
                            {70, 100, 55, 3}}) {
    check(shape, 4, random_field<float>(shape));
    check(shape, 1, random_field<double>(shape));
    check(shape, 9, std::vector<float>(static_cast<std::size_t>(shape.cells()), 1.5f));
  }
  // Bits that do not compress: each chunk takes a little more than its values.
  const Shape noisy = {600, 600};
  std::vector<double> noise(static_cast<std::size_t>(noisy.cells()));
  std::uint64_t bits = 1;
  for (double& value : noise) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    value = std::bit_cast<double>(bits ^ bits >> 31 ^ bits << 29);
  }
  check(noisy, 1, noise);
  CHECK(std::filesystem::file_size(path) > 8 * static_cast<std::size_t>(noisy.cells()));
  CHECK(std::filesystem::file_size(path) <
        step_file_bytes(noisy, {.compression = 1}, Precision::float64, 1));
}

TEST_CASE("a step file of a stored form says so, and keeps few bytes") {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(7);
  const Shape shape = {300, 400};
  const auto values = random_field<double>(shape);
  const StoredForm form{.compression = 4, .precision = Precision::float32, .round = 1e-2};
  write_step_file(path, packed_record(shape, std::span<const double>(values), form));
  CHECK(read_content(path).precision == "float32");
  CHECK(std::get<std::vector<float>>(read_field(path, "u").values) == stored_as<float>(values, 6));
  CHECK(std::filesystem::file_size(path) < 2 * values.size());
  const Hdf5Session session;
  const Hdf5File file = open_hdf5_file(path);
  const Hdf5Dataset dataset(H5Dopen2(file, "u", H5P_DEFAULT), "open");
  CHECK(read_number_attribute<std::int32_t>(dataset, "_QuantizeBitRoundNumberOfSignificantBits") ==
        6);
}

TEST_CASE("packed chunks are bands of whole rows, up to 1 MiB unless a row is longer") {
  for (const std::size_t size : {4, 8})
    for (const Shape grid :
         {Shape{1, 1}, {2000, 2000}, {16384, 16384}, {8, 1000003}, {100003, 4099}}) {
      const Shape chunk = chunk_shape(grid, size, true);
      CHECK(chunk.columns == grid.columns);
      CHECK((chunk.rows == 1 || chunk.cells() * static_cast<std::int64_t>(size) <= 1 << 20));
      std::uint64_t next = 0;
      for (const ContiguousValues& part : packed_chunks(grid, size)) {
        CHECK(part.first == next);
        next += part.size;
      }
      CHECK(next == static_cast<std::uint64_t>(grid.cells()) * size);
    }
}

}  // namespace lapl::test
