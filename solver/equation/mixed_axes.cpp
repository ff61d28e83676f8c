#include "solver/equation/mixed_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "solver/equation/formulas_of.hpp"

namespace lapl {
namespace {

using Names = std::set<std::string>;

// The names that an operator reads at neighbours along a mixed axis.
struct ReadsAlong {
  int axis = 0;
  std::string of;         // name of the formula
  std::string call;       // name of the operator
  Names wraps, ends;      // fields, and quantities with conditions
  Names parameters;       // that are fields
  bool position = false;  // along the axis
};

bool reads_along(const FormulaNode& call, int axis) {
  const bool is_derivative = call.name.starts_with("d_d") || call.name.starts_with("d2_d");
  return !is_derivative || call.name.find("zyx"[axis]) != std::string::npos;
}

class Reads {
 public:
  explicit Reads(const RunConfig& run) : run_(run), formulas_(run) {
    for (const SideCondition& condition : run.conditions)
      if (is_mixed(run, condition.axis))
        for (const std::string& name :
             condition.array.empty() ? run.fields : std::vector<std::string>{condition.array})
          (condition.kind == ConditionKind::periodic ? wrapping_ : ending)[name] |=
              1 << condition.axis;
    if (wrapping_.empty()) return;
    find_operators();
    for (const ReadsAlong& reads : operators)
      for (const std::string& parameter : reads.parameters)
        if (!reads.ends.empty()) ending[parameter] |= 1 << reads.axis;
    for (const auto& [name, text] : run.equation.quantities) find_quantity(name, text);
  }

  // Adds the operators of derived outputs and integrals.
  void add_outputs() {
    for (const DerivedConfig& output : run_.derived)
      formulas_.keep("output." + output.name, output.formula);
    for (const IntegralConfig& integral : run_.integrals)
      formulas_.keep("output." + integral.name, integral.formula);
    find_operators();
  }

  EndingArrays ending;
  std::vector<ReadsAlong> operators;

 private:
  void find_operators() {
    operators.clear();
    formulas_.each_operator([&](const FormulaNode& call, const Formula& formula) {
      for (int axis = 3 - run_.shape.axes; axis < 3; ++axis) {
        if (!is_mixed(run_, axis) || !reads_along(call, axis)) continue;
        ReadsAlong& reads = operators.emplace_back();
        reads.axis = axis, reads.of = formula.name, reads.call = call.name;
        for (const int operand : call.operands)
          if (call.name != "upwind" || operand == call.operands.back())
            find_below(formula, operand, reads);
      }
    });
  }

  void find_below(const Formula& formula, int node, ReadsAlong& reads) const {
    formulas_.each_below(formula, node, [&](const FormulaNode& below) {
      if (below.kind != FormulaNode::Kind::name) return true;
      const bool ends = ends_at(ending, below.name, reads.axis) && !is_parameter_field(below.name);
      if (ends) reads.ends.insert(below.name);
      const bool wraps = ends_at(wrapping_, below.name, reads.axis);
      if (wraps) reads.wraps.insert(below.name);
      if (is_parameter_field(below.name)) reads.parameters.insert(below.name);
      if (below.name == std::string(1, "zyx"[reads.axis])) reads.position = true;
      return !ends && !wraps;
    });
  }

  // A quantity that has conditions, but none at the sides of a mixed axis, is as what it reads.
  void find_quantity(const std::string& name, const FormulaText& text) {
    if (!array_indices(run_).contains(name)) return;
    for (int axis = 3 - run_.shape.axes; axis < 3; ++axis) {
      if (!is_mixed(run_, axis) || ends_at(ending, name, axis) || ends_at(wrapping_, name, axis))
        continue;
      ReadsAlong reads;
      reads.axis = axis;
      try {
        const Formula formula = text.parsed(name);
        find_below(formula, formula.whole(), reads);
      } catch (const FormulaError&) {
      }
      if (!reads.ends.empty()) ending[name] |= 1 << axis;
    }
  }

  bool is_parameter_field(const std::string& name) const {
    const auto at = run_.parameters.find(name);
    return at != run_.parameters.end() && at->second.kind != ParameterConfig::Kind::number;
  }

  const RunConfig& run_;
  FormulasOf formulas_;
  EndingArrays wrapping_;
};

}  // namespace

bool is_mixed(const RunConfig& run, int axis) {
  return by_axis(run.boundaries).at(static_cast<std::size_t>(axis)) == Boundary::periodic &&
         std::ranges::count(run.conditions, axis, &SideCondition::axis) > 0;
}

EndingArrays ending_arrays(const RunConfig& run) {
  if (run.conditions.empty()) return {};
  return Reads(run).ending;
}

void find_mixed_reads(const RunConfig& run,
                      const std::function<void(const std::string&, const std::string&)>& add) {
  if (run.conditions.empty()) return;
  Reads all(run);
  all.add_outputs();
  std::map<std::pair<std::string, int>, std::string> wrapped;  // parameters, by name and axis
  for (const ReadsAlong& reads : all.operators)
    for (const std::string& parameter : reads.parameters)
      if (!reads.wraps.empty()) wrapped[{parameter, reads.axis}] = *reads.wraps.begin();
  for (const ReadsAlong& reads : all.operators) {
    if (reads.ends.empty()) continue;
    const auto mistake = [&](const std::string& what) {
      const bool is_rate = std::ranges::count(run.fields, reads.of) > 0;
      add(is_rate                           ? "equation." + reads.of
          : reads.of.starts_with("output.") ? "output"
                                            : "equation.let",
          fmt::format("{}: {} {}", reads.of, reads.call, what));
    };
    const std::string sides =
        fmt::format("beyond the sides of {}", std::array{"planes", "rows", "columns"}[reads.axis]);
    if (!reads.wraps.empty())
      mistake(
          fmt::format("reads {} and {} {}, where the former {} periodic and the latter {} not "
                      "(expected an operator of fields that are alike there)",
                      fmt::join(reads.wraps, ", "), fmt::join(reads.ends, ", "), sides,
                      reads.wraps.size() > 1 ? "are" : "is", reads.ends.size() > 1 ? "are" : "is"));
    else if (reads.position)
      mistake(
          fmt::format("of {} reads {} {}, which repeats there (expected a parameter with this "
                      "formula)",
                      fmt::join(reads.ends, ", "), "zyx"[reads.axis], sides));
    for (const std::string& parameter : reads.parameters)
      if (const auto other = wrapped.find({parameter, reads.axis}); other != wrapped.end())
        mistake(
            fmt::format("reads {0} {1} beside {2}, which ends there, and another operator reads "
                        "it beside {3}, which is periodic (expected a parameter for each)",
                        parameter, sides, *reads.ends.begin(), other->second));
  }
}

}  // namespace lapl
