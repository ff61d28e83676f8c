// Complex formulas as pairs of real ones: the real and the imaginary part of each node, as nodes of
// two new formulas. A part that is 0 is left out, so that i * laplacian(psi) becomes
// -laplacian(psi_im) and laplacian(psi_re).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The names of the real fields, or quantities, that hold the parts of a complex one.
inline std::array<std::string, 2> part_names(const std::string& name) {
  return {name + "_re", name + "_im"};
}

/// The real and the imaginary part of a formula; none: 0.
using ComplexParts = std::array<std::optional<Formula>, 2>;

class ComplexFormulas {
 public:
  /// The names of the complex fields, and the quantities of equation.let.
  ComplexFormulas(std::set<std::string, std::less<>> fields,
                  std::map<std::string, Formula, std::less<>> quantities)
      : fields_(std::move(fields)), quantities_(std::move(quantities)) {}

  /// The parts of a formula of complex fields. Throws FormulaError.
  ComplexParts split_parts(const Formula& formula);
  /// The formula of a value that must be real. Throws FormulaError if it is not.
  Formula require_real(const Formula& formula);
  /// The parts of a quantity. Throws FormulaError.
  const ComplexParts& quantity(const std::string& name);

  bool is_complex_field(const std::string& name) const { return fields_.contains(name); }
  bool is_quantity(const std::string& name) const { return quantities_.contains(name); }

  int depth = 0;  ///< of nested calls; formulas that nest too deeply are refused

 private:
  std::set<std::string, std::less<>> fields_;
  std::map<std::string, Formula, std::less<>> quantities_;
  std::map<std::string, ComplexParts, std::less<>> known_;
};

/// Replaces each of `run.complex_fields` in `run.fields`, formulas, initial fields, conditions and
/// outputs by its parts, so that no other code handles complex values. Returns all mistakes; wrong
/// formulas become 0, so that the other mistakes of the config can be found.
std::vector<KeyMistake> split_complex_fields(RunConfig& run);

/// The complex field of which a field is a part; empty if it is no part of one.
std::string complex_parent(const RunConfig& run, const std::string& field);

}  // namespace lapl
