// Runs for the tests of the spectral engine on each backend.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solver/equation/equation.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {

/// Number of `mixture` values: zero or insulated on each side (0 to 3), periodic (4).
inline constexpr int face_mixtures = 5;
inline void set_faces(RunConfig& run, int axis, int mixture, const std::string& of_value = "0",
                      const std::string& of_derivative = "0") {
  Boundary& boundary = axis == 0   ? run.boundaries.planes
                       : axis == 1 ? run.boundaries.rows
                                   : run.boundaries.columns;
  boundary = mixture == 4 ? Boundary::periodic : Boundary::zero;
  if (mixture == 4) return;
  constexpr std::array axis_conditions = {ConditionKind::value, ConditionKind::derivative};
  for (const bool last : {false, true}) {
    SideCondition condition{.axis = axis, .last = last, .array = ""};
    condition.kind = axis_conditions[static_cast<std::size_t>(mixture >> (last ? 1 : 0) & 1)];
    condition.value = condition.kind == ConditionKind::value ? of_value : of_derivative;
    run.conditions.push_back(condition);
  }
}

/// Diffusion close to the largest stable step, where some modes change their sign.
inline RunConfig diffusion_run(Shape shape) {
  RunConfig run;
  run.shape = shape;
  run.equation.coefficient = 0.9 * largest_stable_coefficient(shape.axes);
  return run;
}

inline Shape make_shape(const std::vector<std::int64_t>& extents) { return Shape::of(extents); }

/// Shapes of one to three axes: one cell, odd, even and prime sizes.
inline std::vector<Shape> spectral_shapes() {
  return {make_shape({1}),      make_shape({2}),       make_shape({97}),       make_shape({128}),
          make_shape({1, 1}),   make_shape({1, 30}),   make_shape({31, 1}),    make_shape({16, 27}),
          make_shape({61, 37}), make_shape({2, 3, 5}), make_shape({12, 7, 10})};
}

/// Number of `faces` values: all combinations on two axes, and as many on three.
inline constexpr int face_pairs = face_mixtures * face_mixtures;
inline RunConfig mixed_run(Shape shape, int faces) {
  RunConfig run = diffusion_run(shape);
  set_faces(run, 2, faces % face_mixtures);
  if (shape.axes > 1) set_faces(run, 1, faces / face_mixtures);
  if (shape.axes > 2) set_faces(run, 0, (faces * 7 + 3) % face_mixtures);
  return run;
}

/// A run with decay, a source and conditions with values; `faces` is a mixture of set_faces.
inline RunConfig source_run(Shape shape, Scheme scheme, int faces) {
  RunConfig run =
      formula_run(shape, {{"u", "0.3 * laplacian(u) - 0.05 * d2_dx2(u) - k * u + s + 0.2"}});
  run.scheme = {scheme, 7};
  run.time_step = 0.4;
  run.spacing = Spacing::of(std::vector<double>(static_cast<std::size_t>(shape.axes), 0.9));
  run.spacing.by_axis[1] = 1.1;
  run.parameters["k"] = number_parameter(0.02);
  run.parameters["s"] = formula_parameter("0.1 * sin(x)");
  for (int axis = 3 - shape.axes; axis < 3; ++axis)
    set_faces(run, axis, (faces + axis) % face_mixtures, axis == 2 ? "0.7" : "0.1 * x", "-0.2");
  return run;
}

inline const std::vector<Scheme> exponential_schemes = {Scheme::etdrk2, Scheme::etdrk4};

/// A step on a CPU from a state at time 0: its error, in units of 1, and the state after it.
struct MeasuredStep {
  double error = 0;
  std::vector<double> state;
};
inline MeasuredStep measured_step(RunConfig run, Scheme scheme, double size,
                                  const std::vector<double>& start) {
  run.scheme = scheme;
  run.scheme.varies = true;
  run.scheme.tolerance = {1e-300, 1};
  run.time_step = size;
  const auto backend = make_backend<double>("cpu", "auto", make_problem<double>(Model(run), {}), 1);
  backend->set_state(start);
  backend->advance(1);
  return {largest_error(*backend, static_cast<int>(run.fields.size())), copy_of_state(*backend)};
}

/// The tolerance for the rounding of stepping and of two transforms in float64 (docs/numerics.md).
template <class T>
double spectral_gate(const std::vector<T>& start, std::int64_t steps) {
  const double largest = largest_magnitude(start);
  const double transforms = std::log2(static_cast<double>(start.size()) + 1) * 0x1p-53 * largest;
  return rounding_gate<T>(steps, largest) + transforms;
}

}  // namespace lapl::test
