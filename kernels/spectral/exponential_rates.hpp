// The rates of etdrk2 and etdrk4: u' = f(u), of which the linear part L has
// the faces' eigenmodes for its own.
#pragma once

#include <vector>

#include "kernels/problem.hpp"
#include "kernels/spectral/linear_rates.hpp"
#include "kernels/spectral/phi.hpp"

namespace lapl {

struct ExponentialRates {
  /// Fields that L couples; they have the same faces.
  struct Group {
    std::vector<int> fields;  ///< at most most_coupled
    Faces<double> faces;      ///< as LinearRates::faces
    std::vector<ModeRate>
        linear;  ///< L, row by row: element (i, j) is the factor of field j in the rate of field i

    int size() const { return static_cast<int>(fields.size()); }
  };

  int order = 2;          ///< 2 or 4
  Problem<double> rates;  ///< a step makes the fields their rates
  std::vector<Group> groups;
  double relative = 0, absolute = 0;  ///< the tolerance of a step's error

  /// The error of a value, relative to what the tolerance allows.
  LAPL_HOST_DEVICE static double scaled(double error, double before, double after, double relative,
                                        double absolute) {
    const double a = before < 0 ? -before : before, b = after < 0 ? -after : after;
    return (error < 0 ? -error : error) / (absolute + relative * (a > b ? a : b));
  }
};

}  // namespace lapl
