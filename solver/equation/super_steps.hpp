// Runge-Kutta-Legendre super time steps of second order with s stages: Meyer, Balsara and Aslam, J.
// Comput. Phys. 257 (2014) 594. With w = 4 / (s^2 + s - 2), b_0 = b_1 = b_2 = 1/3 and b_j = (j^2 +
// j - 2) / (2 * j * (j + 1)):
//
//   y_0 = u, y_1 = u + m_1 * dt * f(u), and for j = 2 ... s, with the new u = y_s:
//   y_j = u + mu_j * (y_(j-1) - u) + nu_j * (y_(j-2) - u) + m_j * dt * f(y_(j-1)) + g_j * dt * f(u)
//
//   mu_j = (2 * j - 1) / j * b_j / b_(j-1)     m_1 = w * b_1, m_j = w * mu_j
//   nu_j = (1 - j) / j * b_j / b_(j-2)         g_j = (b_(j-1) - 1) * m_j
#pragma once

#include <vector>

namespace lapl {

/// The coefficients of y_j above (docs/numerics.md, rkl2).
struct SuperStage {
  double mu = 0, nu = 0;     ///< mu_j, nu_j
  double of_rate = 0;        ///< m_j
  double of_first_rate = 0;  ///< g_j
  double time = 0;           ///< time in steps of y_(j-1), which the stage reads
};

/// The stages j = 1 to `count`; `count` is at least two.
inline std::vector<SuperStage> super_stages(int count) {
  const auto b = [](double j) { return j < 3 ? 1.0 / 3 : (j * j + j - 2) / (2 * j * (j + 1)); };
  const double w = 4 / (count * (count + 1.0) - 2);
  std::vector<SuperStage> stages = {{.of_rate = w / 3}};
  double time = w / 3, time_before = 0;
  for (double j = 2; j <= count; ++j) {
    SuperStage stage{
        .mu = (2 * j - 1) / j * b(j) / b(j - 1), .nu = (1 - j) / j * b(j) / b(j - 2), .time = time};
    stage.of_rate = w * stage.mu;
    stage.of_first_rate = (b(j - 1) - 1) * stage.of_rate;
    stages.push_back(stage);
    time = stage.mu * time + stage.nu * time_before + stage.of_rate + stage.of_first_rate;
    time_before = stage.time;
  }
  return stages;
}

/// A step with `count` stages has the error c dt^3 u''', with c = (1 - b_s w^3 P_s'''(1)) / 6 and
/// the Legendre polynomial P_s: 1/6 for two stages, 1/18 for many. Returns k of the estimate k (u -
/// v + dt (f(u) + f(v)) / 2), where v is the new state. Its bracket is (1 + 12 c) / 12 times dt^3
/// u''', as v has that error itself. The trapezoidal rule serves in the same way in Sommeijer,
/// Shampine and Verwer, J. Comput. Appl. Math. 88 (1998) 315.
inline double super_step_error(int count) {
  const double s = count, w = 4 / (s * s + s - 2), b = 2 / (s * (s + 1) * w);
  const double third = (s - 2) * (s - 1) * s * (s + 1) * (s + 2) * (s + 3) / 48;
  const double c = (1 - b * w * w * w * third) / 6;
  return 12 * c / (1 + 12 * c);
}

}  // namespace lapl
