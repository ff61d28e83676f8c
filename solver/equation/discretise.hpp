// Turns formulas into stage trees by the rules of docs/numerics.md, "Formulas": second-order
// central differences on the nodes, in a fixed order of operations that all engines follow.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "kernels/stages/grid_reduction.hpp"
#include "kernels/stages/stage_tree.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/noise_uses.hpp"

namespace lapl {

/// The neighbour that is `by` cells away along axis 0 (planes), 1 (rows) or 2 (columns), and
/// `by_other` cells along another one.
inline Offset along(int axis, int by, int other = 0, int by_other = 0) {
  const auto of = [&](int which) {
    return (axis == which ? by : 0) + (other == which ? by_other : 0);
  };
  return {of(0), of(1), of(2)};
}

/// A number times the result of an operation of the tree, or only a number. Numbers are combined in
/// float64; the tree holds the result, rounded once to the run's precision.
struct Term {
  double factor = 1;
  bool literal = true;  ///< the factor is written in the formula, without parameters
  int node = -1;        ///< index of the operation in the tree; -1: only a number

  bool is_scalar() const { return node < 0; }
};

/// The argument of a stencil operator that an earlier stage computes: because it contains another
/// stencil operator, or because the operator reads its slopes or second differences at neighbours.
struct NestedQuantity {
  const Formula* formula = nullptr;
  int node = 0;  ///< root of the argument within the formula
  /// its value, this times the volume of its cell, or that volume; along `axis` its limited slope,
  /// its second difference, or the differences between its values at the cell's faces, by weno5,
  /// and in the cell: after - cell, cell - before
  enum class Of : std::uint8_t {
    value,
    by_volume,
    volume,
    slope,
    second_difference,
    to_after,
    to_before
  } of = Of::value;
  int axis = -1;

  bool is_difference() const { return of >= Of::slope; }
};

/// The argument of a call such as mean(e), which is reduced over all cells, or in one
/// (GridReduction).
struct ReducedPart {
  NestedQuantity part;
  const FormulaNode* call = nullptr;
  GridReduction::Kind kind = GridReduction::Kind::mean;
  std::int64_t cell = -1;

  /// The same for parts that mean the same.
  std::string key() const;
};

/// A window that the whole grid goes through: a kernel of the config, or the one that moves values
/// by a number of cells of planes, rows and columns.
struct GridWindow {
  std::string kernel;  ///< empty: a shift
  std::array<int, 3> shift = {};
  friend auto operator<=>(const GridWindow&, const GridWindow&) = default;
};

/// The argument of a call such as convolve(NAME, e), which all cells go into.
struct ConvolvedPart {
  NestedQuantity part;
  const FormulaNode* call = nullptr;
  GridWindow window;
};

/// Arrays that end at the sides of a periodic axis (mixed_axes.hpp), each with the sum of 2^axis
/// over these axes.
using EndingArrays = std::map<std::string, int, std::less<>>;
inline bool ends_at(int axes, int axis) { return (axes >> axis & 1) != 0; }
inline bool ends_at(const EndingArrays& ending, std::string_view array, int axis) {
  const auto found = ending.find(array);
  return found != ending.end() && ends_at(found->second, axis);
}

/// The meaning of each name in a formula, and the grid on which it is evaluated.
struct FormulaNames {
  std::map<std::string, int, std::less<>> arrays;  ///< array of each field and coefficient field
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, const Formula*, std::less<>> quantities;  ///< formulas of equation.let
  int axes = 2;
  std::array<double, 3> spacing = {1, 1, 1};  ///< of planes, rows, columns
  std::array<double, 3> origin = {0, 0, 0};   ///< position of the first plane, row, column
  std::array<double, 3> middle = {0, 0, 0};   ///< Spacing::middle
  Shape shape = {};
  int radial = 0;  ///< the power of r = x that areas grow with: 0, in cylinders 1, in spheres 2
  bool is_sample = false;  ///< RunConfig::is_sample: positions may be outside
  std::array<bool, 3> periodic = {};
  /// the arrays with a given value at each side of the grid, by axis and whether it is the last
  /// side, and at the mask's boundary, where the grid has one
  std::map<std::pair<std::size_t, bool>, std::set<std::string>> side_values = {};
  std::optional<std::set<std::string>> mask_values = {};
  /// sides that are not insulated for every array, by axis and whether they are last; and whether
  /// the mask's boundary is such a one
  std::set<std::pair<std::size_t, bool>> open_sides = {};
  bool open_mask = false;
  EndingArrays ending = {};
  bool has_time = true;
  bool has_position = true;
  bool has_stencils = true;
  /// where the formulas are: text for messages about a name or function that has no meaning there
  std::string has_none_of = {};
  /// writes the read of an array; empty: reads it in the cell, or beside it for operators
  std::function<int(int array)> read = {};
  /// returns the index of a reduction; empty: none has a meaning
  std::function<int(const ReducedPart&)> reduce = {};
  std::set<std::string, std::less<>> kernels = {};  ///< names of section kernels
  /// returns the array with a convolution; empty: none has a meaning
  std::function<int(const ConvolvedPart&)> convolve = {};
  /// returns the array for the next use of `random`; empty: no random numbers
  std::function<int()> draw = {};
  std::map<std::string, Term, std::less<>> terms = {};  ///< names that stand for terms
  std::optional<NoiseUses> noise = {};                  ///< none where formulas have no noise

