// Random equations in formulas, with random fields, rates, quantities, coefficients, conditions,
// schemes and shapes, as in configs. Some of them are invalid.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/formula_run.hpp"
#include "tests/kernels/random_problem_text.hpp"

namespace lapl::test {

/// The number in an environment variable; `otherwise` if it is not set.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class RandomProblem {
 public:
  /// If `wide`, the grid is one that a GPU engine can stream.
  explicit RandomProblem(std::uint64_t seed, bool wide = false) : generator_(seed) {
    run.equation.kind = EquationKind::formula;
    run.shape = wide ? Shape{1 + below(90), chance(0.5) ? drawn<std::int64_t>({64, 128, 264, 512})
                                                        : 64 + below(1040)}
                     : shape();
    run.spacing = drawn<double>({1, 1, 0.5, 0.3});
    if (chance(0.3))
      for (double& along : run.spacing.by_axis) along = drawn<double>({1, 0.7, 0.5, 2});
    if (run.shape.axes < 3 && chance(0.1)) {
      run.coordinates =
          run.shape.axes == 1 && chance(0.5) ? Coordinates::spherical : Coordinates::cylindrical;
      run.spacing.origin[2] = run.spacing.by_axis[2] / 2 + drawn<double>({0, 0, 3});
    }
    run.precision = drawn<Precision>({Precision::float32, Precision::float64});
    run.time_step = drawn<double>({0.1, 0.01, 1, 0.3});
    const std::vector<SchemeRow> schemes = schemes_of_stages();
    run.scheme = {schemes[below(schemes.size())].value, chance(0.1) ? 20 : least_stages + below(5)};
    run.fields.clear();
    for (int field = 0, count = 1 + below(4); field < count; ++field)
      run.fields.push_back(fmt::format("u{}", field));
    run.output_fields = run.fields;
    parameters();
    names_ = run.fields;
    for (const auto& [name, parameter] : run.parameters) names_.push_back(name);
    read_in_conditions_ = names_;
    conditions_read_ = chance(0.25);
    conditions_reduce_ = chance(0.1);
    if (chance(0.15)) window();
    for (int i = 0, count = below(3); i < count; ++i) {
      const std::string name = fmt::format("q{}", i);
      run.equation.quantities.emplace_back(name, accepted_expression(3));
      names_.push_back(name);
    }
    for (const std::string& field : run.fields)
      run.equation.rates[field] = chance(0.05) ? "0" : accepted_expression(1 + below(5));
    if (chance(0.1)) fluxes();
    if (chance(0.25)) noise();
    if (chance(0.25)) reductions();
    if (chance(0.01 * static_cast<double>(number_from("LAPL_RANDOM_SOLVES", 15)))) solves();
    boundaries();
    steps = 1 + below(wide ? 40 : 4);
    threads = 1 + below(3);
    if (chance(0.3)) mask();
    if (run.scheme.kind == Scheme::euler && chance(0.3))
      for (const auto& [field, rate] : run.equation.rates)
        if (chance(0.5)) run.equation.maps.insert(field);
    if (chance(0.15))
      for (const auto& [field, rate] : run.equation.rates)
        if (!run.equation.maps.contains(field) && chance(0.5))
          run.equation.after.emplace_back(field, accepted_expression(3));
  }

  RunConfig run;
  std::int64_t steps = 1;
  int threads = 1;
  bool compiled = false;  ///< true to wait until engines that compile have compiled their code

  /// Random values, mostly near 1, some 0, subnormal, huge or not finite.
  template <class T>
  std::vector<T> state() {
    std::vector<T> values(run.fields.size() * run.shape.cells());
    const bool wild = chance(0.3), zero = chance(0.1);
    for (T& value : values) {
      value = zero ? drawn<T>({T(0), T(-0.0)}) : static_cast<T>(uniform() * 2 - 0.5);
      if (!wild || !chance(0.1)) continue;
      value = drawn<T>({T(0), T(-0.0), std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                        T(-1), T(1e10)});
    }
    return values;
  }

  /// A derived output that reads every field beside a cell, and the position.
  std::string derived() const {
    std::string formula(1, axes().front());
    for (const std::string& field : run.fields) formula += fmt::format(" + laplacian({})", field);
    return formula;
  }

  /// Describes the problem in text for people.
  std::string text() const { return random_problem_text(run, steps, threads); }

