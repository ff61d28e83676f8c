#include "solver/largest_flow.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/evaluation.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

// Makes of formulas others whose values are the flow of advect and flux in them: |speed| / h, times
// the factors of the call.
class FlowFormulas {
 public:
  FlowFormulas(const RunConfig& config, const std::vector<Formula>& quantities) : config_(config) {
    for (const Formula& quantity : quantities) quantities_[quantity.name] = &quantity;
  }

  // The name of the formula of the flow in this one; empty if nothing flows.
  std::string name_for(const Formula& formula) {
    const std::string name = formula.name + ".flow";
    const auto [known, is_new] = names_.try_emplace(formula.name);
    if (!is_new) return known->second;
    Formula flow = formula;
    flow.name = name;
    std::vector<int> flows;  // of each node; -1: none
    for (const FormulaNode& node : formula.nodes) flows.push_back(flow_in(flow, node, flows));
    if (flows.back() < 0) return {};
    magnitude(flow, flows.back());  // the last node is the root
    made.push_back(std::move(flow));
    return names_[formula.name] = name;
  }

  std::vector<Formula> made;

 private:
  static int add(Formula& to, FormulaNode node) {
    to.nodes.push_back(std::move(node));
    return to.whole();
  }
  static int number(Formula& to, double value) {
    return add(to, {.kind = Kind::number, .number = value});
  }
  static int joined(Formula& to, Kind kind, int a, int b) {
    return add(to, {.kind = kind, .operands = {a, b}});
  }
  static int magnitude(Formula& to, int of) {
    return add(to, {.kind = Kind::call, .name = "abs", .operands = {of}});
  }
  static int sum(Formula& to, int a, int b) {
    return a < 0 ? b : b < 0 ? a : joined(to, Kind::sum, a, b);
  }

  int flow_in(Formula& to, const FormulaNode& node, const std::vector<int>& flows) {
    const auto flow = [&](std::size_t operand) { return flows[node.operands[operand]]; };
    const auto times = [&](std::size_t operand, std::size_t other) {
      return flow(operand) < 0
                 ? -1
                 : joined(to, Kind::product, flow(operand), magnitude(to, node.operands[other]));
    };
    switch (node.kind) {
      case Kind::negative: return flow(0);
      case Kind::sum:
      case Kind::difference: return sum(to, flow(0), flow(1));
      case Kind::product: return sum(to, times(0, 1), times(1, 0));
      case Kind::quotient:
        return flow(0) < 0 ? -1
                           : joined(to, Kind::quotient, flow(0), magnitude(to, node.operands[1]));
      case Kind::name: {
        const auto quantity = quantities_.find(node.name);
        const std::string name = quantity == quantities_.end() ? "" : name_for(*quantity->second);
        return name.empty() ? -1 : add(to, {.kind = Kind::name, .name = name});
      }
      case Kind::call: {
        if (node.name == "advect" || node.name == "flux") return through_faces(to, node);
        const FormulaFunction* const function = formula_function(node.name);
        int total = -1;
        if (function && function->kind == FormulaFunction::Kind::of_values)
          for (std::size_t i = 0; i < node.operands.size(); ++i) total = sum(to, total, flow(i));
        return total;
      }
      default: return -1;
    }
  }

  int through_faces(Formula& to, const FormulaNode& call) {
    const int axes = config_.shape.axes;
    int total = -1;
    for (int i = 0; i < axes; ++i) {
      const double h = config_.spacing.by_axis[2 - i];
      int flow = magnitude(to, call.operands[call.name == "flux" ? axes : i]);
      if (i == 0) flow = times_largest_face(to, flow, h);
      total = sum(to, total, joined(to, Kind::quotient, flow, number(to, h)));
    }
    return total;
  }
  // Across r, times the area of the outer face over the volume of the cell.
  int times_largest_face(Formula& to, int flow, double h) const {
    if (config_.coordinates == Coordinates::cartesian) return flow;
    const int x = add(to, {.kind = Kind::name, .name = "x"});
    const int outer = joined(to, Kind::sum, x, number(to, h / 2));
    flow = joined(to, Kind::product, flow, outer);
    if (config_.coordinates == Coordinates::cylindrical) return joined(to, Kind::quotient, flow, x);
    const int square = joined(to, Kind::product, x, x);
    return joined(to, Kind::quotient, joined(to, Kind::product, flow, outer),
                  joined(to, Kind::sum, square, number(to, h * h / 12)));
  }

  const RunConfig& config_;
  std::map<std::string, const Formula*> quantities_;
  std::map<std::string, std::string> names_;
};

}  // namespace

double largest_flow(const RunConfig& config, const FormulaSystem& system,
                    const CoefficientFields& coefficients, std::span<const double> state,
                    double time) {
  FlowFormulas flows(config, system.quantities);
  Formula largest{.name = "the flow", .text = "", .nodes = {}};
  for (const Formula& rate : system.rates) {
    const std::string name = flows.name_for(rate);
    if (name.empty()) continue;
    const int before = largest.whole();
    largest.nodes.push_back({.kind = Kind::name, .name = name});
    if (before >= 0)
      largest.nodes.push_back(
          {.kind = Kind::call, .name = "max", .operands = {before, before + 1}});
  }
  if (largest.nodes.empty()) return 0;
  FormulaSystem with_flows = system;
  std::ranges::move(flows.made, std::back_inserter(with_flows.quantities));
  RunConfig with_step = config;
  if (!with_step.time_step) with_step.time_step = 1;  // all numbers give the same flow
  const auto problem =
      problem_with<double>(with_step, coefficients, value_stages(with_flows, largest));
  double found = 0;
  for (const double flow : Evaluation<double>(problem, 1, config.threads)(state, time))
    found = std::max(found, flow);  // not where a flow is not a number
  return found;
}

}  // namespace lapl
