// The rates du/dt = f(u) that schemes etdrk2 and etdrk4 step. The eigenmodes of the faces are
// eigenmodes of their linear part L, too.
#pragma once

#include <vector>

#include "kernels/problem.hpp"
#include "kernels/spectral/linear_rates.hpp"
#include "kernels/spectral/phi.hpp"

namespace lapl {

struct ExponentialRates {
  /// Fields that the linear part L couples. At each side their conditions are of the same kind, so
  /// they have the same modes.
  struct Group {
    std::vector<int> fields;  ///< at most most_coupled
    Faces<double> faces;      ///< as LinearRates::faces
    std::vector<ModeRate>
        linear;  ///< L, row by row: element (i, j) is the rate of field i from field j

    int size() const { return static_cast<int>(fields.size()); }
  };

  int order = 2;          ///< 2 or 4
  Problem<double> rates;  ///< a step replaces the fields by their rates
  std::vector<Group> groups;
  double relative = 0, absolute = 0;  ///< tolerance of a step's error

  /// The error of a value divided by the tolerance, absolute + relative * max(|before|, |after|).
  LAPL_HOST_DEVICE static double scaled(double error, double before, double after, double relative,
                                        double absolute) {
    const double a = before < 0 ? -before : before, b = after < 0 ? -after : after;
    return (error < 0 ? -error : error) / (absolute + relative * (a > b ? a : b));
  }
};

}  // namespace lapl
