// The uses of `noise` in a system's formulas. Each place of the text is a use with a number of its
// own, in the order of the rates, of the next values and of the quantities, so that uses are
// independent; a quantity that several rates read is one use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "solver/equation/formula.hpp"

namespace lapl {

struct NoiseUses {
  std::uint64_t seed = 0;         ///< for uses that name no seed
  double volume = 1;              ///< of a cell: the product of the spacings of the grid's axes
  bool is_zero = false;           ///< for rates that are evaluated without their noise
  std::optional<double> dt = {};  ///< none where it differs from step to step

  using Place = std::pair<const Formula*, int>;
  std::map<Place, int> uses = {};    ///< the number of each use
  std::set<Place> noisy_nodes = {};  ///< nodes whose value depends on noise

  /// Finds the uses and the nodes that depend on them, also through quantities. No quantity may
  /// read itself.
  void find(const std::vector<Formula>& rates, const std::map<int, Formula>& next,
            const std::vector<Formula>& quantities);
};

bool is_noise(const FormulaNode& node);

/// The seed in noise(seed); none for noise without one. Throws FormulaError if it is no seed.
std::optional<std::uint64_t> noise_seed(const Formula& formula, const FormulaNode& noise);

}  // namespace lapl
