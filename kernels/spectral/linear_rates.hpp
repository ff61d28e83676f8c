// The equations that engine "spectral" can step: linear, of one field, with constant coefficients
// and symmetric along each axis. The eigenmodes of the faces are eigenmodes of these equations too
// (docs/numerics.md, "Any number of steps at once"). For a mode with phases theta along the axes,
//
//   rate     of_mean + sum over terms of weight * (product over axes of cos(turns * theta) - 1);
//            the parenthesis is the "distance" of the term
//   1 step   multiplies the mode by 1 + change(rate * dt)
//   n steps  multiply it by (1 + change)^n and add source * ((1 + change)^n - 1) / rate,
//            or n * dt * source if the rate is 0
#pragma once

#include <array>
#include <vector>

#include "kernels/grid/face.hpp"
#include "kernels/spectral/step_change.hpp"

namespace lapl {

/// The rate of each mode, by the formula above.
struct ModeRate {
  struct Term {
    double weight = 0;
    std::array<int, 3> turns = {};  ///< multiples of theta along planes, rows and columns
  };
  double of_mean = 0;  ///< rate of a uniform field, per second
  std::vector<Term> terms;
};

struct LinearRates : ModeRate {
  Faces<double> faces;         ///< periodic, or conditions with a = 0 and b = 0 or 1
  StepChange change;           ///< as a function of rate * dt
  std::vector<double> source;  ///< rate of a zero field, in each cell; empty if the rate is 0
};

}  // namespace lapl
