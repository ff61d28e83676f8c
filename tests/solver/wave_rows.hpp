// Linear equations with their largest stable steps, and functions to step them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/formula_run.hpp"

namespace lapl::test {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline const double root_of_2 = std::sqrt(2), root_of_3 = std::sqrt(3);

// Stability limits on the negative real axis: the z > 0 at which the stability function R(-z) is -1
// for ssprk3 and 1 for rk4. -z is a root of z^3 + 3 z^2 + 6 z + 12 or z^3 + 4 z^2 + 12 z + 24.
inline constexpr double real_of_ssprk3 = 2.512745326618329, real_of_rk4 = 2.785293563405282;
// The limit for rkl2 with three stages: R(-z) = 7/12 + 5/12 P_3(x) is -1, with x = 1 - 2/5 z.
// So 5 x^3 - 3 x = -7.6 and z = 5/2 * (1 - x).
inline constexpr double real_of_three = 5.8064862799452914;

/// An equation, shape and scheme with the largest stable step for D = 3, h = 1/2.
struct WaveRow {
  NamedFormulas rates;
  Shape shape;
  TimeScheme scheme;
  double largest;
};

inline RunConfig wave_run(const WaveRow& row) {
  RunConfig run = formula_run(row.shape, row.rates);
  run.spacing = 0.5;
  run.scheme = row.scheme;
  run.parameters["D"] = number_parameter(3);
  return run;
}

inline const Shape line{1, 24, 1, 1}, plane{24, 20}, box{6, 10, 8, 3};
inline const NamedFormulas heat = {{"u", "D * laplacian(u)"}};
inline const NamedFormulas advection = {{"u", "-D * d_dx(u)"}};
inline const NamedFormulas wave = {{"u", "v"}, {"v", "D^2 * laplacian(u)"}};

inline const WaveRow wave_rows[] = {
    {heat, line, Scheme::euler, 0.25 / (2 * 3)},
    {heat, plane, Scheme::euler, 0.25 / (4 * 3)},
    {heat, box, Scheme::euler, 0.25 / (6 * 3)},
    {heat, plane, Scheme::heun, 0.25 / (4 * 3)},
    {heat, plane, Scheme::ssprk3, real_of_ssprk3 / 2 * 0.25 / (4 * 3)},
    {heat, plane, Scheme::rk4, real_of_rk4 / 2 * 0.25 / (4 * 3)},
    {heat, plane, Scheme::leapfrog, 0.25 / (4 * 3)},
    {heat, plane, {Scheme::rkl2, 2}, 0.25 / (4 * 3)},
    {heat, plane, {Scheme::rkl2, 3}, real_of_three / 2 * 0.25 / (4 * 3)},
    {heat, plane, {Scheme::rkl2, 20}, 104.5 * 0.25 / (4 * 3)},
    {heat, line, {Scheme::rkl2, 64}, 1039.5 * 0.25 / (2 * 3)},
    {heat, {1, 20}, Scheme::euler, 0.25 / (2 * 3)},  // periodic: a single row is its own neighbour
    {{{"u", "divergence(D * gradient(u))"}}, plane, Scheme::euler, 0.25 / (4 * 3)},
    {{{"u", "D * laplacian(u, isotropic)"}}, plane, Scheme::euler, 0.5 / (3 * 32 / 6.0)},
    {{{"u", "D * laplacian(u, isotropic)"}}, box, Scheme::euler, 0.5 / (3 * 184 / 30.0)},
    {{{"u", "D * laplacian(u, 4)"}}, plane, Scheme::euler, 0.5 / (3 * 32 / 3.0)},
    {{{"u", "D * laplacian(u) + sin(x) * cos(t)"}}, plane, Scheme::euler, 0.25 / (4 * 3)},
    // The rate is -D k^4, with k^2 = 8 / h^2.
    {{{"u", "-D * laplacian(laplacian(u))"}}, plane, Scheme::euler, 2.0 / (3 * 32 * 32)},
    {{{"u", "-D * laplacian(laplacian(u))"}}, line, Scheme::rk4, real_of_rk4 / (3 * 16 * 16)},
    // Growth that the equation itself has does not limit the step.
    {{{"u", "D * u"}}, plane, Scheme::euler, infinite},
    {{{"u", "D - x"}}, plane, Scheme::euler, infinite},
    {{{"u", "-D * u"}}, plane, Scheme::euler, 2.0 / 3},
    {{{"u", "D * laplacian(u) + 5 * u"}}, line, Scheme::euler, 2 / (4 * 3 / 0.25 - 5)},
    // The rate is i c sin(theta) / h.
    {advection, line, Scheme::euler, 0},
    {advection, line, Scheme::heun, 0},
    {advection, line, Scheme::leapfrog, 0},  // leapfrog of one field is euler
    {advection, line, {Scheme::rkl2, 8}, 0},
    {advection, line, Scheme::ssprk3, root_of_3 * 0.5 / 3},
    {advection, line, Scheme::rk4, 2 * root_of_2 * 0.5 / 3},
    {{{"u", "-D * d_dx(u) + d_dy(u)"}}, plane, Scheme::rk4, 2 * root_of_2 * 0.5 / (3 + 1)},
    {{{"u", "-upwind(D, -1, u)"}}, plane, Scheme::euler, 0.5 / (3 + 1)},
    {{{"u", "-upwind(0 - D, 2, u)"}}, plane, Scheme::heun, 0.5 / (3 + 2)},
    // Euler's limit is dt <= 2 D / c^2 if advection dominates, and h^2 / (2 D) if diffusion does.
    {{{"u", "0.1 * laplacian(u) - D * d_dx(u)"}}, line, Scheme::euler, 2 * 0.1 / 9},
    {{{"u", "D * laplacian(u) - d_dx(u)"}}, line, Scheme::euler, 0.25 / (2 * 3)},
    // The rate is i c k, with k at most 2 * sqrt(axes) / h.
    {wave, line, Scheme::leapfrog, 0.5 / 3},
    {wave, plane, Scheme::leapfrog, 0.5 / (3 * root_of_2)},
    {wave, box, Scheme::leapfrog, 0.5 / (3 * root_of_3)},
    {wave, plane, Scheme::euler, 0},
    {wave, plane, Scheme::rk4, 2 * root_of_2 * 0.5 / (3 * 2 * root_of_2)},
    {wave, plane, Scheme::ssprk3, root_of_3 * 0.5 / (3 * 2 * root_of_2)},
    // The limit is (w dt)^2 + 2 g dt = 4, with w^2 = 288 and friction g = 7.
    {{{"u", "v"}, {"v", "D^2 * laplacian(u) - 7 * v"}},
     plane,
     Scheme::leapfrog,
     (std::sqrt(7.0 * 7 + 4 * 288) - 7) / 288},
    // v depends on u but not u on v; v, which diffuses faster, limits the step.
    {{{"u", "laplacian(u)"}, {"v", "D * laplacian(v) + u"}}, plane, Scheme::euler, 0.25 / (4 * 3)},
    {{{"u", "laplacian(v) + laplacian(u)"}, {"v", "laplacian(u) + laplacian(v)"}},
     plane,
     Scheme::euler,
     0.25 / (4 * 2)},
    // Fields of very different size.
    {{{"u", "v"}, {"v", "9e16 * laplacian(u)"}}, line, Scheme::leapfrog, 0.5 / 3e8},
};

inline std::vector<double> noise(const RunConfig& run) {
  std::vector<double> state;
  for (const std::string& field : run.fields) {
    const std::vector<double> values = at_nodes(run, [&](double x, double y) {
      return std::sin(91.7 * x + 57.3 * y * y + static_cast<double>(field.size())) +
             std::cos(13 * x * y + 0.3);
    });
    state.insert(state.end(), values.begin(), values.end());
  }
  return state;
}

inline double largest_value(const std::vector<double>& state) {
  double most = 0;
  for (const double value : state)
    most = std::max(most, std::isnan(value) ? infinite : std::abs(value));
  return most;
}

inline double after_steps(RunConfig run, double step, std::int64_t steps,
                          const std::vector<double>& state) {
  run.time_step = step;
  return largest_value(formula_stepped(run, state, steps, "interpreted", 1));
}

/// The run with only those parameters that a rate of change reads.
inline RunConfig with_parameters(const RunConfig& run) {
  RunConfig used = run;
  std::erase_if(used.parameters, [&](const auto& parameter) {
    return std::ranges::none_of(run.equation.rates, [&](const auto& rate) {
      return rate.second.text().find(parameter.first) != std::string::npos;
    });
  });
  return used;
}

}  // namespace lapl::test
