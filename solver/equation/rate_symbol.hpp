// What the rates of an equation make of a wave e^(i theta . (plane, row, column)): a matrix of the
// fields, the symbol of von Neumann's analysis. Exact where the equation is linear and what it
// multiplies fields by is numbers; what is added to that (sources) does not matter.
#pragma once

#include <array>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/equation/eigenvalues.hpp"

namespace lapl {

class RateSymbol {
 public:
  enum class Rates {
    constant,  ///< linear, with numbers for factors: the only ones that have a symbol
    varying,   ///< linear, with factors that depend on the place or on the time
    nonlinear
  };

  /// The last of the stages makes the rate of each field, in order.
  RateSymbol(std::vector<Stage> stages, int fields, int arrays);

  Rates rates() const { return rates_; }
  int fields() const { return fields_; }

  /// Phases from a node to the next, by axis: planes, rows, columns. The rate of field `row` by
  /// field `column`. For constant rates.
  SquareMatrix at(const std::array<double, 3>& phases);

 private:
  enum class Kind { number, varying, linear };
  // Of a number its value; of what is linear in the fields its factor of each.
  struct Part {
    Kind kind = Kind::varying;
    double number = 0;
    std::vector<Complex> factors;
  };

  void evaluate(const Stage& stage, const std::array<double, 3>& phases);
  Part value_of(const StageOperation& node, const std::vector<Part>& made,
                const std::array<double, 3>& phases);
  Part sum(const Part& a, const Part& b, double sign);
  Part product(const Part& a, const Part& b);
  Part scaled(Part a, double factor) const;

  std::vector<Stage> stages_;
  int fields_;
  std::vector<Part> arrays_;
  Rates rates_ = Rates::constant;
};

}  // namespace lapl
