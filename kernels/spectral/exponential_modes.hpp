// The stages of etdrk2 and etdrk4 (Cox and Matthews, J. Comput. Phys. 176 (2002) 430) for the modes
// of a group of fields, for CPU and GPU. With u' = f(u) = L u + N(u), z = dt L and phi_k of
// kernels/spectral/phi.hpp, everything is written with changes from the state u. Since e^z = 1 + z
// phi_1(z), a change X needs no transform of the state, and N(u + X) - N(u) = f(u + X) - f(u) - L
// X:
//
//   etdrk2   A  = Q F                          F = f(u)      Q = dt phi_1(z)
//            u' = A + R Da                                   R = dt phi_2(z)
//            error = R (D' - Da)                             Dx = N(u + X) - N(u)
//   etdrk4   A  = P F                                        P = dt/2 phi_1(z/2)
//            B  = P (F + Da)
//            C  = P (2 F + L A + 2 Db)
//            u' = Q F + R (Da + Db) + W Dc                   R = dt (2 phi_2(z) - 4 phi_3(z))
//            error = W (D' - Dc)                             W = dt (4 phi_3(z) - phi_2(z))
#pragma once

#include <cstdint>

#include "kernels/platform.hpp"
#include "kernels/spectral/exponential_rates.hpp"

namespace lapl {

enum class ModeStage : std::uint8_t { first, second, third, last, error };

/// Modes of all fields, field after field, and what they are multiplied by.
struct ExponentialModes {
  int order = 2;
  int count = 1;                  ///< fields of the group
  int fields[most_coupled] = {};  ///< their indices
  std::int64_t cells = 0;
  double scale = 1;                      ///< of the result
  const double* coefficients = nullptr;  ///< of each factor, count * count * cells
  const double* first = nullptr;         ///< f(u)
  const double* rates = nullptr;         ///< f of the last stage
  double* made = nullptr;                ///< the result, scaled for its transform; may be `rates`
  double* change = nullptr;              ///< X of the last stage
  double* kept = nullptr;                ///< D that a later stage needs

  enum Factor : std::uint8_t { L, Q, R, P, W };
  /// The number of factors that a scheme has.
  static int factors(int order) { return order == 2 ? 3 : 5; }
};

/// Takes a stage for mode `at`; `size` is the number of fields of the group, or 0 if it is
/// modes.count.
template <ModeStage stage, int size>
LAPL_HOST_DEVICE void take_mode(const ExponentialModes& modes, std::int64_t at) {
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

/// Takes a step from f(u) on. `on` has the functions
///   take<stage>()        takes a stage for all modes
///   evaluate(part)       makes the changed state, and its rates after a part of the step
///   finish()             makes the new state
///   measure()            makes its rates
template <class Machine>
void take_exponential_step(Machine& on, int order, bool measures_error) {
  on.template take<ModeStage::first>();
  if (order == 4) {
    on.evaluate(0.5);
    on.template take<ModeStage::second>();
    on.evaluate(0.5);
    on.template take<ModeStage::third>();
  }
  on.evaluate(1);
  on.template take<ModeStage::last>();
  on.finish();
  if (!measures_error) return;
  on.measure();
  on.template take<ModeStage::error>();
}

}  // namespace lapl