 private:
  int below(std::size_t count) { return static_cast<int>(generator_() % count); }
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }
  template <class V>
  V drawn(const std::vector<V>& values) {
    return values[below(values.size())];
  }
  std::string drawn_word(const std::vector<std::string>& words) { return drawn(words); }

  Shape shape() {
    if (chance(0.03)) return {1 + below(3), 500 + below(600)};  // wider than a segment of a row
    const std::vector<std::int64_t> odd = {1, 2, 3, 31, 33};
    if (chance(0.15)) return {1, chance(0.3) ? drawn(odd) : 1 + below(300), 1, 1};
    if (chance(0.3))
      return {1 + below(12), chance(0.3) ? drawn(odd) : 1 + below(40), 1 + below(9), 3};
    if (chance(0.4)) return {drawn(odd), drawn(odd)};
    return {1 + below(40), 1 + below(70)};
  }

  void parameters() {
    for (int i = 0, count = below(3); i < count; ++i)
      run.parameters[fmt::format("a{}", i)] = number_parameter(
          drawn<double>({0, 1, -1, 0.5, 2, 0.16, 1e-3, -0.7, 1e5, uniform(), uniform()}));
    numbers_.clear();
    for (const auto& [name, parameter] : run.parameters) numbers_.push_back(name);
    for (int i = 0, count = below(3); i < count; ++i)
      run.parameters[fmt::format("d{}", i)] = formula_parameter(
          fmt::format(fmt::runtime(drawn_word({"1 + 0.1 * {0}", "where({0} < {1}, 1, 2)",
                                               "sin({0} * {1})", "exp(-{0}^2) - 0.5", "{1}"})),
                      axis(), axis()));
  }

  void fluxes() {
    for (auto& [field, rate] : run.equation.rates)
      rate = fmt::format("({}) - 0.1 * {}", rate.text(),
                         call("flux", run.shape.axes + 1, [&] { return accepted_expression(1); }));
  }

  // In rates, and in a quantity that rates read.
  void noise() {
    run.initial.fractal.seed = generator_() >> 1;
    run.scheme = {drawn<Scheme>({Scheme::euler, Scheme::heun})};
    run.equation.quantities.emplace_back("noisy",
                                         drawn_word({"noise", "0.3 * noise(7)", "noise * t"}));
    for (auto& [field, rate] : run.equation.rates)
      if (chance(0.7))
        rate = fmt::format(fmt::runtime(drawn_word({"({0}) + ({1}) * noise", "({0}) + 0.1 * noisy",
                                                    "({1}) * noisy + ({0}) - noise(3) * noise"})),
                           rate.text(), accepted_expression(1));
  }

  // In rates, and in a quantity that rates read.
  void reductions() {
    run.equation.quantities.emplace_back(
        "whole", drawn_word({"mean(u0)", "1e-3 * integral(u0^2)", "maximum(laplacian(u0))",
                             "minimum(u0) * mean(abs(u0) + t)", "1 / minimum(u0) + 1 / maximum(u0)",
                             "where(1 / minimum(u0) > 0, 1, 2)"}));
    for (auto& [field, rate] : run.equation.rates)
      if (chance(0.7))
        rate = fmt::format(
            fmt::runtime(drawn_word({"({0}) - mean({1})", "({0}) * whole", "whole - ({0})",
                                     "mean({1} * whole) + ({0}) + minimum(whole * u0)",
                                     "({0}) + maximum({1}) * ({1})", "integral({1}) - ({0})"})),
            rate.text(), accepted_expression(2));
  }

  // A field that follows from the others, which rates read. Some equations have no solution.
  void solves() {
    if (run.scheme.kind == Scheme::leapfrog) run.scheme.kind = Scheme::heun;
    read_in_conditions_.insert(read_in_conditions_.begin() + std::ssize(run.fields), "s");
    run.fields.emplace_back("s");
    run.output_fields = run.fields;
    SolveConfig& solve = run.equation.solves.emplace_back();
    solve.field = "s";
    solve.left = drawn_word({"laplacian(s) - s", "laplacian(s)",
                             "divergence((1.5 + sin(u0)) * gradient(s)) - 2 * s",
                             fmt::format("laplacian(s) - d_d{}(s) - (1 + u0^2) * s", axis()),
                             "divergence(exp(-u0^2) * gradient(s)) - (2 + sin(t)) * s"});
    solve.right = drawn_word({"-u0", "u0 * t - 1", "laplacian(u0) + 1", "u0 - mean(u0)"});
    solve.tolerance = 1e-7;
    solve.most_iterations = 60;
    solve.removes_mean = chance(0.5);
    if (chance(0.7)) solve.method = SolveMethod::multigrid;
    for (auto& [field, rate] : run.equation.rates)
      if (chance(0.7))
        rate = fmt::format(fmt::runtime(drawn_word({"({0}) + 0.1 * s", "({0}) - d_d{1}(s)",
                                                    "({0}) * laplacian(s)", "s - ({0})"})),
                           rate.text(), axis());
  }

  void boundaries() {
    const std::array of_axes = {&run.boundaries.planes, &run.boundaries.rows,
                                &run.boundaries.columns};
    const int first = 3 - run.shape.axes;
    for (int axis = first; axis < 3; ++axis)
      *of_axes[axis] = drawn<Boundary>({Boundary::zero, Boundary::insulated, Boundary::periodic});
    for (int axis = first; axis < 3; ++axis)
      if (chance(0.5)) {
        *of_axes[axis] = Boundary::zero;
        for (const bool last : {false, true})
          conditions({.axis = axis, .last = last}, run.conditions);
      }
    if (run.fields.size() > 1 && chance(0.15)) mixed_axis(first + below(3 - first), of_axes);
  }
  // An axis that is periodic for some fields, and for others not.
  void mixed_axis(int axis, const std::array<Boundary*, 3>& of_axes) {
    std::erase_if(run.conditions,
                  [&](const SideCondition& condition) { return condition.axis == axis; });
    *of_axes[axis] = Boundary::periodic;
    for (const std::string& field : run.fields) {
      const bool wraps = field == run.fields.front() || (field != "u1" && chance(0.5));
      for (const bool last : {false, true})
        if (wraps)
          run.conditions.push_back(
              {.axis = axis, .last = last, .array = field, .kind = ConditionKind::periodic});
        else
          condition({.axis = axis, .last = last, .array = field}, run.conditions);
    }
  }
  void mask() {
    run.mask = formula_parameter(fmt::format(
        fmt::runtime(drawn_word({"where(sin(7 * {0}) + sin(5 * {1}) < {2}, 1, 0)",
                                 "where({0}^2 + {1}^2 < 30 * {2}, 0, 2)",
                                 "where(abs({0} - 3) < 2 + {2}, 0, -1)", "1", "{2} < 0.1"})),
        axis(), axis(), uniform()));
    if (chance(0.7)) conditions({.of_mask = true}, run.mask_conditions);
  }
  void conditions(const SideCondition& of, std::vector<SideCondition>& conditions) {
    std::vector<std::string> arrays = {""};
    if (chance(0.4)) arrays = run.fields;
    for (const auto& [name, quantity] : run.equation.quantities)
      if (chance(0.5)) arrays.push_back(name);
    for (const std::string& array : arrays) {
      SideCondition of_array = of;
      of_array.array = array;
      condition(of_array, conditions);
    }
  }
  void condition(SideCondition condition, std::vector<SideCondition>& conditions) {
    condition.kind = drawn<ConditionKind>(
        {ConditionKind::value, ConditionKind::value_at_face, ConditionKind::derivative,
         ConditionKind::mixed, chance(0.1) ? ConditionKind::absorbing : ConditionKind::value});
    if (!condition.of_mask && chance(0.2)) condition.kind = ConditionKind::value_at_node;
    condition.value = condition_formula(below(3), condition.kind != ConditionKind::value_at_node);
    condition.factor = condition.kind == ConditionKind::mixed ? condition_formula(below(2)) : "0";
    conditions.push_back(condition);
  }
  std::string condition_formula(int depth, bool of_fields = true) {
    std::vector<std::string> leaves = {"0", "1", "-1", "0.5", "t", "2"};
    for (const char axis : axes()) leaves.emplace_back(1, axis);
    leaves.insert(leaves.end(), numbers_.begin(), numbers_.end());
    if (conditions_read_)
      leaves.insert(leaves.end(),
                    read_in_conditions_.begin() + (of_fields ? 0 : std::ssize(run.fields)),
                    read_in_conditions_.end());
    if (conditions_reduce_ && of_fields) {
      std::string at = "value_at(u0 + 1";
      for (int axis = 2; axis >= 3 - run.shape.axes; --axis)
        at += fmt::format(", {}", uniform() * run.spacing.by_axis[axis] *
                                      static_cast<double>(by_axis(run.shape)[axis] - 1));
      leaves.insert(leaves.end(), {at + ")", "mean(u0)", "maximum(u0 * u0 + x)", at + ")"});
    }
    if (depth == 0) return drawn(leaves);
    return fmt::format(fmt::runtime(drawn_word({"{} + {}", "({}) * ({})", "sin({}) - {}",
                                                "where({0} < {1}, {1}, {0})", "max({}, {})"})),
                       condition_formula(depth - 1, of_fields),
                       condition_formula(depth - 1, of_fields));
  }

  std::string leaf() {
    if (chance(0.6)) return drawn(names_);
    if (chance(0.3)) return drawn_word({std::string(1, axis()), std::string(1, axis()), "t", "pi"});
    return drawn_word(
        {"0", "1", "2", "0.5", "3", "1e-3", "0.25", "1e30", "1e-30", "7.3", "1e-300"});
  }
  template <class Part>
  std::string call(const std::string& name, int arguments, const Part& part) {
    std::string text = name + '(';
    for (int i = 0; i < arguments; ++i) text += (i == 0 ? "" : ", ") + part();
    const bool has_choice = name == "advect" || name == "flux";
    return text + (has_choice && chance(0.3) ? ", weno5)" : ")");
  }
  std::string expression(int depth) {
    if (depth <= 0 || chance(0.08)) return leaf();
    const auto part = [&] { return expression(depth - 1 - below(2)); };
    const auto call = [&](const std::string& name, int arguments) {
      return this->call(name, arguments, part);
    };
    if (chance(0.45))
      return fmt::format("({} {} {})", part(), drawn_word({"+", "-", "*", "+", "-", "*", "/"}),
                         part());
    if (chance(0.15)) return fmt::format("-{}", part());
    if (chance(0.2))
      return fmt::format("({})^{}", part(),
                         drawn_word({"2", "3", "-1", "0", "0.5", "-2", "a", "65"}));
    if (chance(0.1))
      return fmt::format("({} {} {})", part(), drawn_word({"<", "<=", ">", ">=", "==", "!="}),
                         part());
    if (chance(0.08))
      return fmt::format(fmt::runtime(drawn_word({"({} and {})", "({} or {})", "(not {} < {})"})),
                         part(), part());
    if (chance(0.3)) {
      std::vector<std::string> values;
      for (const FormulaFunction& function : formula_functions)
        if (function.kind == FormulaFunction::Kind::of_values) values.emplace_back(function.name);
      const std::string name = drawn(values);
      return call(name, table_row(formula_function(name)->operation).operands);
    }
    if (!run.kernels.empty() && chance(0.3))
      return chance(0.6) ? fmt::format("convolve(w, {})", part())
                         : fmt::format("shift({}, {})", part(), fmt::join(distances(), ", "));
    if (chance(0.2))
      return fmt::format(
          fmt::runtime(drawn_word({"divergence(({}) * gradient({}))",
                                   "divergence(harmonic({}) * gradient({}))",
                                   "divergence({0} * harmonic({0}) * gradient({1}))"})),
          part(), part());
    if (chance(0.15)) return call(drawn_word({"upwind", "advect"}), run.shape.axes + 1);
    if (chance(0.1)) return fmt::format("laplacian({}, isotropic)", part());
    if (chance(0.1))
      return fmt::format(
          "{}({}, 4)",
          drawn_word({"laplacian", fmt::format("d_d{}", axis()), fmt::format("d2_d{}2", axis())}),
          part());
    if (chance(0.1)) {
      const int n = run.shape.axes;
      return fmt::format("divergence({} * gradient({}))",
                         call("tensor", chance(0.5) ? n * n : n * (n + 1) / 2), part());
    }
    return call(
        drawn_word({"laplacian", "laplacian", fmt::format("d_d{}", axis()),
                    fmt::format("d2_d{}2", axis()), fmt::format("d2_d{}d{}", axis(), axis()),
                    "gradient_squared", "gradient_energy"}),
        1);
  }

  // A window of up to three cells along each axis.
  void window() {
    WindowConfig& made = run.kernels["w"];
    const auto size = [&](int axis) { return axis < 3 - run.shape.axes || chance(0.3) ? 1 : 3; };
    made.shape = {size(1), size(2), size(0), run.shape.axes};
    for (std::int64_t i = 0; i < made.shape.cells(); ++i)
      made.weights.push_back(chance(0.2) ? 0 : uniform() - 0.3);
  }
  std::vector<int> distances() {
    std::vector<int> made;
    for (int axis = 0; axis < run.shape.axes; ++axis) made.push_back(below(7) - 3);
    return made;
  }

  // A random expression. Invalid ones are drawn again, at most ten times.
  std::string accepted_expression(int depth) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const std::string text = expression(depth);
      try {
        value_stages(make_system(run), parse_formula("f", text));
        return text;
      } catch (const FormulaError&) {
      }
    }
    return expression(depth);
  }

  // The names of the grid's axes: x, y, z.
  std::string_view axes() const { return std::string_view("xyz").substr(0, run.shape.axes); }
  char axis() { return axes()[below(axes().size())]; }

  std::mt19937_64 generator_;
  std::vector<std::string> numbers_;
  std::vector<std::string> names_, read_in_conditions_;
  bool conditions_read_ = false, conditions_reduce_ = false;
};

/// True if two states hold the same bits; any NaN equals any other.
template <class T>
bool same_but_for_kinds_of_nan(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](T x, T y) {
    return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
  });
}

}  // namespace lapl::test
