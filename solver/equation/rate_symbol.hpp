// What the rates of an equation make of a wave e^(i theta . (plane, row, column)): a matrix of the
// fields, the symbol of von Neumann's analysis. Exact where the equation is linear and what it
// multiplies fields by is numbers; what is added to that (sources) does not matter.
#pragma once

#include <array>
#include <compare>
#include <optional>
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

  /// All that differs from cell to cell: the values of the coefficient fields, and z, y and x.
  struct LocalValues {
    std::vector<double> coefficients;
    std::array<double, 3> position = {};
    friend auto operator<=>(const LocalValues&, const LocalValues&) = default;
  };

  /// The last of the stages makes the rate of each field, in order.
  RateSymbol(const std::vector<Stage>& stages, int fields, int arrays);

  Rates rates() const { return rates_; }
  /// Varying rates become constant ones: those at a place, at time 0.
  void set_local_values(const LocalValues& place);
  int fields() const { return fields_; }
  /// That each wave takes: what several stages make is made once.
  std::size_t operations() const { return operations_.size(); }

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

  Complex& turn_to(Offset at) { return turns_[9 * at.plane + 3 * at.row + at.column + 13]; }
  Part value_of(const StageOperation& node, const std::vector<Part>& made);
  Part sum(const Part& a, const Part& b, double sign);
  Part product(const Part& a, const Part& b);
  Part scaled(Part a, double factor) const;

  std::vector<StageOperation> operations_;  // of all stages; a value of index -1: of its operand
  std::vector<int> rates_of_;               // the operations that make the rates
  std::array<Complex, 27> turns_{};         // of the wave, from a cell to each around it
  int fields_;
  std::vector<Part> arrays_;  // before the first stage
  Rates rates_ = Rates::constant;
  std::optional<LocalValues> place_;
};

}  // namespace lapl
