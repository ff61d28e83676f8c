#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "kernels/fields/fractal.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/fields/percentile.hpp"
#include "tests/reference_data.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE("noise equals NumPy's to the bit, for every seed of the reference") {
  const test::ReferenceData reference;
  for (const std::uint64_t seed : {0ull, 1ull, 3966789ull, 1099511627783ull}) {
    CAPTURE(seed);
    const std::string group = "noise/" + std::to_string(seed);
    const auto float32 = reference.values(group + "/float32");
    std::vector<double> drawn(float32.size());
    draw_noise(numpy_generator(seed), 0, static_cast<std::int64_t>(drawn.size()),
               [&](std::int64_t i, float value) { drawn[static_cast<std::size_t>(i)] = value; });
    CHECK(drawn == float32);

    // NumPy's float64 numbers use all 64 bits of each output, so they test the generator itself.
    Pcg64 generator = numpy_generator(seed);
    for (const double expected : reference.values(group + "/float64"))
      CHECK(static_cast<double>(generator.next() >> 11) * 0x1p-53 == expected);
  }
}

TEST_CASE("advancing equals drawing") {
  for (const std::uint64_t count : {0u, 1u, 2u, 63u, 64u, 1000u}) {
    Pcg64 advanced = numpy_generator(7), drawn = advanced;
    advanced.advance(count);
    for (std::uint64_t i = 0; i < count; ++i) drawn.next();
    CHECK(advanced.next() == drawn.next());
  }
}

TEST_CASE("noise does not depend on the chunks in which it is drawn") {
  std::vector<float> whole(1001), chunks(1001);
  const Pcg64 generator = numpy_generator(42);
  draw_noise(generator, 0, 1001, [&](std::int64_t i, float v) { whole[std::size_t(i)] = v; });
  for (std::int64_t first = 0; first < 1001; first += 10)
    draw_noise(generator, first, std::min<std::int64_t>(10, 1001 - first),
               [&](std::int64_t i, float v) { chunks[std::size_t(i)] = v; });
  CHECK(whole == chunks);
}

TEST_CASE("fractal field equals the reference within 1e-12 before the threshold") {
  const test::ReferenceData reference;
  const auto filtered = reference.values("fractal/filtered");
  const FractalParameters parameters;
  CHECK(reference.attribute("fractal", "spectral_exponent") == parameters.spectral_exponent);
  CHECK(reference.attribute("fractal", "crop_radius") == *parameters.crop_radius);
  CHECK(reference.attribute("fractal", "percentile") == *parameters.percentile);

  FractalParameters unthresholded = parameters;
  unthresholded.percentile.reset();
  const auto ours = fractal_field({48, 64}, unthresholded, 2);
  CHECK(test::largest_difference(ours, filtered) <= 1e-12 * test::largest_magnitude(filtered));

  const auto field = fractal_field({48, 64}, parameters, 2);
  CHECK(test::largest_difference(field, reference.values("fractal/field")) <=
        1e-12 * test::largest_magnitude(filtered));
}

TEST_CASE("percentile equals NumPy's") {
  const test::ReferenceData reference;
  const auto filtered = reference.values("fractal/filtered");
  for (const int threads : {1, 3})
    CHECK(percentile_value(filtered, 70, threads) == reference.attribute("fractal", "threshold"));

  const std::vector<double> few = {4, 1, 3, 2};  // numpy.percentile([1, 2, 3, 4], q)
  CHECK(percentile_value(few, 0, 1) == 1);
  CHECK(percentile_value(few, 50, 1) == 2.5);
  CHECK(percentile_value(few, 90, 1) == doctest::Approx(3.7).epsilon(1e-15));
  CHECK(percentile_value(few, 100, 1) == 4);
  CHECK(percentile_value(std::vector<double>{5}, 33, 1) == 5);
  CHECK(percentile_value(std::vector<double>{-3, 2, -1e300, 0, -0.0}, 25, 2) == -3);
  CHECK(percentile_value(std::vector<double>{-3, 2, -1e300, 0, 1e-320}, 62.5, 2) == 0.5e-320);

  std::mt19937 draw(7);
  std::vector<double> ordered(65);  // some equal, some that differ in the last bits alone
  for (double& value : ordered) {
    const int n = static_cast<int>(draw() % 60);
    value = n < 40 ? 1 + 0x1p-52 * n : -0.5 * (n % 9);
  }
  const auto mixed = ordered;
  std::ranges::sort(ordered);
  for (int rank = 0; rank < 65; ++rank)
    for (const int threads : {1, 3, 80})
      CHECK(percentile_value(mixed, 100.0 * rank / 64, threads) == ordered[rank]);
}

TEST_CASE("fractal field does not depend on the number of threads") {
  for (const Shape shape :
       {Shape{1, 1}, Shape{1, 37}, Shape{37, 1}, Shape{37, 53}, Shape{64, 16}}) {
    CAPTURE(shape.rows);
    const auto one = fractal_field(shape, {}, 1), three = fractal_field(shape, {}, 3);
    CHECK(test::same_bits<double>(one, three));
  }
}

TEST_CASE("several fractal fields can be made at once") {
  constexpr int count = 24;
  const auto nth_shape = [](int i) { return Shape{16 + i, 40 - i}; };
  std::vector<std::vector<double>> found(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] { found[i] = fractal_field(nth_shape(i), {}, 1); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < count; ++i)
    CHECK(test::same_bits<double>(found[i], fractal_field(nth_shape(i), {}, 1)));
}

TEST_CASE("a grid of one row is cropped by its columns, as one of one axis is") {
  for (const Shape shape : {Shape{1, 400}, Shape{1, 400, 1, 1}}) {
    const auto row = fractal_field(shape, {}, 1);
    CHECK(std::ranges::count(row, 0) < 400);
    CHECK(row[400 / 2 - 181] == 0);
    CHECK(!crops_all({}, shape));
  }
  CHECK(crops_all({}, {2, 400}));
  CHECK(std::ranges::count(fractal_field({2, 400}, {}, 1), 0) == 800);
}

TEST_CASE("without crop and threshold, the mean of the noise stays and radius 1 is not damped") {
  FractalParameters parameters;
  parameters.crop_radius.reset();
  parameters.percentile.reset();
  const Shape shape{30, 41};
  std::vector<double> noise(static_cast<std::size_t>(shape.cells()));
  draw_noise(numpy_generator(parameters.seed), 0, shape.cells(),
             [&](std::int64_t i, float value) { noise[static_cast<std::size_t>(i)] = value; });
  const auto field = fractal_field(shape, parameters, 2);
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  CHECK(mean(field) == doctest::Approx(mean(noise)).epsilon(1e-13));
  parameters.spectral_exponent = 0;
  CHECK(test::largest_difference(fractal_field(shape, parameters, 2), noise) < 1e-14);
}
