#include "solver/equation/rate_symbol.hpp"

#include <algorithm>
#include <utility>

namespace lapl {

RateSymbol::RateSymbol(std::vector<Stage> stages, int fields, int arrays)
    : stages_(std::move(stages)), fields_(fields), arrays_(arrays) {
  for (int field = 0; field < fields; ++field) {
    Part& part = arrays_[field];
    part = {.kind = Kind::linear, .factors = std::vector<Complex>(fields)};
    part.factors[field] = 1;
  }
  at({});
}

SquareMatrix RateSymbol::at(const std::array<double, 3>& phases) {
  for (const Stage& stage : stages_) evaluate(stage, phases);
  SquareMatrix symbol(fields_);
  for (int row = 0; row < fields_; ++row) {
    const Part& rate = arrays_[stages_.back().targets[row]];
    for (int column = 0; rate.kind == Kind::linear && column < fields_; ++column)
      symbol.at(row, column) = rate.factors[column];
  }
  return symbol;
}

void RateSymbol::evaluate(const Stage& stage, const std::array<double, 3>& phases) {
  std::vector<Part> made;
  made.reserve(stage.tree.operations.size());
  for (const StageOperation& node : stage.tree.operations)
    made.push_back(value_of(node, made, phases));
  for (std::size_t i = 0; i < stage.targets.size(); ++i)
    arrays_[stage.targets[i]] = made[stage.tree.results[i]];
}

RateSymbol::Part RateSymbol::value_of(const StageOperation& node, const std::vector<Part>& made,
                                      const std::array<double, 3>& phases) {
  const auto of = [&](int operand) -> const Part& { return made[node.operands[operand]]; };
  switch (node.operation) {
    case Operation::value: {
      Part part = arrays_[node.index];
      const Complex turned = std::polar(
          1.0, phases[0] * node.at.plane + phases[1] * node.at.row + phases[2] * node.at.column);
      for (Complex& factor : part.factors) factor *= turned;
      return part;
    }
    case Operation::number: return {.kind = Kind::number, .number = node.number, .factors = {}};
    case Operation::sum: return sum(of(0), of(1), 1);
    case Operation::difference: return sum(of(0), of(1), -1);
    case Operation::product: return product(of(0), of(1));
    case Operation::negative: return scaled(of(0), -1);
    case Operation::fused_multiply_add: return sum(product(of(0), of(1)), of(2), 1);
    case Operation::quotient:
      if (of(0).kind == Kind::linear && of(1).kind == Kind::number)
        return scaled(of(0), 1 / of(1).number);
      if (of(0).kind == Kind::linear && of(1).kind == Kind::varying) return product(of(0), of(1));
      break;
    case Operation::choice:
      if (of(0).kind == Kind::number) return of(of(0).number != 0 ? 1 : 2);
      if (of(0).kind == Kind::varying) return product(sum(of(1), of(2), 1), of(0));
      break;
    default: break;
  }
  Kind most = Kind::number;
  for (int i = 0; i < row_of(node.operation).operands; ++i) most = std::max(most, of(i).kind);
  if (most == Kind::linear) rates_ = Rates::nonlinear;
  Part part{.kind = computes(node.operation) ? most : Kind::varying, .factors = {}};
  if (part.kind == Kind::linear) part.factors.resize(fields_);
  if (part.kind == Kind::number)
    with_operation<double>(node.operation, [&](auto operate) {
      part.number = operate(of(0).number, of(1).number, of(2).number);
    });
  return part;
}

RateSymbol::Part RateSymbol::sum(const Part& a, const Part& b, double sign) {
  if (a.kind == Kind::number && b.kind == Kind::number)
    return {.kind = Kind::number, .number = a.number + sign * b.number, .factors = {}};
  if (a.kind != Kind::linear && b.kind != Kind::linear) return {};
  if (a.kind != Kind::linear) return scaled(b, sign);
  Part total = a;
  if (b.kind == Kind::linear)
    for (std::size_t i = 0; i < total.factors.size(); ++i) total.factors[i] += sign * b.factors[i];
  return total;
}

RateSymbol::Part RateSymbol::product(const Part& a, const Part& b) {
  if (a.kind == Kind::number) return scaled(b, a.number);
  if (b.kind == Kind::number) return scaled(a, b.number);
  if (a.kind == Kind::varying && b.kind == Kind::varying) return {};
  const bool both = a.kind == Kind::linear && b.kind == Kind::linear;
  rates_ = both || rates_ == Rates::nonlinear ? Rates::nonlinear : Rates::varying;
  return a.kind == Kind::linear ? a : b;
}

RateSymbol::Part RateSymbol::scaled(Part a, double factor) const {
  a.number *= factor;
  for (Complex& part : a.factors) part *= factor;
  return a;
}

}  // namespace lapl
