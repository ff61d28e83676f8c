// The fractal field made on the GPU, against NumPy's and the CPU's.
#include "kernels/fractal.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/cuda/need_cuda.hpp"
#include "tests/reference_data.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

std::vector<double> fractal(const std::string& backend, Shape shape,
                            const FractalParameters& parameters) {
  const auto made =
      make_backend<double>(backend, "auto", test::diffusion<double>(shape, {}, 0.25), 2);
  fill_fractal(made->block(), parameters);
  return test::state_of(*made).field;
}

}  // namespace

TEST_CASE("the field equals NumPy's before and after the threshold") {
  test::need_cuda();
  const test::ReferenceData reference;
  FractalParameters parameters;  // those of the reference
  const auto after = reference.values("fractal/field");
  const double scale = test::largest_magnitude(reference.values("fractal/filtered"));
  CHECK(test::largest_difference(fractal("cuda", {48, 64}, parameters), after) <= 1e-12 * scale);
  parameters.percentile.reset();
  CHECK(test::largest_difference(fractal("cuda", {48, 64}, parameters),
                                 reference.values("fractal/filtered")) <= 1e-12 * scale);
}

TEST_CASE("without a filter the noise itself comes back") {
  test::need_cuda();
  const test::ReferenceData reference;
  const FractalParameters parameters{
      .spectral_exponent = 0, .crop_radius = std::nullopt, .percentile = std::nullopt};
  auto noise = fractal("cuda", {48, 64}, parameters);
  // The transforms leave errors about 1e-16; NumPy's numbers are multiples of 2^-24.
  for (double& value : noise) value = std::round(value * 0x1p24) * 0x1p-24;
  CHECK(noise == reference.values("fractal/noise"));
}

TEST_CASE("the field equals the CPU's within 1e-12 of its largest value, at any size") {
  test::need_cuda();
  for (const Shape shape :
       {Shape{1, 1}, Shape{1, 2}, Shape{2, 1}, Shape{2, 2}, Shape{1, 1009}, Shape{1009, 1},
        Shape{31, 33}, Shape{64, 63}, Shape{127, 128}, Shape{8, 10007}, Shape{1000, 1200},
        Shape{.rows = 1, .columns = 1000, .planes = 1, .axes = 1},
        Shape{.rows = 8, .columns = 10, .planes = 6, .axes = 3},
        Shape{.rows = 33, .columns = 17, .planes = 31, .axes = 3}}) {
    CAPTURE(shape.planes);
    CAPTURE(shape.rows);
    CAPTURE(shape.columns);
    FractalParameters parameters{.seed = 7, .crop_radius = 0.6, .percentile = std::nullopt};
    const auto expected = fractal("cpu", shape, parameters);
    const double allowed = 1e-12 * test::largest_magnitude(expected);
    CHECK(test::largest_difference(fractal("cuda", shape, parameters), expected) <= allowed);
    // Cells within rounding of the threshold may fall on either side of it.
    parameters.percentile = 62.5;
    const auto found = fractal("cuda", shape, parameters);
    const auto thresholded = fractal("cpu", shape, parameters);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!(std::abs(found[i] - thresholded[i]) <= allowed)) ++differ;
    CHECK(differ <= 2);
  }
}

TEST_CASE("a float32 state is the float64 field, rounded") {
  test::need_cuda();
  const Shape shape{100, 101};
  const auto exact = fractal("cuda", shape, {});
  const auto backend =
      make_backend<float>("cuda", "auto", test::diffusion<float>(shape, {}, 0.25f), 1);
  fill_fractal(backend->block(), {});
  CHECK(test::same_bits<float>(test::state_of(*backend).field,
                               std::vector<float>(exact.begin(), exact.end())));
}