  /// The names of arrays that a part of a formula reads, also through quantities.
  std::set<std::string> arrays_read(const Formula& formula, int node) const;
  /// `ending` of a part of a formula: of all arrays that it reads.
  int ending_axes(const Formula& formula, int node) const;
};

/// The angle around the axis of cylinders (radial 1), or the solid angle around the centre of
/// spheres (2).
inline double full_angle(int radial) { return 2 * radial * std::numbers::pi; }

/// The exponent if it is written as an integer of at most 64.
std::optional<int> integer_exponent(const Formula& formula, int node);

/// base^exponent, for an exponent of at least 1: by repeated squaring, from the highest binary
/// digit of the exponent on.
template <class T, class Product>
T power_by_squaring(const T& base, int exponent, const Product& product) {
  T result = base;
  int digit = 1;
  while (digit <= exponent / 2) digit *= 2;
  for (digit /= 2; digit > 0; digit /= 2) {
    result = product(result, result);
    if (exponent & digit) result = product(result, base);
  }
  return result;
}

/// True if a call of advect or flux ends with weno5, the operand that adds the field apart.
bool is_by_weno(const Formula& formula, const FormulaNode& call);

/// The number of stages that compute what an operator reads of its operand at neighbours besides
/// its value: 0; 1 for slopes and second differences; 2 for what follows from these.
std::size_t stages_of_differences(const Formula& formula, const FormulaNode& call, int operand);

/// The rate of a field where each call of flux has the field as one more, last operand.
Formula with_own_field(Formula rate, const std::string& field);

/// Throws FormulaError for a call such as mean(e) within an operator.
[[noreturn]] void refuse_over_grid(const FormulaNode& node);

/// Writes formulas into a tree and adds the names that they read to `used`. `nested` returns the
/// array of a nested quantity, or none if its value has no stencil operator and is written in
/// place.
class TreeWriter {
 public:
  using ArrayOf = std::function<std::optional<int>(NestedQuantity)>;

  TreeWriter(const FormulaNames& names, StageTree& tree, std::set<std::string>& used,
             ArrayOf nested = {})
      : names_(names), tree_(tree), nested_(std::move(nested)), used_(used) {}

  /// The value of a formula. Throws FormulaError.
  Term write(const Formula& formula);
  Term write(const NestedQuantity& part);

  /// Formulas written from now on are at the face of the cell in this direction: arrays are the
  /// mean of the cell and its neighbour there, but of the cell where `in_cell` is true. `weight` is
  /// the array of the face's weight, or -1; slopes at the face contain the weight and are divided
  /// by it.
  void set_face(Offset outward, std::function<bool(int array)> in_cell = {}, int weight = -1);

  /// In other coordinates a value times the length of the circle, or the area of the sphere, that
  /// the cell stands for, or its face in this direction; else the value.
  Term around(Term value, Offset outward);

  /// The tree operation that computes a term.
  int as_node(Term term);
  Term sum(Term a, Term b);
  Term product(Term a, Term b);
  Term quotient(Term a, Term b);
  Term negative(Term a) const;
  static Term scalar(double value, bool literal = true) { return {value, literal, -1}; }
  static Term of(int node) { return {1, true, node}; }
  /// The coordinate z, y or x (axis 0, 1 or 2); the first node lies at FormulaNames::origin.
  Term position(int axis, Offset at);

