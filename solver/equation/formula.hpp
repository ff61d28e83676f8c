// Formulas as configs have them: text in, a tree of nodes out. Nothing of the text goes further.
//
//   comparison   a < b, <=, >, >=, ==, !=                 1 or 0; one at a time
//   sum          a + b - c                                from left to right
//   product      a * b / c                                from left to right
//   sign         -a                                       below ^: -u^2 is -(u^2)
//   power        a ^ b                                    from right to left
//   the rest     12.5e-3, name, function(a, b), (a)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stages/operations.hpp"

namespace lapl {

/// What is wrong with a formula, and where.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(std::size_t at_byte, const std::string& what)
      : std::runtime_error(what), at(at_byte) {}
  /// A name that is not among the known ones.
  FormulaError(std::size_t at_byte, std::string name, std::vector<std::string> known_names)
      : std::runtime_error("unknown name " + name),
        at(at_byte),
        word(std::move(name)),
        known(std::move(known_names)) {}

  std::size_t at;
  std::string of;                    ///< the formula's name
  std::string text;                  ///< and text
  std::string word;                  ///< an unknown name
  std::vector<std::string> known;    ///< what it may be
  std::vector<std::string> through;  ///< formulas that cannot be written because of it
};

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
    call
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name = {};  ///< name, call: as written; comparison: its sign
  std::vector<int> operands = {};
  std::size_t at = 0;  ///< byte of the text: of the name, number or sign
};

/// A parsed formula: operands come before what uses them, the last node is the whole.
struct Formula {
  std::string name;  ///< of what it is for, for messages
  std::string text;
  std::vector<FormulaNode> nodes;

  int whole() const { return static_cast<int>(nodes.size()) - 1; }
};

/// Longest text in bytes, most parentheses and signs within each other, most operations one upon
/// the other, and most nodes that are taken.
inline constexpr std::size_t formula_size_limit = std::size_t{64} << 10;
inline constexpr int formula_nesting_limit = 200;
inline constexpr int formula_depth_limit = 1000;
inline constexpr std::size_t formula_node_limit = 10'000;

/// Throws FormulaError.
Formula parse_formula(const std::string& name, std::string_view text);
/// How many calls of it there were in this process.
std::int64_t formulas_parsed();

/// A formula as a config has it. The text is parsed when that is first asked for, once for all
/// copies.
class FormulaText {
 public:
  FormulaText(std::string text = {});
  FormulaText(const char* text) : FormulaText(std::string(text)) {}

  /// The formula, for what has this name. Throws FormulaError.
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

/// What a formula may call.
struct FormulaFunction {
  enum class Kind {
    of_values,  ///< of numbers, cell by cell
    stencil,    ///< reads its argument beside the cell
    defined     ///< stands for its meaning, a formula of its argument
  };
  std::string_view name;
  Kind kind = Kind::of_values;
  std::string_view arguments;
  std::string_view meaning;
  Operation operation = Operation::number;  ///< of_values: what it is
};
inline constexpr auto formula_functions = std::to_array<FormulaFunction>({
#define LAPL_ROW(operation, operands, name, arguments, meaning) \
  {name, FormulaFunction::Kind::of_values, arguments, meaning, Operation::operation},
    LAPL_PLAIN_FUNCTIONS(LAPL_ROW) LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
        {"laplacian", FormulaFunction::Kind::stencil, "e",
         "sum over the axes of (e+ - 2 e + e-) / h^2"},
    {"d_dx", FormulaFunction::Kind::stencil, "e", "(e+ - e-) / (2 hx)"},
    {"d_dy", FormulaFunction::Kind::stencil, "e", "(e+ - e-) / (2 hy)"},
    {"d_dz", FormulaFunction::Kind::stencil, "e", "(e+ - e-) / (2 hz)"},
    {"d2_dx2", FormulaFunction::Kind::stencil, "e", "(e+ - 2 e + e-) / hx^2"},
    {"d2_dy2", FormulaFunction::Kind::stencil, "e", "(e+ - 2 e + e-) / hy^2"},
    {"d2_dz2", FormulaFunction::Kind::stencil, "e", "(e+ - 2 e + e-) / hz^2"},
    {"d2_dxdy", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hx hy)"},
    {"d2_dxdz", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hx hz)"},
    {"d2_dydz", FormulaFunction::Kind::stencil, "e", "(e++ - e+- - e-+ + e--) / (4 hy hz)"},
    {"gradient_squared", FormulaFunction::Kind::stencil, "e", "sum over the axes of (d_dx(e))^2"},
    {"divergence", FormulaFunction::Kind::stencil, "D * gradient(e)",
     "sum over the axes of ((D + D+) / 2 (e+ - e) - (D- + D) / 2 (e - e-)) / h^2"},
    {"gradient", FormulaFunction::Kind::stencil, "e", "only within divergence"},
    {"upwind", FormulaFunction::Kind::stencil, "cx, [cy, [cz,]] e",
     "c . grad e, first order: for each axis c (e - e-) / h where c > 0, else c (e+ - e) / h"},
    {"biharmonic", FormulaFunction::Kind::defined, "e", "laplacian(laplacian(e))"},
});
/// nullptr where there is none.
const FormulaFunction* formula_function(std::string_view name);

/// Names that mean something in every formula.
inline constexpr auto formula_constants =
    std::to_array<std::string_view>({"pi", "t", "x", "y", "z"});
/// Whether fields, parameters and quantities may not be called so.
bool is_reserved_name(std::string_view name);

}  // namespace lapl
