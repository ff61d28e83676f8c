#include "solver/equation/noise_uses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/stage_maker.hpp"

namespace lapl {

bool is_noise(const FormulaNode& node) {
  return node.name == "noise" &&
         (node.kind == FormulaNode::Kind::name || node.kind == FormulaNode::Kind::call);
}

std::optional<std::uint64_t> noise_seed(const Formula& formula, const FormulaNode& noise) {
  if (noise.kind == FormulaNode::Kind::name) return std::nullopt;
  constexpr double largest = 0x1p53;
  const FormulaNode& seed = formula.nodes[noise.operands.front()];
  if (noise.operands.size() == 1 && seed.kind == FormulaNode::Kind::number &&
      seed.number == std::floor(seed.number) && seed.number <= largest)
    return static_cast<std::uint64_t>(seed.number);
  throw FormulaError(noise.at,
                     "noise of what is no seed (expected noise, or noise(seed) with an integer of "
                     "0 to 9007199254740992 that is written out)");
}

void NoiseUses::find(const std::vector<Formula>& rates, const std::map<int, Formula>& next,
                     const std::vector<Formula>& quantities) {
  std::map<std::string_view, const Formula*> named;
  for (const Formula& quantity : quantities) named.emplace(quantity.name, &quantity);
  std::set<const Formula*> seen;
  const std::function<bool(const Formula&)> visit = [&](const Formula& formula) {
    if (!seen.insert(&formula).second) return noisy_nodes.contains({&formula, formula.whole()});
    for (int i = 0; i <= formula.whole(); ++i) {
      const FormulaNode& node = formula.nodes[i];
      bool is_noisy = is_noise(node);
      if (node.kind == FormulaNode::Kind::name)
        if (const auto quantity = named.find(node.name); quantity != named.end())
          is_noisy = visit(*quantity->second);
      for (const int operand : node.operands)
        is_noisy = is_noisy || noisy_nodes.contains({&formula, operand});
      if (is_noisy) noisy_nodes.insert({&formula, i});
    }
    return noisy_nodes.contains({&formula, formula.whole()});
  };
  const auto number = [&](const Formula& formula) {
    visit(formula);
    for (int i = 0; i <= formula.whole(); ++i)
      if (is_noise(formula.nodes[i])) uses.emplace(Place{&formula, i}, std::ssize(uses));
  };
  std::ranges::for_each(rates, number);
  for (const auto& [field, formula] : next) number(formula);
  std::ranges::for_each(quantities, number);
}

bool has_noise(const FormulaSystem& system) {
  StageMaker maker(system);
  const auto reads_noise = [&](const Formula& formula) {
    return maker.names_read_by(formula).contains("noise");
  };
  return std::ranges::any_of(system.rates, reads_noise) ||
         std::ranges::any_of(system.next,
                             [&](const auto& next) { return reads_noise(next.second); });
}

}  // namespace lapl
