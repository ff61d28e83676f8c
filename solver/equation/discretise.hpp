// From formulas to stage trees, by the one set of rules of docs/numerics.md ("Formulas"): second
// order central differences on the nodes, and the canon, the order of operations that every engine
// keeps.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/stages/stage_tree.hpp"
#include "solver/equation/formula.hpp"

namespace lapl {

/// A scalar times an operation of a tree, or a scalar alone. Scalars are collected in float64 until
/// a number of the tree is made of them.
struct Term {
  double factor = 1;
  bool literal = true;  ///< the factor does not depend on parameters
  int node = -1;        ///< -1: a scalar alone

  bool is_scalar() const { return node < 0; }
};

/// What a formula's names stand for, and the grid that it is for.
struct FormulaNames {
  std::map<std::string, int, std::less<>> arrays;  ///< read cell by cell
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, const Formula*, std::less<>> quantities;  ///< `let`
  int axes = 2;
  std::array<double, 3> spacing = {1, 1, 1};  ///< of planes, rows, columns
  bool has_time = true;
  bool has_position = true;
  bool has_stencils = true;
  std::string has_none_of = {};  ///< what is said of a name or function that has no meaning here
  std::set<std::string, std::less<>> elsewhere = {};  ///< names that have a meaning elsewhere
  std::function<int()> draw = {};  ///< the array of the next use of `random`, where there is any
  std::map<std::string, Term, std::less<>> terms = {};  ///< names that stand for what is written
};

/// Stencil operators that are applied to what holds one itself: quantities of stages before.
struct NestedQuantity {
  const Formula* formula = nullptr;
  int node = 0;  ///< of the formula
};

/// Writes formulas into one tree; `used` takes the names that they read. `nested` gives the array
/// of a quantity that holds a stencil operator itself, and none for others; where formulas have no
/// stencils, none is asked for.
class TreeWriter {
 public:
  using ArrayOf = std::function<std::optional<int>(NestedQuantity)>;

  TreeWriter(const FormulaNames& names, StageTree& tree, std::set<std::string>& used,
             ArrayOf nested = {})
      : names_(names), tree_(tree), nested_(std::move(nested)), used_(used) {}

  /// The value of a formula. Throws FormulaError.
  Term write(const Formula& formula);
  Term write(const NestedQuantity& part);

  /// The operation that a term stands for.
  int node_of(Term term);
  Term sum(Term a, Term b);
  Term product(Term a, Term b);
  Term quotient(Term a, Term b);
  Term negative(Term a) const;
  static Term scalar(double value, bool literal = true) { return {value, literal, -1}; }
  static Term of(int node) { return {1, true, node}; }

 private:
  struct ShiftedPart {
    const Formula* formula;
    int node;
    Offset at;
    friend bool operator<(const ShiftedPart& a, const ShiftedPart& b) {
      const auto key = [](const ShiftedPart& p) {
        return std::tuple(p.formula, p.node, p.at.plane, p.at.row, p.at.column);
      };
      return key(a) < key(b);
    }
  };

  Term write(ShiftedPart place);
  Term made(const ShiftedPart& place, const FormulaNode& node);
  Term name(const ShiftedPart& place, const FormulaNode& node);
  Term call(const ShiftedPart& place, const FormulaNode& node);
  Term values_function(const ShiftedPart& place, const FormulaNode& node);
  Term stencil(const ShiftedPart& place, const FormulaNode& node);
  Term comparison(const FormulaNode& node, Term a, Term b);
  Term power(const ShiftedPart& place, const FormulaNode& node);
  Term apply(Operation operation, std::vector<Term> operands);
  static void require_arguments(const FormulaNode& node, std::size_t count);

  // The argument of a stencil, beside the cell.
  struct Argument {
    ShiftedPart place;
    std::optional<int> array;  // that holds it, where it is a quantity of a stage before
  };
  Argument argument(const ShiftedPart& place, int operand, const FormulaNode& of);
  Term read(const Argument& argument, Offset at);
  Term beside(Operation operation, Term a, Term b);
  Term second_difference(const Argument& argument, int axis);
  Term first_difference(const Argument& argument, int axis);
  Term laplacian(const Argument& argument);
  Term gradient_squared(const Argument& argument);
  Term mixed(const Argument& argument, int axis, int other);
  Term divergence(const ShiftedPart& place, const FormulaNode& node);
  Term upwind(const ShiftedPart& place, const FormulaNode& node);
  Term over_axes(const std::function<Term(int axis)>& term,
                 const std::function<double(int axis)>& scale);
  int axis_named(char letter, const FormulaNode& node) const;
  std::vector<int> axes() const;

  const FormulaNames& names_;
  StageTree& tree_;
  ArrayOf nested_;
  std::set<std::string>& used_;
  std::map<ShiftedPart, Term> known_;
};

}  // namespace lapl
