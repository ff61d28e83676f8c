#include "solver/equation/check_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace lapl {

std::vector<const Formula*> check_quantities(const std::vector<Formula>& quantities) {
  std::map<std::string, const Formula*, std::less<>> named;
  for (const Formula& quantity : quantities) named[quantity.name] = &quantity;
  std::map<std::string, int, std::less<>> depths;  // of quantities already checked
  std::set<std::string> open;
  std::vector<const Formula*> order;
  const std::function<int(const Formula&)> nesting_depth = [&](const Formula& formula) {
    if (const auto known = depths.find(formula.name); known != depths.end()) return known->second;
    open.insert(formula.name);
    std::vector<int> depth_at;
    for (const FormulaNode& node : formula.nodes) {
      const auto refuse = [&](const std::string& what) {
        throw FormulaError(node.at, what, formula.name, formula.text);
      };
      int depth = 0;
      for (const int operand : node.operands) depth = std::max(depth, depth_at[operand] + 1);
      if (const auto quantity = named.find(node.name);
          node.kind == FormulaNode::Kind::name && quantity != named.end()) {
        if (open.contains(node.name)) refuse(fmt::format("{} is made of itself", node.name));
        if (open.size() <= formula_depth_limit) depth = nesting_depth(*quantity->second) + 1;
      }
      if (depth > formula_depth_limit || open.size() > formula_depth_limit)
        refuse(
            fmt::format("more than {} operations one upon the other, with those of the "
                        "quantities that it reads",
                        formula_depth_limit));
      depth_at.push_back(depth);
    }
    open.erase(formula.name);
    order.push_back(&formula);
    return depths[formula.name] = depth_at.back();
  };
  for (const Formula& quantity : quantities) nesting_depth(quantity);
  std::ranges::reverse(order);
  return order;
}

std::set<std::string> quantities_read(
    std::vector<const Formula*> formulas,
    const std::map<std::string, const Formula*, std::less<>>& quantities) {
  std::set<std::string> found;
  while (!formulas.empty()) {
    const Formula& formula = *formulas.back();
    formulas.pop_back();
    for (const FormulaNode& node : formula.nodes)
      if (const auto quantity = quantities.find(node.name); node.kind == FormulaNode::Kind::name &&
                                                            quantity != quantities.end() &&
                                                            found.insert(node.name).second)
        formulas.push_back(quantity->second);
  }
  return found;
}

}  // namespace lapl
