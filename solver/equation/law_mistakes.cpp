#include "solver/equation/law_mistakes.hpp"

#include <array>
#include <tuple>

#include "solver/equation/absorbing.hpp"

namespace lapl {

void LawChecker::check_laws() {
  for (const SideLaw& law : run_.laws) {
    const std::string axis = law_key(law);
    check_law(axis, law, [&](const SideLaw& of_array) {
      const LawTerms terms = terms_of(of_array, run_, used_);
      if (of_array.kind == LawKind::value_at_node)
        check_held(axis, of_array, terms);
      else if (terms.reads)
        check_nodes(axis, "reads fields, and");
    });
  }
  for (const SideLaw& law : run_.rim_laws) {
    if (law.kind == LawKind::value_at_node)
      add("boundary.mask",
          "at: found node (expected face or ghost: a mask boundary is made of faces)");
    check_law("boundary.mask", law, [&](SideLaw of_array) {
      for (int axis = 3 - run_.shape.axes; axis < 3; ++axis) {
        of_array.axis = axis;
        terms_of(of_array, run_, used_);
      }
    });
  }
  check_sides();
}

// Checks a law by `write`, for each array that it holds for.
void LawChecker::check_law(const std::string& key, SideLaw law,
                           const std::function<void(SideLaw)>& write) {
  std::vector<std::string> arrays = {law.array};
  if (law.array.empty())
    arrays = run_.fields;
  else if (std::ranges::count(run_.fields, law.array) == 0 && !is_quantity(law.array))
    add(key, fmt::format("found a condition for {}, which is no field (expected {})", law.array,
                         fields_text()));
  if (law.kind == LawKind::absorbing) {
    const std::size_t before = found_.size();
    check_absorbing(key, law, arrays);
    if (found_.size() > before) return;
  }
  for (const std::string& array : arrays)
    attempt(key, [&] { write(law_of_array(law, array, run_)); });
}

// du/dt + c du/dn = 0 needs du/dt at the node inside alone.
void LawChecker::check_absorbing(const std::string& key, SideLaw law,
                                 const std::vector<std::string>& arrays) {
  law.kind = LawKind::value;
  if (law.of_mask) law.axis = 2;
  attempt(key, [&] {
    const Term speed = terms_of(law, run_, used_).a;
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

void LawChecker::check_held(const std::string& key, const SideLaw& law, const LawTerms& terms) {
  for (const StageOperation& node : terms.tree.operations)
    if (node.operation == Operation::value && node.index < std::ssize(run_.fields))
      add(key, fmt::format("{}: at: node: the value reads {} (expected a formula of t, the "
                           "position, parameters and parameter fields, or at: face, where it may "
                           "read fields)",
                           law.last ? "last" : "first", run_.fields[node.index]));
  if (const std::int64_t size = by_axis(run_.shape)[law.axis]; size < 2)
    add(key, fmt::format("{}: at: node: found an axis of one node (expected at least 2)",
                         law.last ? "last" : "first"));
  check_nodes(key, "at: node:");
}

// Stages find the last node of an axis by its position.
void LawChecker::check_nodes(const std::string& key, const std::string& why) {
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

// A side with laws must have a law for each field.
void LawChecker::check_sides() {
  std::set<std::string> said;
  for (const SideLaw& side : run_.laws)
    for (const std::string& field : run_.fields) {
      const bool has_law = std::ranges::any_of(run_.laws, [&](const SideLaw& law) {
        return law.axis == side.axis && law.last == side.last &&
               (law.array.empty() || law.array == field);
      });
      if (!has_law && said.insert(law_name(side) + field).second)
        add(law_key(side), fmt::format("{}: no condition for {} (expected one for each of {})",
                                       side.last ? "last" : "first", field, fields_text()));
    }
}

void LawChecker::check_faces(const IntegralConfig& integral) {
  if (integral.on == "cells") return;
  const std::array boundaries = by_axis(run_.boundaries);
  std::string sides;
  bool known = integral.on == "mask" && run_.mask;
  for (int axis = 3 - run_.shape.axes; axis < 3; ++axis)
    for (const bool last : {false, true}) {
      if (boundaries.at(static_cast<std::size_t>(axis)) == Boundary::periodic) continue;
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
