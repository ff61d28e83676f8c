// The covariance of a convolution's output: CPU against the reference data, GPU against the CPU.
#include "kernels/covariance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cuda/covariance.hpp"
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
std::vector<Storage> from_cuda(const CovarianceProblem& problem, const std::vector<Storage>& mu,
                               const std::vector<Storage>& gamma, const std::vector<Storage>& c,
                               std::vector<Storage> input) {
  add_covariance_cuda(problem, mu.data(), gamma.data(), c.data(), input.data());
  return input;
}

template <class Storage>
bool same_stored(const std::vector<Storage>& a, const std::vector<Storage>& b) {
  return std::ranges::equal(a, b,
                            [](Storage x, Storage y) { return number_of(x) == number_of(y); });
}

}  // namespace

TEST_CASE_TEMPLATE("the published example (2,3,7,7,3,7,7) equals the reference", Storage, float,
                   Half) {
  test::need_cuda();
  const test::ReferenceData reference;
  const CovarianceProblem problem{2, 3, 3, {7, 7}, {3, 3}};
  const auto mu = stored<Storage>(reference.values("covariance/mu"));
  const auto gamma = stored<Storage>(reference.values("covariance/gamma"));
  const auto c = stored<Storage>(reference.values("covariance/c"));
  auto cpu = stored<Storage>(reference.values("covariance/input"));
  const auto cuda = from_cuda(problem, mu, gamma, c, cpu);
  add_covariance(problem, mu.data(), gamma.data(), c.data(), cpu.data(), 2);
  CHECK(same_stored(cuda, cpu));
  const auto expected = reference.values("covariance/output");
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(static_cast<double>(number_of(cuda[i])) - expected[i]));
  }
  CHECK(error <= (sizeof(Storage) == 2 ? 2e-3 : 1e-6) * largest);
}

TEST_CASE_TEMPLATE("CPU and GPU agree to the bit on covariances of any shape", Storage, float,
                   Half) {
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
    const auto mu = random(problem.batch * means), gamma = random(problem.batch * means * means);
    const auto c = random(problem.outputs);
    auto cpu = random(problem.batch * outputs * outputs);
    const auto cuda = from_cuda(problem, mu, gamma, c, cpu);
    add_covariance(problem, mu.data(), gamma.data(), c.data(), cpu.data(), 2);
    REQUIRE(same_stored(cuda, cpu));
  }
}
