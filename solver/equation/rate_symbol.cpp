#include "solver/equation/rate_symbol.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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
      for (int i = 0; i < table_row(node.operation).operands; ++i)
        node.operands[i] = places[node.operands[i]];
      if (node.operation == Operation::value && of_arrays_[node.index] >= 0) {
        node.operands[0] = of_arrays_[node.index];
        node.index = -1 - node.index;
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

  int operation_place(int array) const { return of_arrays_[array]; }

  std::vector<StageOperation> operations;

 private:
  using Key = std::tuple<Operation, std::array<int, 3>, std::uint64_t, int, int, int, int>;
  std::vector<int> of_arrays_;  // operation that computes each array; -1: input
  std::map<Key, int> known_;
};

}  // namespace

RateSymbol::RateSymbol(const std::vector<Stage>& stages, int fields, int arrays,
                       const std::vector<double>& about)
    : fields_(fields),
      arrays_(arrays),
      leaves_(fields, -1),
      beside_(static_cast<std::size_t>(arrays) * fields) {
  Joiner joiner(arrays);
  for (const Stage& stage : stages) joiner.add(stage);
  for (int row = 0; row < fields; ++row)
    rates_of_.push_back(joiner.operation_place(stages.back().targets[row]));
  operations_ = std::move(joiner.operations);
  for (int array = 0; array < arrays; ++array) arrays_[array] = {.varies = true, .varying = 1};
  for (int field = 0; field < fields; ++field) {
    arrays_[field] = {.number = about.empty() ? 0 : about[field],
                      .factors = std::vector<Complex>(fields)};
    arrays_[field].factors[field] = 1;
  }
  for (const Stage& stage : stages)
    for (const GridSolve& solve : stage.solves)
      for (const int array : solve.unknowns)
        if (array >= fields) arrays_[array] = {.nonlinear = true};  // of convolutions
  at({0.9, 1, 1.1});  // sets rates_, by a wave that no operator makes 0
}

void RateSymbol::set_local_values(const LocalValues& place) {
  place_ = place;
  for (std::size_t i = 0; i < place.coefficients.size(); ++i)
    arrays_[fields_ + i] = {.number = place.coefficients[i]};
  if (rates_ == Rates::varying) rates_ = Rates::constant;
}

std::optional<StageOperation> RateSymbol::varying_leaf(int field) const {
  return leaves_[field] < 0 ? std::nullopt : std::optional(operations_[leaves_[field]]);
}

SquareMatrix RateSymbol::at(const std::array<double, 3>& phases) {
  for (int plane = -1; plane <= 1; ++plane)
    for (int row = -1; row <= 1; ++row)
      for (int column = -1; column <= 1; ++column)
        turn_to({plane, row, column}) =
            std::polar(1.0, phases[0] * plane + phases[1] * row + phases[2] * column);
  std::vector<Known> made;
  made.reserve(operations_.size());
  for (const StageOperation& node : operations_) made.push_back(operation_value(node, made));
  SquareMatrix symbol(fields_);
  varying_ = SquareMatrix(fields_);
  for (int row = 0; row < fields_; ++row) {
    const Known& rate = made[rates_of_[row]];
    std::ranges::copy(rate.factors, symbol.values.begin() + row * fields_);
    std::ranges::copy(rate.varying_factors, varying_.values.begin() + row * fields_);
    leaves_[row] = rate.varying_factors.empty() ? -1 : rate.leaf;
    if (!rate.varying_factors.empty()) rates_ = std::max(rates_, Rates::varying);
    if (rate.nonlinear) rates_ = Rates::nonlinear;
  }
  return symbol;
}