 private:
  // A face of a cell where values are those that the cell implies: reconstructed.
  struct CellFace {
    int axis = -1;  ///< that it lies across; -1: none
    bool after = false;
    bool by_weno = false;
    friend auto operator<=>(const CellFace&, const CellFace&) = default;
  };
  struct ShiftedPart {
    const Formula* formula;
    int node;
    Offset at;
    bool face = false;  ///< at the face of the cell, not at its node
    CellFace side = {};
    ShiftedPart operand(int which) const { return {formula, which, at, face, side}; }
    friend bool operator<(const ShiftedPart& a, const ShiftedPart& b) {
      const auto key = [](const ShiftedPart& p) {
        return std::tuple(p.formula, p.node, p.at.plane, p.at.row, p.at.column, p.face, p.side);
      };
      return key(a) < key(b);
    }
  };

  Term write(ShiftedPart place);
  Term made(const ShiftedPart& place, const FormulaNode& node);
  Term name(const ShiftedPart& place, const FormulaNode& node);
  Term read(int array, const ShiftedPart& place);
  Term call(const ShiftedPart& place, const FormulaNode& node);
  Term values_function(const ShiftedPart& place, const FormulaNode& node);
  Term stencil(const ShiftedPart& place, const FormulaNode& node);
  Term noise(const ShiftedPart& place, const FormulaNode& node);
  Term over_grid(const ShiftedPart& place, const FormulaNode& node);
  Term value_at(const ShiftedPart& place, const FormulaNode& node);
  Term convolve(const ShiftedPart& place, const FormulaNode& node);
  Term shift(const ShiftedPart& place, const FormulaNode& node);
  int convolved(const ConvolvedPart& part);
  bool vanishes(const Term& term) const;
  void refuse_coordinates(
      const FormulaNode& node,
      std::string_view expected = "it on a grid without grid.coordinates") const;
  void refuse_noise(const ShiftedPart& place, int operand, const FormulaNode& of) const;
  Term logic(const ShiftedPart& place, const FormulaNode& node);
  Term comparison(const FormulaNode& node, Term a, Term b);
  Term power(const ShiftedPart& place, const FormulaNode& node);
  Term apply(Operation operation, std::vector<Term> operands);
  static void require_arguments(const FormulaNode& node, std::size_t count);

  // The argument of a stencil operator, which the operator reads at the cell's neighbours.
  struct Argument {
    ShiftedPart place;
    std::optional<int> array;  // set if an earlier stage computes it
  };
  Argument argument(const ShiftedPart& place, int operand, const FormulaNode& of);
  Term read(const Argument& argument, Offset at);
  Term beside(Operation operation, Term a, Term b);
  Term second_difference(const Argument& argument, int axis);
  Term across_faces(const Argument& argument, int axis);
  Term first_difference(const Argument& argument, int axis);
  Term laplacian(const Argument& argument);
  Term of_fourth_order(const Argument& argument, const std::string& name,
                       const std::vector<int>& named);
  Term isotropic_laplacian(const Argument& argument, const FormulaNode& node);
  Term pair(const Argument& argument, Offset at);
  Term less_centre(const Argument& argument, double times, Term neighbours);
  Term nearest_less_centre(const Argument& argument);
  Term gradient_squared(const Argument& argument);
  Term gradient_energy(const Argument& argument);
  Term mixed(const Argument& argument, int axis, int other);
  Term divergence(const ShiftedPart& place, const FormulaNode& node);
  Term upwind(const ShiftedPart& place, const FormulaNode& node);
  Term normal_derivative(const ShiftedPart& place, const FormulaNode& node);
  std::optional<Term> flux(const ShiftedPart& place);
  Term advect(const ShiftedPart& place, const FormulaNode& node);
  Term limited_slope(const Argument& argument, int axis);
  Term weno_difference(const Argument& argument, int axis, bool after);
  Term at_face(const ShiftedPart& place);
  Term flux_of_system(const ShiftedPart& place, const FormulaNode& node);
  Term half_harmonic(Term a, Term b);
  Term tensor_divergence(const ShiftedPart& place, int gradient, int tensor,
                         const std::vector<int>& factors);
  Term outflow(int axis, Term out, Term in);
  Term fused_outflow(int axis, Term out, Term in);
  Term times_area(int axis, Offset cell, Term flux);
  Term over_volume(int axis, Term total);
  Term cell_volume();
  Term inside_or(Term inner, Term outer, Offset outward, int ending, bool if_open = true);
  Term over_axes(const std::function<Term(int axis)>& term,
                 const std::function<double(int axis)>& scale);
  int axis_named(char letter, const FormulaNode& node) const;
  std::vector<int> axes() const;

  const FormulaNames& names_;
  StageTree& tree_;
  ArrayOf nested_;
  std::set<std::string>& used_;
  std::map<ShiftedPart, Term> known_;
  std::optional<Offset> face_;
  std::function<bool(int array)> in_cell_;
  int weight_ = -1;
};

}  // namespace lapl
