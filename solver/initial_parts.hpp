// The parts of the initial state: quantities of initial.let and fields. Formulas of one part may
// read others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

struct InitialPart {
  std::string name;
  InitialConfig initial;             ///< of a quantity: only its formula
  std::optional<std::size_t> field;  ///< index in the state; none for a quantity
  /// number of uses of `random` with the same seed in earlier parts: quantities come first, then
  /// the fields, each in the order of the config
  std::int64_t draws = 0;
  bool is_read = false;  ///< by the formula of another part

  /// The name of the part's formula in messages.
  std::string key() const { return "initial." + name; }
};

/// The quantities, then the fields.
std::vector<InitialPart> initial_parts(const RunConfig& config);

/// The parts, each after those that it reads. Throws FormulaError for parts that read each other.
std::vector<InitialPart> ordered_initial_parts(const RunConfig& config);

/// The settings of a field: those for this field, else the config's common ones.
const InitialConfig& field_initial(const RunConfig& config, const std::string& field);

}  // namespace lapl
