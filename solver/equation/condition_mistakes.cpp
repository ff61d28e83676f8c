#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "solver/equation/condition_formulas.hpp"
#include "solver/equation/mistake_list.hpp"
#include "solver/equation/mixed_axes.hpp"

namespace lapl {

void ConditionChecker::check_conditions() {
  for (const SideCondition& condition : run_.conditions) {
    const std::string axis = condition_key(condition);
    check_condition(axis, condition, [&](const SideCondition& of_array) {
      const ConditionTerms terms = condition_terms(of_array, run_, used_);
      if (of_array.kind == ConditionKind::value_at_node)
        check_node_value(axis, of_array, terms);
      else if (terms.staged)
        check_nodes(axis, terms.reads ? "reads fields, and" : "is periodic for a field, and");
    });
  }
  for (const SideCondition& condition : run_.mask_conditions) {
    if (condition.kind == ConditionKind::value_at_node)
      add("boundary.mask",
          "at: found node (expected face or ghost: a mask boundary is made of faces)");
    check_condition("boundary.mask", condition, [&](SideCondition of_array) {
      for (int axis = 3 - run_.shape.axes; axis < 3; ++axis) {
        of_array.axis = axis;
        condition_terms(of_array, run_, used_);
      }
    });
  }
  check_sides();
}

// Calls `write` with a condition for each array to which it applies, and records what it throws.
void ConditionChecker::check_condition(const std::string& key, SideCondition condition,
                                       const std::function<void(SideCondition)>& write) {
  std::vector<std::string> arrays = {condition.array};
  if (condition.array.empty())
    arrays = run_.fields;
  else if (std::ranges::count(run_.fields, condition.array) == 0 && !is_quantity(condition.array))
    add(key, fmt::format("found a condition for {}, which is no field (expected {})",
                         condition.array, fields_text()));
  if (condition.kind == ConditionKind::absorbing) {
    const std::size_t before = found_.size();
    check_absorbing(key, condition, arrays);
    if (found_.size() > before) return;
  }
  for (const std::string& array : arrays)
    attempt(key, [&] { write(condition_of_array(condition, array, run_)); });
}

// du/dt + c du/dn = 0 needs a rate du/dt that reads only the node inside: no operators, no noise.
void ConditionChecker::check_absorbing(const std::string& key, SideCondition condition,
                                       const std::vector<std::string>& arrays) {
  condition.kind = ConditionKind::value;
  if (condition.of_mask) condition.axis = 2;
  attempt(key, [&] {
    const Term speed = condition_terms(condition, run_, used_).a;
    if (speed.is_scalar() && !(speed.factor > 0))
      add(key, fmt::format("absorbing: found the speed {} (expected one above 0)", speed.factor));
  });
  for (const std::string& array : arrays)
    attempt(key, [&] {
      const std::string why = why_not_absorbing(array, run_);
      if (!why.empty())
        add(key,
            fmt::format("absorbing: {} {} (expected a field whose rate has no operators and "
                        "no noise, such as u with u: v, and another condition for the others, as "
                        "in {{u: {{absorbing: c}}, v: insulated}})",
                        array, why));
    });
}

void ConditionChecker::check_node_value(const std::string& key, const SideCondition& condition,
                                        const ConditionTerms& terms) {
  if (!terms.reductions.empty())
    add(key, fmt::format("{}: at: node: the value reads a number of the whole grid (expected at: "
                         "face, where it may)",
                         condition.last ? "last" : "first"));
  for (const StageOperation& node : terms.tree.operations)
    if (node.operation == Operation::value && node.index < std::ssize(run_.fields))
      add(key, fmt::format("{}: at: node: the value reads {} (expected a formula of t, the "
                           "position, parameters and parameter fields, or at: face, where it may "
                           "read fields)",
                           condition.last ? "last" : "first", run_.fields[node.index]));
  if (const std::int64_t size = by_axis(run_.shape)[condition.axis]; size < 2)
    add(key, fmt::format("{}: at: node: found an axis of one node (expected at least 2)",
                         condition.last ? "last" : "first"));
  check_nodes(key, "at: node:");
}

// Stages find the last node of an axis by its position, so this must differ from the one before.
void ConditionChecker::check_nodes(const std::string& key, const std::string& why) {
  for (const auto& [name, size, h] :
       {std::tuple("planes", run_.shape.planes, run_.spacing.by_axis[0]),
        std::tuple("rows", run_.shape.rows, run_.spacing.by_axis[1]),
        std::tuple("columns", run_.shape.columns, run_.spacing.by_axis[2])}) {
    const auto last = static_cast<double>(size - 1);
    if (run_.precision == Precision::float64 ||
        static_cast<float>((last - 0.5) * h) < static_cast<float>(last * h))
      continue;
    add(key, fmt::format("{} float32 does not tell the positions of {} {} apart (expected "
                         "compute.precision float64)",
                         why, size, name));
  }
}

// A side with conditions must have a condition for each field; periodic is for both sides.
void ConditionChecker::check_sides() {
  for (const SideCondition& side : run_.conditions)
    if (side.kind == ConditionKind::periodic &&
        std::ranges::none_of(run_.conditions, [&](const SideCondition& other) {
          return other.axis == side.axis && other.last != side.last && other.kind == side.kind &&
                 other.array == side.array;
        }))
      add(condition_key(side),
          fmt::format("{}: {} is periodic here alone (expected periodic for {} at both sides)",
                      side.last ? "last" : "first", side.array, side.array));
  std::set<std::string> reported;
  for (const SideCondition& side : run_.conditions)
    for (const std::string& field : run_.fields) {
      const bool has_condition =
          std::ranges::any_of(run_.conditions, [&](const SideCondition& condition) {
            return condition.axis == side.axis && condition.last == side.last &&
                   (condition.array.empty() || condition.array == field);
          });
      if (!has_condition && reported.insert(condition_name(side) + field).second)
        add(condition_key(side),
            fmt::format("{}: no condition for {} (expected one for each of {})",
                        side.last ? "last" : "first", field, fields_text()));
    }
}

void ConditionChecker::check_box(const IntegralConfig& integral) {
  const auto refuse = [&](const std::string& axis, const std::string& wrong) {
    add("output.integrals", fmt::format("{}: box: {}: {}", integral.name, axis, wrong));
  };
  const std::vector<std::string> known = {"x", "y", "z"};
  for (const auto& [name, ends] : integral.box) {
    const auto axis = static_cast<std::size_t>('z' - name.front());
    const std::string found = fmt::format("found [{}]", fmt::join(ends, ", "));
    if (std::ranges::find(known, name) - known.begin() >= run_.shape.axes)
      refuse(name, fmt::format("no axis of the grid (expected {})",
                               fmt::join(known.begin(), known.begin() + run_.shape.axes, ", ")));
    else if (integral.on == side_name(static_cast<int>(axis), false) ||
             integral.on == side_name(static_cast<int>(axis), true))
      refuse(name,
             fmt::format("given with on: {}, a side across it (expected other axes)", integral.on));
    else if (!(ends[0] < ends[1]))
      refuse(name, found + " (expected the lower end, then a higher one)");
    else if (const auto [first, end] = cells_between(ends, axis, run_); first >= end)
      refuse(name, fmt::format("{}, in which no cell has its centre (expected some of the centres "
                               "from {:.12g} to {:.12g}, {:.12g} apart)",
                               found, run_.spacing.position(axis, 0),
                               run_.spacing.position(
                                   axis, static_cast<double>(by_axis(run_.shape)[axis] - 1)),
                               run_.spacing.by_axis[axis]));
  }
  if (!integral.box.empty()) check_nodes("output.integrals", "box:");
}

void ConditionChecker::check_faces(const IntegralConfig& integral) {
  if (integral.on == "cells") return;
  const std::array boundaries = by_axis(run_.boundaries);
  std::string sides;
  bool known = integral.on == "mask" && run_.mask;
  for (int axis = 3 - run_.shape.axes; axis < 3; ++axis)
    for (const bool last : {false, true}) {
      if (boundaries.at(static_cast<std::size_t>(axis)) == Boundary::periodic &&
          !is_mixed(run_, axis))
        continue;
      const std::string side = side_name(axis, last);
      sides += side + ", ";
      known = known || integral.on == side;
    }
  if (!known)
    add("output.integrals",
        fmt::format("{}: on: found {}, which is no side here (expected {}{})", integral.name,
                    integral.on, sides, run_.mask ? "mask or cells" : "or cells"));
  else if (integral.on != "mask")
    check_nodes("output.integrals", "reads fields, and");
}

}  // namespace lapl
