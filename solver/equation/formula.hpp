// Parses the formulas of configs into trees of nodes. The grammar, loosest operators first:
//
//   or, and      a or b, a and b                          1 or 0; from left to right
//   not          not a                                    not a < b is not (a < b)
//   comparison   a < b, <=, >, >=, ==, !=                 1 or 0; one at a time
//   sum          a + b - c                                from left to right
//   product      a * b / c                                from left to right
//   sign         -a                                       below ^: -u^2 is -(u^2)
//   power        a ^ b                                    from right to left
//   the rest     12.5e-3, name, function(a, b), (a)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/stages/grid_reduction.hpp"
#include "kernels/stages/operations.hpp"

namespace lapl {

/// A mistake in a formula, and its place in the text.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(std::size_t at_byte, const std::string& what)
      : std::runtime_error(what), at(at_byte) {}
  /// A mistake in a formula of this name and text.
  FormulaError(std::size_t at_byte, const std::string& what, std::string name, std::string whole)
      : std::runtime_error(what), at(at_byte), of(std::move(name)), text(std::move(whole)) {}
  /// An unknown name, with the names that are known there.
  FormulaError(std::size_t at_byte, std::string name, std::vector<std::string> known_names)
      : std::runtime_error("unknown name " + name),
        at(at_byte),
        word(std::move(name)),
        known(std::move(known_names)) {}

  std::size_t at;
  std::string of;                  ///< name of the formula
  std::string text;                ///< text of the formula
  std::string word;                ///< the unknown name, if that is the mistake
  std::vector<std::string> known;  ///< the names that are known at its place
  /// formulas that cannot be used because they read this one
  std::vector<std::string> through;
};

/// A node of a formula's tree.
struct FormulaNode {
  enum class Kind {
    number,
    name,
    negative,
    sum,
    difference,
    product,
    quotient,
    power,
    comparison,
    logic,
    call
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name = {};  ///< name and call: as written; comparison and logic: its sign or word
  std::vector<int> operands = {};
  std::size_t at = 0;  ///< byte of the text where the name, number or sign begins
};

/// A parsed formula. Operands come before the nodes that use them; the last node is the root.
struct Formula {
  std::string name;  ///< the field, quantity or key that it defines
  std::string text;
  std::vector<FormulaNode> nodes;

  int whole() const { return static_cast<int>(nodes.size()) - 1; }
};

/// Limits of a formula: bytes of text, nested parentheses and signs, depth of the tree, number of
/// nodes.
inline constexpr std::size_t formula_size_limit = std::size_t{64} << 10;
inline constexpr int formula_nesting_limit = 200;
inline constexpr int formula_depth_limit = 1000;
inline constexpr std::size_t formula_node_limit = 10'000;

/// Parses a text; `name` appears in messages. Throws FormulaError.
Formula parse_formula(const std::string& name, std::string_view text);
/// Number of calls of parse_formula in this process.
std::int64_t formulas_parsed();

/// The text of a formula in a config. It is parsed on first use, once for all copies.
class FormulaText {
 public:
  FormulaText(std::string text = {});
  FormulaText(const char* text) : FormulaText(std::string(text)) {}
  /// A formula that is not the result of parsing its text.
  explicit FormulaText(Formula formula);

  /// The parsed formula under this name. Throws FormulaError.
  Formula parsed(const std::string& name) const;
  bool empty() const { return text().empty(); }
  const std::string& text() const;
  friend bool operator==(const FormulaText& a, const FormulaText& b) {
    return a.text() == b.text();
  }

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// A function that formulas may call.
struct FormulaFunction {
  enum class Kind {
    of_values,  ///< computed from numbers, cell by cell
    stencil,    ///< reads its argument at neighbouring cells
    over_grid,  ///< one number of all cells: a reduction
    defined     ///< shorthand for `meaning`, a formula
  };
  std::string_view name;
  Kind kind = Kind::of_values;
  std::string_view arguments;
  std::string_view meaning;
  Operation operation = Operation::number;  ///< for of_values, the operation of the tree
  GridReduction::Kind reduction = GridReduction::Kind::mean;  ///< for over_grid

