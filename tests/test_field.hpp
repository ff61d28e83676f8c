// Fields and helpers shared by the tests of several folders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.hpp"

namespace lapl::test {

inline constexpr Boundary all_boundaries[] = {Boundary::zero, Boundary::insulated,
                                              Boundary::periodic};

/// Eigenvalue 2 - 2 cos(theta) of an eigenmode (solver/initial_field.hpp). A step multiplies a
/// product of modes by 1 - c * (sum of their eigenvalues).
inline double eigenvalue(Boundary boundary, std::int64_t mode, std::int64_t size) {
  const double turns = static_cast<double>(mode) * std::numbers::pi;
  const double theta = boundary == Boundary::zero        ? turns / static_cast<double>(size + 1)
                       : boundary == Boundary::insulated ? turns / static_cast<double>(size)
                                                         : 2 * turns / static_cast<double>(size);
  return 2 - 2 * std::cos(theta);
}

/// Random values in [-1, 1), including zeros of both signs and subnormal numbers.
template <class T>
std::vector<T> random_field(Shape shape, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> field(static_cast<std::size_t>(shape.cells()));
  for (T& value : field) {
    const auto kind = generator() % 16;
    value = static_cast<T>(uniform(generator));
    if (kind == 0) value = T(-0.0);
    if (kind == 1) value = std::numeric_limits<T>::denorm_min() * static_cast<T>(generator() % 999);
  }
  return field;
}

/// Diffusion with c = D dt / h^2.
template <class T>
Problem<T> diffusion(Shape shape, const Faces<T>& faces, T c) {
  return problem_of_stage<T>(shape, faces, diffusion_tree(shape.axes, c));
}

/// A state with its digest and its Laplacian, which may be empty.
template <class T>
struct Stepped {
  std::vector<T> field;
  std::vector<T> laplacian;
  std::uint64_t digest;
};

/// A copy of the backend's state, and of its first derived output as `laplacian`.
template <class T>
Stepped<T> stepped_state(Backend<T>& backend) {
  const auto capture = backend.capture(true);
  const Captured<T> captured = capture.wait();
  std::vector<T> laplacian;
  if (!captured.derived.empty())
    laplacian.assign(captured.derived.front().begin(), captured.derived.front().end());
  return {{captured.state.begin(), captured.state.end()}, laplacian, captured.digest};
}

/// The plan of the Laplacian for set_derived; empty unless the problem has two axes.
template <class T>
std::vector<DerivedOutput<T>> laplacian_output(const Problem<T>& problem, T spacing_squared = 1) {
  if (problem.shape.axes != 2) return {};
  Problem<T> made{
      .shape = problem.shape, .faces = problem.faces, .step_fields = problem.step_fields};
  made.faces.resize(problem.step_fields + 1, problem.faces.front());
  made.stages = {{.tree = laplacian_tree(spacing_squared), .targets = {problem.step_fields}}};
  return {std::move(made)};
}

/// `steps` steps of `engine` on `backend` from `field`.
template <class T>
Stepped<T> stepped(const std::string& backend, const std::string& engine, const Problem<T>& problem,
                   std::span<const T> field, std::int64_t steps, int threads = 2,
                   T spacing_squared = 1) {
  const auto made = make_backend(backend, engine, problem, threads);
  made->set_derived(laplacian_output(problem, spacing_squared));
  made->set_state(field);
  made->advance(steps);
  return stepped_state(*made);
}

/// True if two fields hold the same bits.
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// True if `found.around` begins with the values of `field` at most two rows and columns from the
/// cell that was found.
template <class T>
bool holds_values_around(const FoundValue<T>& found, const std::vector<T>& field, Shape shape) {
  std::vector<T> expected;
  for (std::int64_t i = 0; i < shape.cells(); ++i)
    if (std::abs(i / shape.columns - found.index / shape.columns) <= 2 &&
        std::abs(i % shape.columns - found.index % shape.columns) <= 2)
      expected.push_back(field[static_cast<std::size_t>(i)]);
  return same_bits<T>(std::span(found.around).first(expected.size()), expected);
}

inline double mean_value(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Largest |a - b|; NaN if one of the values is NaN.
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

template <class A>
double largest_magnitude(const A& a) {
  return largest_difference(a, std::vector<double>(a.size()));
}

/// The tolerance for rounding after `steps` steps: (8 + 0.1 * steps) * eps/2 * max|u0|.
template <class T>
double rounding_gate(std::int64_t steps, double largest_initial) {
  return (8 + 0.1 * static_cast<double>(steps)) * std::numeric_limits<T>::epsilon() / 2 *
         largest_initial;
}

}  // namespace lapl::test
