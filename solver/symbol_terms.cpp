#include "solver/symbol_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

constexpr double rounding_of_symbols = 1e-13;
constexpr double most_waves = 1 << 15;  // bounds the work: each term is computed for each wave

// The condition of a face without the value that it adds, as for a field of 0.
Face<double> condition_alone(const Face<double>& face, int axis, bool last) {
  if (!face.neighbour && face.b != 0 && face.b != 1) {
    constexpr std::array names = {"planes", "rows", "columns"};
    throw Refusal{fmt::format(
        "the {} face of the {} has a mixed condition, or a value at: face (values one cell "
        "outside and derivatives have modes)",
        last ? "last" : "first", names.at(static_cast<std::size_t>(axis)))};
  }
  return {0, face.b, face.neighbour};
}

}  // namespace

void require_plain_conditions(const FormulaSystem& system) {
  if (!system.sides) return;
  for (const auto& [key, side] : system.sides->at) {
    if (side.condition.kind == ConditionKind::value_at_node)
      throw Refusal{
          fmt::format("the condition {} holds a value at: node (values one cell outside and "
                      "derivatives have modes)",
                      condition_name(side.condition))};
    if (side.staged && system.names.periodic.at(static_cast<std::size_t>(side.condition.axis)))
      throw Refusal{
          fmt::format("{} is periodic for some fields only (other engines and schemes "
                      "take it)",
                      condition_key(side.condition))};
    if (side.staged)
      throw Refusal{
          fmt::format("the condition {} reads fields or parameter fields (other engines and "
                      "schemes take it)",
                      condition_name(side.condition))};
  }
}

Faces<double> faces_with_modes(const Problem<double>& problem, int array) {
  std::array<AxisFaces<double>, 3> axes;
  for (int axis = 3 - problem.shape.axes; axis < 3; ++axis) {
    AxisFaces<double> given = axis_faces(problem.faces[array], axis);
    for (Face<double>* face : {&given.first, &given.last}) {
      if (!face->varies()) continue;
      const StageTree& tree = problem.conditions[face->condition];
      const StageOperation& b = tree.operations[tree.results[1]];
      *face = {0, b.operation == Operation::number ? b.number : 0.5};
    }
    axes[axis] = {condition_alone(given.first, axis, false),
                  condition_alone(given.last, axis, true)};
  }
  return {axes[1], axes[2], axes[0]};
}

void require_faces(const Problem<double>& problem, RateSymbol& symbol,
                   const std::vector<Faces<double>>& of_fields,
                   const std::vector<std::string>& names) {
  const int fields = static_cast<int>(of_fields.size());
  const int made = fields + static_cast<int>(problem.coefficients.size());
  const std::array<double, 3> phases = {0.9, 1, 1.1};
  const auto read = [&](const std::array<double, 3>& at) {
    symbol.at(at);
    std::vector<Complex> factors;
    for (int array = made; array < problem.arrays(); ++array)
      for (int field = 0; field < fields; ++field)
        factors.push_back(symbol.read_beside(array, field));
    return factors;
  };
  const std::vector<Complex> factors = read(phases);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0.0) continue;
    const int field = static_cast<int>(i) % fields;
    if (faces_with_modes(problem, made + static_cast<int>(i) / fields) != of_fields[field])
      throw Refusal{
          fmt::format("an operator reads a quantity of {0} whose boundary conditions differ from "
                      "those of {0}",
                      names[field])};
  }
  for (int axis = 3 - problem.shape.axes; axis < 3; ++axis) {
    std::array<double, 3> mirrored = phases;
    mirrored[axis] = -mirrored[axis];
    const std::vector<Complex> others = read(mirrored);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const int field = static_cast<int>(i) % fields;
      if (!axis_faces(of_fields[field], axis).wrap() &&
          std::abs(factors[i] - others[i]) > 1e-10 * std::abs(factors[i]))
        throw Refusal{fmt::format(
            "an operator reads a quantity of {} that is not the same when an axis between faces "
            "is turned round, so that its boundary conditions differ",
            names[field])};
    }
  }
}