  std::ptrdiff_t argument_count() const { return 1 + std::ranges::count(arguments, ','); }
};
inline constexpr auto formula_functions = std::to_array<FormulaFunction>({
#define LAPL_ROW(operation, operands, name, arguments, meaning) \
  {name, FormulaFunction::Kind::of_values, arguments, meaning, Operation::operation},
    LAPL_PLAIN_FUNCTIONS(LAPL_ROW) LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
        {"laplacian", FormulaFunction::Kind::stencil, "e, [isotropic or 4]",
         "sum over the axes of (e+ - 2 e + e-) / h^2; isotropic: of all 9 or 27 nodes around; 4: "
         "of "
         "fourth order"},
    {"d_dx", FormulaFunction::Kind::stencil, "e, [4]", "(e+ - e-) / (2 hx); 4: of fourth order"},
    {"d_dy", FormulaFunction::Kind::stencil, "e, [4]", "(e+ - e-) / (2 hy); 4: of fourth order"},
    {"d_dz", FormulaFunction::Kind::stencil, "e, [4]", "(e+ - e-) / (2 hz); 4: of fourth order"},
    {"d2_dx2", FormulaFunction::Kind::stencil, "e, [4]",
     "(e+ - 2 e + e-) / hx^2; 4: of fourth order"},
    {"d2_dy2", FormulaFunction::Kind::stencil, "e, [4]",
     "(e+ - 2 e + e-) / hy^2; 4: of fourth order"},
    {"d2_dz2", FormulaFunction::Kind::stencil, "e, [4]",
     "(e+ - 2 e + e-) / hz^2; 4: of fourth order"},
    {"d2_dxdy", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hx hy)"},
    {"d2_dxdz", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hx hz)"},
    {"d2_dydz", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hy hz)"},
    {"gradient_squared", FormulaFunction::Kind::stencil, "e", "sum over the axes of (d_dx(e))^2"},
    {"gradient_energy", FormulaFunction::Kind::stencil, "e",
     "sum over the axes of ((e+ - e)^2 + (e - e-)^2) / (2 h^2)"},
    {"divergence", FormulaFunction::Kind::stencil, "D * gradient(e)",
     "sum over the axes of ((D + D+) / 2 (e+ - e) - (D- + D) / 2 (e - e-)) / h^2"},
    {"gradient", FormulaFunction::Kind::stencil, "e", "only within divergence"},
    {"harmonic", FormulaFunction::Kind::stencil, "D",
     "only as a factor within divergence: at a face 2 / (1 / D + 1 / D+), 0 if the signs differ"},
    {"tensor", FormulaFunction::Kind::stencil, "xx, xy, yy",
     "only as a factor within divergence: a conductivity with directions; also xx, xy, yx, yy; on "
     "three axes xx, xy, xz, yy, yz, zz or all nine"},
    {"upwind", FormulaFunction::Kind::stencil, "cx, [cy, [cz,]] e",
     "c . grad e, first order: for each axis c (e - e-) / h where c > 0, else c (e+ - e) / h"},
    {"normal_derivative", FormulaFunction::Kind::stencil, "e",
     "(e beyond a face - e) / h, outward: only in output.integrals on a side or the mask's "
     "boundary"},
    {"advect", FormulaFunction::Kind::stencil, "cx, [cy, [cz,]] e, [weno5]",
     "div(c e), second order: for each axis (F - F-) / h, F = c (e + s/2) where c > 0, else c (e+ "
     "- s+/2); weno5: values at faces of fifth order"},
    {"flux", FormulaFunction::Kind::stencil, "Fx, [Fy, [Fz,]] speed, [weno5]",
     "div(F) in the rate of a field u: for each axis (G - G-) / h, G = (F + F' - a (u' - u)) / 2 "
     "by the values at a face that both cells imply, a the larger speed"},
    {"convolve", FormulaFunction::Kind::stencil, "NAME, e",
     "sum over the offsets k of a window of section kernels of weight(k) e(at -k)"},
    {"shift", FormulaFunction::Kind::stencil, "e, dx, [dy, [dz]]",
     "e so many cells further along each axis, whole numbers from -32 to 32"},
    {"biharmonic", FormulaFunction::Kind::defined, "e", "laplacian(laplacian(e))"},
    {"clamp", FormulaFunction::Kind::defined, "e, low, high", "min(max(e, low), high)"},
#define LAPL_ROW(name, arguments, kind, meaning) \
  {name,                                         \
   FormulaFunction::Kind::over_grid,             \
   arguments,                                    \
   meaning,                                      \
   Operation::reduced,                           \
   GridReduction::Kind::kind},
    LAPL_ROW("mean", "e", mean, "the mean of e over the grid")
        LAPL_ROW("integral", "e", sum, "the sum of e over the grid times the volume of a cell")
            LAPL_ROW("maximum", "e", maximum, "the largest e of the grid")
                LAPL_ROW("minimum", "e", minimum, "the smallest e of the grid")
                    LAPL_ROW("value_at", "e, x, [y, [z]]", maximum,
                             "e at a position, linearly between the nodes around it")
#undef LAPL_ROW
});
/// The function of this name, or nullptr.
const FormulaFunction* formula_function(std::string_view name);

/// Names with a meaning in every formula.
inline constexpr auto formula_constants =
    std::to_array<std::string_view>({"pi", "t", "x", "y", "z"});
/// True for dt, and for Lx, hx, nx and the same of other axes. A parameter, field or quantity of
/// such a name hides the constant.
bool is_grid_constant(std::string_view name);
/// True for names that fields, parameters and quantities may not have.
bool is_reserved_name(std::string_view name);

}  // namespace lapl
