// Time schemes. A Runge-Kutta scheme is a table of numbers: with y_1 = u and k_i = f(y_i), stage i
// makes y_(i+1) (the last one u') from s = dt / divisor (weights[0] k_1 + ... + weights[i-1] k_i):
//
//   Butcher's form     y_(i+1) = u + s
//   Shu and Osher's    y_(i+1) = (1 - share) u + share (y_i + s)
//
// Every stage but the last reads k_i alone. Leapfrog and rkl2 are functions
// (solver/equation/stages.cpp).
#pragma once

#include <initializer_list>

#include "solver/names.hpp"

namespace lapl {

enum class Scheme { euler, heun, ssprk3, rk4, leapfrog, rkl2 };

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
  const char* name;     ///< time.scheme
  const char* summary;  ///< one line for people
  int order;            ///< of accuracy; for a Runge-Kutta scheme also its number of stages
  SchemeStages stages;  ///< empty where the scheme is not Runge-Kutta
};

/// heun and ssprk3: Shu and Osher, J. Comput. Phys. 77 (1988); rk4: Kutta's classical method.
// clang-format off
template <>
inline constexpr auto name_table<Scheme> = std::to_array<SchemeRow>({
    {Scheme::euler, "euler", "explicit Euler, first order", 1, {{.weights = {1}}}},
    {Scheme::heun, "heun", "Heun's method, second order", 2,
     {{.weights = {1}},
      {.time = 1, .weights = {0, 1}, .share = 0.5}}},
    {Scheme::ssprk3, "ssprk3", "Shu and Osher's strong-stability-preserving, third order", 3,
     {{.weights = {1}},
      {.time = 1, .weights = {0, 1}, .share = 0.25},
      {.time = 0.5, .weights = {0, 0, 1}, .share = 2.0 / 3}}},
    {Scheme::rk4, "rk4", "the classical Runge-Kutta method, fourth order", 4,
     {{.weights = {1}, .divisor = 2},
      {.time = 0.5, .weights = {0, 1}, .divisor = 2},
      {.time = 0.5, .weights = {0, 0, 1}},
      {.time = 1, .weights = {1, 2, 2, 1}, .divisor = 6}}},
    {Scheme::leapfrog, "leapfrog", "fields one after the other, each with the newest values", 1, {}},
    {Scheme::rkl2, "rkl2", "Runge-Kutta-Legendre super time steps, second order", 2, {}}});
// clang-format on

/// Bounds of the number of stages of rkl2.
inline constexpr int least_stages = 2, most_stages = 128;

/// A scheme with its number of stages, which only rkl2 leaves open.
struct TimeScheme {
  Scheme kind = Scheme::euler;
  int stages = least_stages;  ///< of rkl2

  TimeScheme(Scheme scheme = Scheme::euler, int number = least_stages)
      : kind(scheme), stages(number) {}
};

}  // namespace lapl
