// The stages of etdrk2 and etdrk4 (Cox and Matthews, J. Comput. Phys. 176 (2002) 430) for the modes
// of a group of fields, for CPU and GPU. With du/dt = f(u) = L u + N(u), z = dt L and phi_k of
// kernels/spectral/phi.hpp, everything is written with changes X from the state u before the step;
// u' is the new state, in the table its change. Since e^z = 1 + z phi_1(z), a change needs no
// transform of the state. Dx = N(u + X) - N(u) is computed as f(u + X) - f(u) - L X.
//
//   etdrk2   A  = Q F                          F = f(u)      Q = dt phi_1(z)
//            u' = A + R Da                                   R = dt phi_2(z)
//            error = R (D' - Da)                             Dx = N(u + X) - N(u)
//   etdrk4   A  = P F                                        P = dt/2 phi_1(z/2)
//            B  = P (F + Da)
//            C  = P (2 F + L A + 2 Db)
//            u' = Q F + R (Da + Db) + W Dc                   R = dt (2 phi_2(z) - 4 phi_3(z))
//            error = W (D' - Dc)                             W = dt (4 phi_3(z) - phi_2(z))
//
// Both N in the error are those at the end of the step, so the error does not show how N changes
// with t alone. If rates read t, there is a second error: that of the interpolation of N in time at
// the part s of the step, between its nodes, for the state u'. With N(s) = N(u', t + s dt),
//
//   etdrk2   error = R R / (dt s (1 - s)) (N(s) - (1 - s) N(0) - s N(1))
//   etdrk4   error = 2 R (N(s) - the parabola through N(0), N(1/2) and N(1))
//
// If N is the lowest power of t that is not interpolated exactly, in a mode that does not grow, the
// error of etdrk2 is 1 to 1.5 times the error of the step, and that of etdrk4 at least 0.38 times.
// s is 0.38 or half of that, by the golden section: no small multiple of s is a whole number. So if
// N is a wave in time with the same value at all nodes, it has another value at s.
#pragma once

#include <cstdint>

#include "kernels/platform.hpp"
#include "kernels/spectral/exponential_rates.hpp"

namespace lapl {

enum class ModeStage : std::uint8_t { first, second, third, last, error, gap, gap_error };

/// Modes of all fields, field after field, and the factors that multiply them.
struct ExponentialModes {
  int order = 2;
  int count = 1;                         ///< fields of the group
  int fields[most_coupled] = {};         ///< their indices
  std::int64_t cells = 0;                ///< number of modes of a field
  double scale = 1;                      ///< factor on `made`
  const double* coefficients = nullptr;  ///< for each Factor, count * count * cells values
  const double* first = nullptr;         ///< f(u)
  const double* rates = nullptr;         ///< f of the state of the stage before
  const double* after = nullptr;         ///< f(u') at the end of the step
  double share = 0;                      ///< weight of `rates` in a TimeGap
  bool adds = false;                     ///< true if the sum of a TimeGap has begun in `kept`
  double* made = nullptr;    ///< the result, times `scale`; may be the same array as `rates`
  double* change = nullptr;  ///< X of the stage before
  double* kept = nullptr;    ///< D that a later stage needs, or the sum of a TimeGap

  enum Factor : std::uint8_t { L, Q, R, P, W };
  /// The number of factors that a scheme has.
  static int factors(int order) { return order == 2 ? 3 : 5; }
};

/// Computes a stage for mode `at`; `size` is the number of fields of the group, or 0 for
/// modes.count.
template <ModeStage stage, int size>
LAPL_HOST_DEVICE void compute_mode(const ExponentialModes& modes, std::int64_t at) {
  using Modes = ExponentialModes;
  struct Values {
    double of[size == 0 ? most_coupled : size];
  };
  const int count = size == 0 ? modes.count : size;
  const auto read = [&](const double* from) {
    Values values;
    for (int i = 0; i < count; ++i) values.of[i] = from[modes.fields[i] * modes.cells + at];
    return values;
  };
  const auto write = [&](double* to, const Values& values, double scale) {
    for (int i = 0; i < count; ++i) to[modes.fields[i] * modes.cells + at] = scale * values.of[i];
  };
  const auto times = [&](int factor, const Values& values) {
    const double* const matrix = modes.coefficients + factor * count * count * modes.cells + at;
    Values product;
    for (int i = 0; i < count; ++i) {
      double sum = matrix[i * count * modes.cells] * values.of[0];
      for (int j = 1; j < count; ++j) sum += matrix[(i * count + j) * modes.cells] * values.of[j];
      product.of[i] = sum;
    }
    return product;
  };
  const auto sum = [&](const Values& a, double factor, const Values& b) {
    Values total;
    for (int i = 0; i < count; ++i) total.of[i] = a.of[i] + factor * b.of[i];
    return total;
  };
  if constexpr (stage == ModeStage::gap || stage == ModeStage::gap_error) {
    Values gap = sum(read(modes.rates), -1, read(modes.after));
    for (int i = 0; i < count; ++i) gap.of[i] *= modes.share;
    if (modes.adds) gap = sum(gap, 1, read(modes.kept));
    if constexpr (stage == ModeStage::gap) {
      write(modes.kept, gap, 1);
    } else {
      const Values once = times(Modes::R, gap);
      write(modes.made, modes.order == 2 ? times(Modes::R, once) : once, modes.scale);
    }
    return;
  }
  const Values first = read(modes.first);
  if constexpr (stage == ModeStage::first) {
    const Values change = times(modes.order == 2 ? Modes::Q : Modes::P, first);
    write(modes.change, change, 1);
    write(modes.made, change, modes.scale);
  } else {
    const Values before = read(modes.change);
    const Values rest =
        sum(sum(read(modes.rates), -1, first), -1, times(Modes::L, before));  // D of the last stage
    if constexpr (stage == ModeStage::error) {
      const Values error =
          times(modes.order == 2 ? Modes::R : Modes::W, sum(rest, -1, read(modes.kept)));
      write(modes.made, error, modes.scale);
      return;
    }
    Values change;
    if constexpr (stage == ModeStage::second) {
      change = times(Modes::P, sum(first, 1, rest));
      write(modes.kept, rest, 1);
    } else if constexpr (stage == ModeStage::third) {
      const Values of_a = times(Modes::L, times(Modes::P, first));
      change = times(Modes::P, sum(sum(of_a, 2, first), 2, rest));
      write(modes.kept, sum(read(modes.kept), 1, rest), 1);
    } else {
      change = modes.order == 2
                   ? sum(before, 1, times(Modes::R, rest))
                   : sum(sum(times(Modes::Q, first), 1, times(Modes::R, read(modes.kept))), 1,
                         times(Modes::W, rest));
      write(modes.kept, rest, 1);
    }
    write(modes.change, change, 1);
    write(modes.made, change, modes.scale);
  }
}

/// The error of an interpolation in time at its last node, with the factors of the formulas above:
/// the sum over i of shares[i] times (N at parts[i] of the step, minus N at its end).
struct TimeGap {
  int nodes = 0;
  double parts[3] = {};
  double shares[3] = {};
};
inline TimeGap time_gap(int order, double dt) {
  constexpr double golden = 0.3819660112501051;  // (3 - sqrt(5)) / 2
  if (order == 2) {
    constexpr double s = golden, size = s * (1 - s);
    return {2, {0, s}, {-(1 - s) / size / dt, 1 / size / dt}};
  }
  constexpr double s = golden / 2;
  return {3, {0, 0.5, s}, {-4 * (s - 0.5) * (s - 1), 8 * s * (s - 1), 2}};
}

}  // namespace lapl
