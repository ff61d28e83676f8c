// What engine "spectral" steps: a linear equation of one field with constant coefficients, whose
// rates stay the same when an axis is turned round. Such rates have the eigenmodes of the faces for
// their own (docs/numerics.md, "Spectral"). With the mode's phases theta along the axes,
//
//   rate     of_mean + sum over terms of weight (prod over axes of cos(turns theta) - 1)
//   a step   multiplies the mode by 1 + change(rate dt)
//   n steps  by (1 + change)^n, and add source ((1 + change)^n - 1) / rate, n dt source where the
//            rate is 0
#pragma once

#include <array>
#include <vector>

#include "kernels/grid/face.hpp"
#include "kernels/spectral/step_change.hpp"

namespace lapl {

struct LinearRates {
  struct Term {
    double weight = 0;
    std::array<int, 3> turns = {};  ///< of theta, along planes, rows, columns
  };
  Faces<double> faces;  ///< whose eigenmodes they are: neighbours, or a = 0 and b = 0 or 1
  double of_mean = 0;   ///< per second, of a field that is the same everywhere
  std::vector<Term> terms;
  StepChange change;           ///< of rate dt
  std::vector<double> source;  ///< rate of a field that is 0, cell by cell; empty: 0 everywhere
};

}  // namespace lapl
