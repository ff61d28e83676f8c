// The symbol of an equation (von Neumann's analysis): the matrix, over the fields, of the rates for
// a wave e^(i theta . (plane, row, column)). It is exact for linear equations whose factors are
// numbers; sources have no effect.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/equation/eigenvalues.hpp"

namespace lapl {

/// The symbol of the rates that stages compute.
class RateSymbol {
 public:
  enum class Rates {
    constant,  ///< linear with numbers as factors; only these have a symbol
    varying,   ///< linear, with factors that depend on position or time
    nonlinear
  };

  /// The values that may differ between cells: the coefficient fields, and the position z, y, x.
  struct LocalValues {
    std::vector<double> coefficients;
    std::array<double, 3> position = {};
    friend auto operator<=>(const LocalValues&, const LocalValues&) = default;
  };

  /// `stages` compute the rates; the last one computes those of all fields, in order.
  RateSymbol(const std::vector<Stage>& stages, int fields, int arrays);

  Rates rates() const { return rates_; }
  /// Makes varying rates constant, with the values at one place and at time 0.
  void set_local_values(const LocalValues& place);
  int fields() const { return fields_; }
  /// Number of operations per wave.
  std::size_t operations() const { return operations_.size(); }

  /// The symbol of constant rates for a wave with these phase differences (radians) between
  /// neighbouring nodes along planes, rows and columns: element (i, j), in 1/s, is the factor of
  /// field j in the rate of field i.
  SquareMatrix at(const std::array<double, 3>& phases);

 private:
  enum class Kind { number, varying, linear };
  // The value of an operation: a number, or a linear form with one factor per field.
  struct Part {
    Kind kind = Kind::varying;
    double number = 0;
    std::vector<Complex> factors;
  };

  Complex& turn_to(Offset at) { return turns_[9 * at.plane + 3 * at.row + at.column + 13]; }
  Part value_of(const StageOperation& node, const std::vector<Part>& made);
  Part sum(const Part& a, const Part& b, double sign);
  Part product(const Part& a, const Part& b);
  Part scaled(Part a, double factor) const;

  // operations of all stages; Operation::value with index -1 copies its operand
  std::vector<StageOperation> operations_;
  std::vector<int> rates_of_;  // operations with the rates as results
  // the wave at each of the 27 neighbours, relative to the cell
  std::array<Complex, 27> turns_{};
  int fields_;
  std::vector<Part> arrays_;  // contents before the first stage
  Rates rates_ = Rates::constant;
  std::optional<LocalValues> place_;
};

}  // namespace lapl
