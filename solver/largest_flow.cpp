#include "solver/largest_flow.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/evaluation.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

// The sum over the axes of speed / h of what a call of advect or flux carries, as a formula.
Formula flow_formula(const RunConfig& config, Formula formula, const FormulaNode& call) {
  using Kind = FormulaNode::Kind;
  std::vector<FormulaNode>& nodes = formula.nodes;
  const auto add = [&](FormulaNode node) {
    nodes.push_back(std::move(node));
    return formula.whole();
  };
  int total = add({.kind = Kind::number, .number = 0});
  for (int i = 0; i < config.shape.axes; ++i) {
    const int speed = call.operands[call.name == "flux" ? config.shape.axes : i];
    const int size = add({.kind = Kind::call, .name = "abs", .operands = {speed}});
    const int h = add({.kind = Kind::number, .number = config.spacing.by_axis[2 - i]});
    const int over_h = add({.kind = Kind::quotient, .operands = {size, h}});
    total = add({.kind = Kind::sum, .operands = {total, over_h}});
  }
  return formula;
}

}  // namespace

double largest_flow(const RunConfig& config, const FormulaSystem& system,
                    const CoefficientFields& coefficients, std::span<const double> state,
                    double time) {
  RunConfig with_step = config;
  if (!with_step.time_step) with_step.time_step = 1;
  double found = 0;
  for (const std::vector<Formula>* const formulas : {&system.rates, &system.quantities})
    for (const Formula& formula : *formulas)
      for (const FormulaNode& call : formula.nodes) {
        if (call.kind != FormulaNode::Kind::call || (call.name != "advect" && call.name != "flux"))
          continue;
        const auto problem = problem_with<double>(
            with_step, coefficients, value_stages(system, flow_formula(config, formula, call)));
        for (const double flow : Evaluation<double>(problem, 1, config.threads)(state, time))
          found = std::max(found, flow);  // not where a flow is not a number
      }
  return found;
}

}  // namespace lapl
