// Time schemes. A Runge-Kutta scheme is a table of numbers: with y_1 = u and k_i = f(y_i), stage i
// makes y_(i+1) (the last one u') from s = dt / divisor (weights[0] k_1 + ... + weights[i-1] k_i):
//
//   Butcher's form     y_(i+1) = u + s
//   Shu and Osher's    y_(i+1) = (1 - share) u + share (y_i + s)
//
// In a scheme that is no pair, stages before the last use k_i alone. In an embedded pair y_(n+1) is
// u', and other weights of k_1 to k_(n+1) give a solution one order lower: the difference is the
// error of a step. Leapfrog, rkl2, imex, backward-euler, sdirk2 and steady are functions
// (solver/equation/stages.cpp, implicit_maker.hpp); etdrk2 and
// etdrk4 step modes (kernels/spectral/exponential_modes.hpp).
#pragma once

#include <initializer_list>
#include <optional>

#include "solver/names.hpp"

namespace lapl {

enum class Scheme {
  euler,
  heun,
  midpoint,
  ssprk3,
  rk4,
  bs23,
  dopri5,
  leapfrog,
  rkl2,
  imex,
  etdrk2,
  etdrk4,
  backward_euler,
  sdirk2,
  steady
};

/// One stage of a Runge-Kutta scheme.
struct SchemeStage {
  double time = 0;                     ///< time of y_i in steps: Butcher's c
  std::array<double, 7> weights = {};  ///< Butcher's a (in the last stage b) times the divisor
  double divisor = 1;
  double share = 1;  ///< below 1 in Shu and Osher's form
};

struct SchemeStages {
  std::array<SchemeStage, 7> at = {};
  std::size_t count = 0;

  constexpr SchemeStages(std::initializer_list<SchemeStage> stages) : count(stages.size()) {
    std::ranges::copy(stages, at.begin());
  }
};

/// A row of the table of schemes.
struct SchemeRow {
  Scheme value;
  const char* name;                  ///< time.scheme
  const char* summary;               ///< one line for people
  int order;                         ///< of accuracy
  SchemeStages stages;               ///< empty where the scheme is not Runge-Kutta
  std::array<double, 7> lower = {};  ///< weights of a pair's other solution; 0 where it is no pair
  double beyond = 0;                 ///< coefficient of z^(order + 1) in the stability function

  constexpr bool is_pair() const { return lower != decltype(lower)(); }
  /// True for etdrk2 and etdrk4, which solve the linear part of the rates exactly.
  constexpr bool is_exponential() const {
    return value == Scheme::etdrk2 || value == Scheme::etdrk4;
  }
  /// True for schemes that solve the equations of all rates over the grid.
  constexpr bool is_implicit() const {
    return value == Scheme::backward_euler || value == Scheme::sdirk2 || value == Scheme::steady;
  }
  /// True if steps that are too long are unstable, however exact.
  constexpr bool has_stable_limit() const { return !is_exponential() && !is_implicit(); }
  /// True if time.tolerance can choose the size of its steps.
  constexpr bool estimates_error() const {
    return is_pair() || value == Scheme::rkl2 || value == Scheme::imex || value == Scheme::sdirk2 ||
           is_exponential();
  }
};

/// heun and ssprk3: Shu and Osher, J. Comput. Phys. 77 (1988); rk4: Kutta's classical method; bs23:
/// Bogacki and Shampine, Appl. Math. Lett. 2 (1989) 321; dopri5: Dormand and Prince, J. Comput.
/// Appl. Math. 6 (1980) 19; etdrk2 and etdrk4: Cox and Matthews, J. Comput. Phys. 176 (2002) 430.
// clang-format off
template <>
inline constexpr auto name_table<Scheme> = std::to_array<SchemeRow>({
    {Scheme::euler, "euler", "explicit Euler, first order", 1, {{.weights = {1}}}},
    {Scheme::heun, "heun", "Heun's method, second order", 2,
     {{.weights = {1}},
      {.time = 1, .weights = {0, 1}, .share = 0.5}}},
    {Scheme::midpoint, "midpoint", "the midpoint method, second order", 2,
     {{.weights = {1}, .divisor = 2},
      {.time = 0.5, .weights = {0, 1}}}},
    {Scheme::ssprk3, "ssprk3", "Shu and Osher's strong-stability-preserving, third order", 3,
     {{.weights = {1}},
      {.time = 1, .weights = {0, 1}, .share = 0.25},
      {.time = 0.5, .weights = {0, 0, 1}, .share = 2.0 / 3}}},
    {Scheme::rk4, "rk4", "the classical Runge-Kutta method, fourth order", 4,
     {{.weights = {1}, .divisor = 2},
      {.time = 0.5, .weights = {0, 1}, .divisor = 2},
      {.time = 0.5, .weights = {0, 0, 1}},
      {.time = 1, .weights = {1, 2, 2, 1}, .divisor = 6}}},
    {Scheme::bs23, "bs23", "Bogacki and Shampine's pair, third order; takes time.tolerance", 3,
     {{.weights = {1.0 / 2}},
      {.time = 0.5, .weights = {0, 3.0 / 4}},
      {.time = 0.75, .weights = {2.0 / 9, 1.0 / 3, 4.0 / 9}}},
     {7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8}},
    {Scheme::dopri5, "dopri5", "Dormand and Prince's pair, fifth order; takes time.tolerance", 5,
     {{.weights = {1.0 / 5}},
      {.time = 0.2, .weights = {3.0 / 40, 9.0 / 40}},
      {.time = 0.3, .weights = {44.0 / 45, -56.0 / 15, 32.0 / 9}},
      {.time = 0.8,
       .weights = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729}},
      {.time = 8.0 / 9,
       .weights = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
      {.time = 1,
       .weights = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}},
     {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40},
     1.0 / 600},
    {Scheme::leapfrog, "leapfrog", "fields one after the other, each with the newest values", 1, {}},
    {Scheme::rkl2, "rkl2", "Runge-Kutta-Legendre super time steps, second order; takes time.tolerance",
     2, {}},
    {Scheme::imex, "imex",
     "reactions implicitly, other terms by Heun's method, second order; takes time.tolerance", 2,
     {}},
    {Scheme::etdrk2, "etdrk2", "exact in the linear part, second order; takes time.tolerance", 2, {}},
    {Scheme::etdrk4, "etdrk4", "exact in the linear part, fourth order; takes time.tolerance", 4,
     {}},
    {Scheme::backward_euler, "backward-euler", "all rates implicitly, first order", 1, {}},
    {Scheme::sdirk2, "sdirk2",
     "all rates implicitly by two stages, second order; takes time.tolerance", 2, {}},
    {Scheme::steady, "steady", "one step to the state where all rates are 0", 1, {}}});
// clang-format on

/// Bounds of the number of stages of rkl2.
inline constexpr int least_stages = 2, most_stages = 128;

/// The tolerated error of a step: absolute + relative * the larger |u| before and after the step.
struct Tolerance {
  double relative = 0, absolute = 0;
};

/// A scheme with its number of stages, which only rkl2 leaves open.
struct TimeScheme {
  Scheme kind = Scheme::euler;
  std::optional<int> stages = {};  ///< of rkl2; the most, with a tolerance; unset until it is found
  bool varies = false;             ///< dt may differ from step to step
  std::optional<Tolerance> tolerance = {};  ///< where steps choose their size by their error

  TimeScheme(Scheme scheme = Scheme::euler, int number = least_stages) : kind(scheme) {
    if (kind == Scheme::rkl2) stages = number;
  }
};

}  // namespace lapl
