// The covariance of a convolution's output: CPU against the reference data, GPU against the CPU.
#include "kernels/filters/covariance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cuda/cuda_backend.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/reference_data.hpp"

using namespace lapl;

namespace {

template <class Storage>
std::vector<Storage> stored(const std::vector<double>& values) {
  std::vector<Storage> result;
  for (const double value : values) result.push_back(stored_as<Storage>(static_cast<float>(value)));
  return result;
}

template <class Storage>
std::vector<Storage> from_cpu(const CovarianceProblem& problem, CovarianceTerms<Storage> terms) {
  add_covariance(problem, terms, 2);
  return terms.input;
}

template <class Storage>
std::vector<Storage> from_cuda(const CovarianceProblem& problem, CovarianceTerms<Storage> terms) {
  add_covariance_cuda(problem, terms);
  return terms.input;
}

template <class Storage>
bool same_stored(const std::vector<Storage>& a, const std::vector<Storage>& b) {
  return std::ranges::equal(a, b,
                            [](Storage x, Storage y) { return as_number(x) == as_number(y); });
}

}  // namespace

TEST_CASE_TEMPLATE("the published example (2,3,7,7,3,7,7) equals the reference" *
                       doctest::test_suite("sanitizer"),
                   Storage, float, Half) {
  test::need_cuda();
  const test::ReferenceData reference;
  const CovarianceProblem problem{2, 3, 3, {7, 7}, {3, 3}};
  const CovarianceTerms<Storage> terms{
      .input = stored<Storage>(reference.values("covariance/input")),
      .mu = stored<Storage>(reference.values("covariance/mu")),
      .gamma = stored<Storage>(reference.values("covariance/gamma")),
      .c = stored<Storage>(reference.values("covariance/c"))};
  const auto cuda = from_cuda(problem, terms);
  CHECK(same_stored(cuda, from_cpu(problem, terms)));
  const auto expected = reference.values("covariance/output");
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(static_cast<double>(as_number(cuda[i])) - expected[i]));
  }
  CHECK(error <= (sizeof(Storage) == 2 ? 2e-3 : 1e-6) * largest);
}

TEST_CASE_TEMPLATE("CPU and GPU agree to the bit on covariances of any shape" *
                       doctest::test_suite("slow"),
                   Storage, float, Half) {
  test::need_cuda();
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto up_to = [&](unsigned most) {
    return 1 + static_cast<std::int64_t>(generator() % most);
  };
  const auto random = [&](std::int64_t size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (double& value : values) value = uniform(generator);
    return stored<Storage>(values);
  };
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    const CovarianceProblem problem{
        up_to(3), up_to(10), up_to(11), {up_to(7), up_to(7)}, {up_to(4), up_to(4)}};
    const std::int64_t means = problem.channels * problem.source().cells();
    const std::int64_t outputs = problem.outputs * problem.output.cells();
    const CovarianceTerms<Storage> terms{.input = random(problem.batch * outputs * outputs),
                                         .mu = random(problem.batch * means),
                                         .gamma = random(problem.batch * means * means),
                                         .c = random(problem.outputs)};
    REQUIRE(same_stored(from_cuda(problem, terms), from_cpu(problem, terms)));
  }
}
