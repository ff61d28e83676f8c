#include "solver/equation/rate_symbol.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace lapl {

namespace {

// Concatenates stages into one list of operations. Equal operations are stored once, because
// otherwise every reader of a chain of quantities would repeat it.
class Joiner {
 public:
  explicit Joiner(int arrays) : of_arrays_(arrays, -1) {}

  void add(const Stage& stage) {
    std::vector<int> places;
    for (StageOperation node : stage.tree.operations) {
      for (int i = 0; i < row_of(node.operation).operands; ++i)
        node.operands[i] = places[node.operands[i]];
      if (node.operation == Operation::value && of_arrays_[node.index] >= 0) {
        node.operands[0] = of_arrays_[node.index];
        node.index = -1;
      }
      const Key key(node.operation, node.operands, std::bit_cast<std::uint64_t>(node.number),
                    node.index, node.at.plane, node.at.row, node.at.column);
      const auto [known, is_new] = known_.try_emplace(key, static_cast<int>(operations.size()));
      if (is_new) operations.push_back(node);
      places.push_back(known->second);
    }
    for (std::size_t i = 0; i < stage.targets.size(); ++i)
      of_arrays_[stage.targets[i]] = places[stage.tree.results[i]];
  }

  int place_of(int array) const { return of_arrays_[array]; }

  std::vector<StageOperation> operations;

 private:
  using Key = std::tuple<Operation, std::array<int, 3>, std::uint64_t, int, int, int, int>;
  std::vector<int> of_arrays_;  // operation that computes each array; -1: input
  std::map<Key, int> known_;
};

}  // namespace

RateSymbol::RateSymbol(const std::vector<Stage>& stages, int fields, int arrays)
    : fields_(fields), arrays_(arrays) {
  Joiner joiner(arrays);
  for (const Stage& stage : stages) joiner.add(stage);
  for (int row = 0; row < fields; ++row)
    rates_of_.push_back(joiner.place_of(stages.back().targets[row]));
  operations_ = std::move(joiner.operations);
  for (int field = 0; field < fields; ++field) {
    Part& part = arrays_[field];
    part = {.kind = Kind::linear, .factors = std::vector<Complex>(fields)};
    part.factors[field] = 1;
  }
  at({});
}

void RateSymbol::set_local_values(const LocalValues& place) {
  place_ = place;
  for (std::size_t i = 0; i < place.coefficients.size(); ++i)
    arrays_[fields_ + i] = {.kind = Kind::number, .number = place.coefficients[i], .factors = {}};
  if (rates_ == Rates::varying) rates_ = Rates::constant;
}

SquareMatrix RateSymbol::at(const std::array<double, 3>& phases) {
  for (int plane = -1; plane <= 1; ++plane)
    for (int row = -1; row <= 1; ++row)
      for (int column = -1; column <= 1; ++column)
        turn_to({plane, row, column}) =
            std::polar(1.0, phases[0] * plane + phases[1] * row + phases[2] * column);
  std::vector<Part> made;
  made.reserve(operations_.size());
  for (const StageOperation& node : operations_) made.push_back(value_of(node, made));
  SquareMatrix symbol(fields_);
  for (int row = 0; row < fields_; ++row) {
    const Part& rate = made[rates_of_[row]];
    for (int column = 0; rate.kind == Kind::linear && column < fields_; ++column)
      symbol.at(row, column) = rate.factors[column];
  }
  return symbol;
}

RateSymbol::Part RateSymbol::value_of(const StageOperation& node, const std::vector<Part>& made) {
  const auto of = [&](int operand) -> const Part& { return made[node.operands[operand]]; };
  switch (node.operation) {
    case Operation::value: {
      Part part = node.index < 0 ? of(0) : arrays_[node.index];
      for (Complex& factor : part.factors) factor *= turn_to(node.at);
      return part;
    }
    case Operation::number: return {.kind = Kind::number, .number = node.number, .factors = {}};
    case Operation::position:
    case Operation::time:
      if (!place_) break;
      return {.kind = Kind::number,
              .number = node.operation == Operation::time ? 0 : place_->position[node.index],
              .factors = {}};
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