SymbolTerms::SymbolTerms(RateSymbol& symbol, int axes, int radius,
                         const std::vector<std::string>& names)
    : names_(names), radius_(radius), phases_(2 * radius + 1), first_(3 - axes) {
  if (std::pow(phases_, axes) > most_waves)
    throw Refusal{fmt::format("the rate of {} has too many operators upon one another ({})",
                              names.front(), radius_)};
  for (int at = 0; at < phases_; ++at)
    for (int turns = 0; turns <= radius; ++turns) cosines_.push_back(std::cos(turn() * at * turns));
  for_each(phases_, [&](const std::array<int, 3>& at) {
    std::array<double, 3> phases = {};
    for (int axis = 0; axis < 3; ++axis) phases[axis] = turn() * at[axis];
    values_.push_back(symbol.at(phases));
    const std::vector<Complex>& values = values_.back().values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(std::abs(values[i]) < 1e40))  // everything else would be lost to rounding
        throw Refusal{fmt::format("the linear part of the rate of {} is {:.2g} 1/s",
                                  names_[i / static_cast<std::size_t>(values_.back().size)],
                                  std::abs(values[i]))};
      largest_ = std::max(largest_, std::abs(values[i]));
    }
  });
}

double SymbolTerms::turn() const { return 2 * std::numbers::pi / phases_; }

template <class Use>
void SymbolTerms::for_each(int count, const Use& use) const {
  std::array<int, 3> at;
  const std::array counts = {first_ == 0 ? count : 1, first_ <= 1 ? count : 1, count};
  for (at[0] = 0; at[0] < counts[0]; ++at[0])
    for (at[1] = 0; at[1] < counts[1]; ++at[1])
      for (at[2] = 0; at[2] < counts[2]; ++at[2]) use(at);
}

std::size_t SymbolTerms::place(const std::array<int, 3>& at) const {
  return static_cast<std::size_t>((at[0] * (first_ <= 1 ? phases_ : 1) + at[1]) * phases_ + at[2]);
}

void SymbolTerms::require_mirrors(int field) const {
  for_each(phases_, [&](const std::array<int, 3>& at) {
    for (int axis = first_; axis < 3; ++axis) {
      std::array<int, 3> mirrored = at;
      mirrored[axis] = (phases_ - at[axis]) % phases_;
      for (int column = 0; column < values_.front().size; ++column)
        if (std::abs(values_[place(at)].at(field, column) -
                     values_[place(mirrored)].at(field, column)) > rounding_of_symbols * largest_)
          throw Refusal{fmt::format(
              "the rate of {} is not the same when an axis is turned round (first derivatives, "
              "d2_dxdy and upwind are not)",
              names_[field])};
    }
  });
}

// The weights of the cosines by `turns` (multiples of the phase along each axis), without those
// that rounding of the symbol can explain.
ModeRate SymbolTerms::rate(int row, int column) const {
  ModeRate rate;
  rate.of_mean = values_.front().at(row, column).real();
  const auto is_zero = [&](const SquareMatrix& value) { return value.at(row, column) == 0.0; };
  if (std::ranges::all_of(values_, is_zero)) return rate;
  for_each(radius_ + 1, [&](const std::array<int, 3>& turns) {
    const double weight = term_weight(turns, row, column);
    if (turns != std::array<int, 3>{} && std::abs(weight) > rounding_of_symbols * largest_)
      rate.terms.push_back({weight, turns});
  });
  return rate;
}

double SymbolTerms::term_weight(const std::array<int, 3>& turns, int row, int column) const {
  double sum = 0;
  int points = 0;
  for_each(phases_, [&](const std::array<int, 3>& at) {
    double product = values_[place(at)].at(row, column).real();
    for (int axis = 0; axis < 3; ++axis)
      product *= cosines_[at[axis] * (radius_ + 1) + turns[axis]];
    sum += product;
    ++points;
  });
  for (const int of_axis : turns) sum *= of_axis == 0 ? 1 : 2;
  return sum / points;
}

}  // namespace lapl
