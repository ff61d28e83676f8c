// Writes the linear part of rates as sums of cosines, and finds the faces whose modes (sines or
// cosines) are eigenvectors of such a part.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/equation/rate_symbol.hpp"
#include "solver/equation/stages.hpp"

namespace lapl {

/// Why a problem cannot be stepped mode by mode, such as "the rate of u depends on t".
struct Refusal {
  std::string why;
};

/// Throws Refusal if a condition at a side holds at nodes, or reads fields or parameter fields.
void require_plain_conditions(const FormulaSystem& system);

/// The boundary conditions of an array without the values that they add, as for a field of 0.
/// Throws Refusal if they have no modes.
Faces<double> faces_with_modes(const Problem<double>& problem, int array);

/// Throws Refusal if an array of stages that the linear part reads at neighbours has other faces
/// than the fields that it depends on, or changes when an axis with faces is reversed.
void require_faces(const Problem<double>& problem, RateSymbol& symbol,
                   const std::vector<Faces<double>>& of_fields,
                   const std::vector<std::string>& names);

/// Finds the trigonometric polynomials that a symbol consists of, from its values at 2 * radius + 1
/// phases per axis.
class SymbolTerms {
 public:
  /// Throws Refusal if there are too many phases or a value is too large. `names` are those of the
  /// fields.
  SymbolTerms(RateSymbol& symbol, int axes, int radius, const std::vector<std::string>& names);

  /// Throws Refusal if the rate of a field is not the same when an axis is reversed.
  void require_mirrors(int field) const;

  /// The part of element (row, column) that is the same when any axis is reversed.
  ModeRate rate(int row, int column) const;

 private:
  double turn() const;
  template <class Use>
  void for_each(int count, const Use& use) const;
  std::size_t place(const std::array<int, 3>& at) const;
  double term_weight(const std::array<int, 3>& turns, int row, int column) const;

  std::vector<std::string> names_;
  int radius_, phases_;
  int first_;                    // first axis of the grid
  std::vector<double> cosines_;  // cos(phase * turns), for each phase and number of turns
  std::vector<SquareMatrix> values_;
  double largest_ = 0;
};

}  // namespace lapl