RateSymbol::Known RateSymbol::operation_value(const StageOperation& node,
                                              const std::vector<Known>& made) {
  const auto of = [&](int operand) -> const Known& { return made[node.operands[operand]]; };
  const int here = static_cast<int>(made.size());
  switch (node.operation) {
    case Operation::value: {
      Known part = node.index < 0 ? of(0) : arrays_[node.index];
      if (node.index >= fields_ && part.varies) part.leaf = here;
      const Complex turn = turn_to(node.at);
      for (auto* const factors : {&part.factors, &part.varying_factors})
        for (std::size_t field = 0; field < factors->size(); ++field) {
          Complex& factor = (*factors)[field];
          if (node.index < 0 && node.at != Offset() && factor != 0.0)
            beside_[(-1 - node.index) * fields_ + static_cast<int>(field)] = factor;
          factor *= turn;
        }
      return part;
    }
    case Operation::number: return {.number = node.number};
    case Operation::position:
      return place_ ? Known{.number = place_->position[node.index]} : varying(node, here);
    case Operation::time: return place_ ? Known{.number = place_->time} : varying(node, here);
    case Operation::reduced: return {.nonlinear = true};
    case Operation::sum: return sum(of(0), of(1), 1);
    case Operation::difference: return sum(of(0), of(1), -1);
    case Operation::product: return product(of(0), of(1));
    case Operation::negative: return scaled(of(0), -1);
    case Operation::fused_multiply_add: return sum(product(of(0), of(1)), of(2), 1);
    case Operation::quotient:
      if (of(1).is_number() && of(0).reads_fields()) return scaled(of(0), 1 / of(1).number);
      if (!of(1).reads_fields() && of(0).reads_fields()) return product(of(0), of(1));
      if (of(1).reads_fields() && of(1).number != 0) return product(of(0), inverse(of(1)));
      break;
    case Operation::choice:
      if (of(0).is_number()) return of(of(0).number != 0 ? 1 : 2);
      if (!of(0).reads_fields()) return product(sum(of(1), of(2), 1), varying(node, of(0).leaf));
      break;
    default: break;
  }
  Known part = varying(node, here);
  part.varies = !computes(node.operation);
  for (int i = 0; i < table_row(node.operation).operands; ++i) {
    part.nonlinear = part.nonlinear || of(i).reads_fields();
    part.varies = part.varies || of(i).varies;
    if (of(i).leaf >= 0) part.leaf = of(i).leaf;
  }
  if (part.varies) return part;
  const bool nonlinear = part.nonlinear;
  part = {.nonlinear = nonlinear};
  with_operation<double>(node.operation, [&](auto operate) {
    part.number = operate(of(0).number, of(1).number, of(2).number);
  });
  if (nonlinear && !std::isfinite(part.number)) part.number = 0;
  return part;
}

// A number that stands for a value that differs from place to place. Different operations have
// different numbers, so that their terms do not cancel.
RateSymbol::Known RateSymbol::varying(const StageOperation& node, int leaf) const {
  const int place = 3 * static_cast<int>(node.operation) + node.index;
  return {.varies = true, .varying = 1 + std::fmod(0.6180339887 * (place + leaf), 1), .leaf = leaf};
}

namespace {

// a + factor * b, where an empty vector is 0
void add(std::vector<Complex>& a, double factor, const std::vector<Complex>& b) {
  if (b.empty() || factor == 0) return;
  a.resize(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += factor * b[i];
}

}  // namespace

RateSymbol::Known RateSymbol::sum(const Known& a, const Known& b, double sign) {
  Known total = a;
  total.number += sign * b.number;
  total.varies = a.varies || b.varies;
  total.varying += sign * b.varying;
  add(total.factors, sign, b.factors);
  add(total.varying_factors, sign, b.varying_factors);
  total.nonlinear = a.nonlinear || b.nonlinear;
  if (total.leaf < 0) total.leaf = b.leaf;
  return total;
}

RateSymbol::Known RateSymbol::product(const Known& a, const Known& b) {
  if (a.is_number()) return scaled(b, a.number);
  if (b.is_number()) return scaled(a, b.number);
  Known made{.number = a.number * b.number, .varies = a.varies || b.varies};
  made.varying = (a.number + a.varying) * (b.number + b.varying) - made.number;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    add(made.factors, one->number, other->factors);
    if (one->varies) add(made.varying_factors, one->varying, other->factors);
    add(made.varying_factors, one->number + one->varying, other->varying_factors);
  }
  made.nonlinear = a.nonlinear || b.nonlinear || (a.reads_fields() && b.reads_fields());
  made.leaf = a.leaf >= 0 ? a.leaf : b.leaf;
  return made;
}

RateSymbol::Known RateSymbol::inverse(const Known& a) {
  Known made{.number = 1 / a.number, .varies = a.varies, .nonlinear = true, .leaf = a.leaf};
  add(made.factors, -made.number * made.number, a.factors);
  if (a.varies) made.varying = 1;
  return made;
}

RateSymbol::Known RateSymbol::scaled(Known a, double factor) {
  a.number *= factor;
  a.varying *= factor;
  for (auto* const factors : {&a.factors, &a.varying_factors})
    for (Complex& part : *factors) part *= factor;
  return a;
}

}  // namespace lapl
