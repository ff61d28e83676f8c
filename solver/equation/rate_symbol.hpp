// The symbol of an equation (von Neumann's analysis): the matrix, over the fields, of the rates for
// a wave e^(i theta . (plane, row, column)). It is exact for linear equations whose factors are
// numbers; sources have no effect. Other rates have the symbol of their linear part: their
// derivative at a uniform state, as far as they are sums, products and quotients of fields,
// neighbours among them; functions count as numbers.
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
    constant,  ///< linear with numbers as factors; the symbol is exact
    varying,   ///< linear, with factors that depend on position or time
    nonlinear
  };

  /// The values that may differ between cells: the coefficient fields, and the position z, y, x.
  struct LocalValues {
    std::vector<double> coefficients;
    std::array<double, 3> position = {};
    double time = 0;
    friend auto operator<=>(const LocalValues&, const LocalValues&) = default;
  };

  /// `stages` compute the rates; the last one computes those of all fields, in order.
  /// The linear part is that about a uniform state with the values `about`.
  RateSymbol(const std::vector<Stage>& stages, int fields, int arrays,
             const std::vector<double>& about = {});

  Rates rates() const { return rates_; }
  /// Makes varying rates constant, with the values at one place and time.
  void set_local_values(const LocalValues& place);
  int fields() const { return fields_; }
  /// Number of operations per wave.
  std::size_t operations() const { return operations_.size(); }

  /// The symbol of the linear part for a wave with these phase differences (radians) between
  /// neighbouring nodes along planes, rows and columns: element (i, j), in 1/s, is the factor of
  /// field j in the rate of field i.
  SquareMatrix at(const std::array<double, 3>& phases);

  /// The same for terms that are linear with factors that depend on position or time; arbitrary
  /// numbers stand for these factors. Valid after at().
  const SquareMatrix& varying_at() const { return varying_; }
  /// A coordinate, t or a coefficient on which such factors in the rate of a field depend; none if
  /// there are no such factors.
  std::optional<StageOperation> varying_leaf(int field) const;
  /// If the linear part reads an array of the stages at neighbours: the factor of a field in the
  /// array's values, for the wave of at(); else 0.
  Complex read_beside(int array, int field) const { return beside_[array * fields_ + field]; }

 private:
  // The value of an operation: number + factors . fields + two parts that are known only to exist:
  // one that varies from place to place, for which the number `varying` stands, and a nonlinear
  // one.
  struct Known {
    double number = 0;
    bool varies = false;
    double varying = 0;
    std::vector<Complex> factors = {};          // empty: does not depend on the fields in this way
    std::vector<Complex> varying_factors = {};  // linear too, with factors that vary
    bool nonlinear = false;
    int leaf = -1;  // index of an operation that varies; -1: none

    bool is_number() const { return !varies && !reads_fields(); }
    bool reads_fields() const { return nonlinear || !factors.empty() || !varying_factors.empty(); }
  };

  Complex& turn_to(Offset at) { return turns_[9 * at.plane + 3 * at.row + at.column + 13]; }
  Known operation_value(const StageOperation& node, const std::vector<Known>& made);
  Known varying(const StageOperation& node, int leaf) const;
  static Known sum(const Known& a, const Known& b, double sign);
  static Known product(const Known& a, const Known& b);
  static Known inverse(const Known& a);
  static Known scaled(Known a, double factor);

  // operations of all stages; Operation::value with index -1 - array copies its operand
  std::vector<StageOperation> operations_;
  std::vector<int> rates_of_;  // operations with the rates as results
  // factor of the wave at each of the 27 neighbours, relative to the cell
  std::array<Complex, 27> turns_{};
  int fields_;
  std::vector<Known> arrays_;  // contents before the first stage
  Rates rates_ = Rates::constant;
  SquareMatrix varying_{fields_};
  std::vector<int> leaves_;  // varying_leaf() of each field as index of an operation; -1: none
  std::vector<Complex> beside_;
  std::optional<LocalValues> place_;
};

}  // namespace lapl
