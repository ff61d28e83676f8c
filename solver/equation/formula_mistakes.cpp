#include "solver/equation/formula_mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <set>

#include "solver/dataset_names.hpp"
#include "solver/equation/check_quantities.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/condition_formulas.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/mistake_list.hpp"
#include "solver/equation/mixed_axes.hpp"
#include "solver/equation/reactions.hpp"
#include "solver/equation/stage_maker.hpp"
#include "solver/filters/window_config.hpp"
#include "solver/initial_parts.hpp"

namespace lapl {
namespace {

class FormulaChecker : public MapChecker {
 public:
  FormulaChecker(const RunConfig& run, bool whole) : MapChecker(run), whole_(whole) {}

  CheckedFormulas checked() {
    check_names();
    for (const auto& [name, window] : run_.kernels)
      if (window.kind == WindowKind::formula)
        check_value("kernels", window.formula, false, name, name + ": formula: ");
    check_windows();
    if (run_.equation.kind == EquationKind::formula) check_equation();
    check_conditions();
    if (run_.mask && run_.mask->kind == ParameterConfig::Kind::formula)
      check_value(mask_name, run_.mask->formula, false);
    for (const auto& [name, parameter] : run_.parameters)
      if (parameter.kind == ParameterConfig::Kind::formula)
        check_value("parameters." + name, parameter.formula, false);
    check_initial();
    if (found_.empty() && whole_ && has_all_rates()) check_outputs();
    if (found_.empty() && whole_ && has_all_rates()) check_uses();
    if (found_.empty())
      find_mixed_reads(run_,
                       [&](const std::string& key, const std::string& what) { add(key, what); });
    if (found_.empty() && has_all_rates() && !system().names.side_values.empty())
      if (const std::string name = function_of_faces(run_); !name.empty())
        check_nodes("equation", name + " differs at sides, and");
    if (!found_.empty()) system_.reset();
    return {std::move(found_), std::move(system_)};
  }

 private:
  void check_names() {
    std::set<std::string> taken;
    const auto check = [&](const std::string& key, const std::string& name) {
      if (is_reserved_name(name))
        add(key,
            fmt::format("found the name {}, which formulas have already (expected another)", name));
      else if (!is_plain_name(name))
        add(key, fmt::format("found the name {} (expected letters, digits and _, first a letter)",
                             name));
      else if (!taken.insert(name).second)
        add(key,
            fmt::format("found the name {}, which is taken (expected a name of its own)", name));
    };
    for (const std::string& field : run_.fields) {
      check("fields", field);
      const auto is_field = [&](const char* name) { return name == field; };
      if (is_key_beside_rates(field) || std::ranges::any_of(output_parts, is_field) ||
          std::ranges::any_of(checkpoint_parts, is_field))
        add("fields", fmt::format("found the name {}, which keys, outputs or checkpoints have "
                                  "already (expected another)",
                                  field));
    }
    for (const auto& [name, parameter] : run_.parameters) check("parameters." + name, name);
    for (const auto& [name, text] : run_.equation.quantities) check("equation.let", name);
    for (const auto& [name, text] : run_.initial_quantities) check("initial.let", name);
    for (const auto& [name, window] : run_.kernels) check("kernels", name);
    taken = {run_.fields.begin(), run_.fields.end()};
    for (const DerivedConfig& output : run_.derived) {
      check("output.derived", output.name);
      if (std::ranges::count(output_parts, output.name) > 0)
        add("output.derived",
            fmt::format("found the name {}, which outputs have already (expected another)",
                        output.name));
    }
  }

  void check_initial() {
    const std::vector<InitialPart> parts = initial_parts(run_);
    const auto initial_key = [&](const InitialPart& part) {
      return !part.field                         ? "initial.let"
             : run_.initials.contains(part.name) ? part.key()
                                                 : "initial.formula";
    };
    const std::size_t before = found_.size();
    for (const InitialPart& part : parts)
      if (part.initial.kind == InitialKind::formula)
        check_value(initial_key(part), part.initial.formula, true, part.key(),
                    part.field ? "" : part.name + ": ");
    if (found_.size() > before) return;
    try {
      ordered_initial_parts(run_);
    } catch (const FormulaError& error) {
      const auto part = std::ranges::find(parts, error.of, &InitialPart::key);
      attempt(
          initial_key(*part), [&] { throw error; }, part->field ? "" : part->name + ": ");
    }
  }

  bool has_all_rates() const {
    return run_.equation.kind != EquationKind::formula ||
           run_.equation.rates.size() + run_.equation.solves.size() == run_.fields.size();
  }

  // Made on first use. Each formula must have been parsed without a mistake.
  const FormulaSystem& system() {
    if (!system_) system_ = make_system(run_);
    return *system_;
  }

  // Must run before the derived outputs are checked, because these read the same quantities.
  void check_equation() {
    for (const std::string& field : run_.fields)
      if (const auto rate = run_.equation.rates.find(field); rate != run_.equation.rates.end())
        attempt("equation." + field, [&] { rate->second.parsed(field); });
    for (const auto& entry : run_.equation.quantities)
      attempt("equation.let", [&] { entry.second.parsed(entry.first); });
    for (const auto& entry : run_.equation.after)
      attempt("equation.after", [&] { entry.second.parsed(entry.first); });
    for (const SolveConfig& solve : run_.equation.solves) {
      if (has_other_fields(solve)) continue;
      for (const FormulaText* const side : {&solve.left, &solve.right})
        attempt("equation.let", [&] { side->parsed(solve.field); });
    }
    if (!found_.empty() || !has_all_rates()) return;
    // Checks each rate alone, to find the first mistake of each.
    std::vector<const Formula*> quantities;
    std::optional<StageMaker> check;
    attempt("equation.let", [&] {
      quantities = check_quantities(system().quantities);
      check.emplace(system());
    });
    if (!check) return;
    std::set<std::string> looked_at;
    const auto check_formula = [&](const std::string& key, const Formula& formula) {
      attempt(key, [&] {
        try {
          const std::set<std::string>& names = check->names_read_by(formula);
          looked_at.insert(names.begin(), names.end());
        } catch (const FormulaError& error) {
          looked_at.insert(error.through.begin(), error.through.end());
          throw;
        }
      });
    };
    for (const Formula& rate : system().rates) check_formula("equation." + rate.name, rate);
    for (const auto& [field, next] : system().next) check_formula("equation." + next.name, next);
    check_after(*check, system(), looked_at);
    check_solves(*check);
    use(looked_at);
    check_noise();
    check_maps();
    // Checking a quantity also checks those that it reads, so its readers come first.
    for (const Formula* const quantity : quantities)
      if (!looked_at.contains(quantity->name)) check_formula("equation.let", *quantity);
    if (!found_.empty() || !whole_) return;
    const bool is_imex = run_.scheme.kind == Scheme::imex;
    const std::string why = is_imex ? SplitSystem(system()).why_not()
                            : table_row(run_.scheme.kind).is_implicit() ? why_not_implicit(system())
                                                                        : "";
    if (!why.empty())
      return add("time.scheme",
                 fmt::format("found {}, but {} (expected another scheme{})",
                             enum_name(run_.scheme.kind), why, is_imex ? ", such as heun" : ""));
    // Rates that are right one by one may together be too long for a stage.
    try {
      step_stages(system(), run_.checked_scheme(), 1);
    } catch (const FormulaError& error) {
      attempt(
          is_imex                                  ? "time.scheme"
          : run_.equation.rates.contains(error.of) ? "equation." + error.of
                                                   : "equation.kind",
          [&] { throw error; }, is_imex ? "imex: " : "all rates in one stage: ");
    }
  }

  void check_solves(StageMaker& check) {
    std::set<std::string> later;
    for (const SolveConfig& solve : run_.equation.solves) later.insert(solve.field);
    for (const SolvedField& solved : system().solved) {
      const std::string& name = run_.fields[static_cast<std::size_t>(solved.field)];
      std::set<std::string> together;
      for (const SolvedField& other : system().solved)
        if (other.system == solved.system)
          together.insert(run_.fields[static_cast<std::size_t>(other.field)]);
      for (const std::string& each : together) later.erase(each);
      const auto check_side = [&](const Formula& side, const char* key) {
        attempt(
            "equation.let",
            [&] {
              const std::set<std::string> names = check.names_read_by(side);
              use(names);
              const auto refuse = [&](const std::string& what) {
                throw FormulaError(0, what, side.name, side.text);
              };
              if (names.contains("noise")) refuse("reads noise, which only rates have");
              for (const std::string& other : later)
                if (names.contains(other))
                  refuse(
                      fmt::format("reads {}, whose equation comes later in equation.let", other));
              const bool is_left = &side == &solved.left;
              if (is_left && !names.contains(name))
                refuse(fmt::format("does not read {}, for which it is solved", name));
              for (const std::string& unknown : together)
                if (!is_left && names.contains(unknown))
                  refuse(fmt::format("reads {} (expected it in solve alone)", unknown));
            },
            fmt::format("{}.{}: ", name, key));
      };
      for (const auto* const conditions : {&run_.conditions, &run_.mask_conditions})
        for (const SideCondition& condition : *conditions)
          if (applies_to(condition, name, run_)) check_condition_of_solved(condition, name, later);
      check_side(solved.left, "solve");
      check_side(solved.right, "equals");
    }
    if (system().solved.empty() || !found_.empty()) return;
    if (run_.scheme.kind == Scheme::leapfrog)
      add("time.scheme", fmt::format("found leapfrog, but equation.let has an equation for {} "
                                     "(expected another scheme, such as heun)",
                                     run_.equation.solves[0].field));
  }

  void check_condition_of_solved(SideCondition condition, const std::string& name,
                                 const std::set<std::string>& later) {
    if (condition.kind == ConditionKind::absorbing)
      return add(condition_key(condition),
                 fmt::format("absorbing: {} has an equation in equation.let, and no rate (expected "
                             "another condition)",
                             name));
    if (condition.of_mask) condition.axis = 2;
    attempt(condition_key(condition), [&] {
      std::set<std::string> names;
      condition_terms(condition_of_array(condition, name, run_), run_, names);
      for (const std::string& other : later)
        if (names.contains(other))
          add(condition_key(condition),
              fmt::format(
                  "the condition of {} reads {}, whose equation comes later in equation.let", name,
                  other));
    });
  }

  // Other schemes than euler and heun need rates that are smooth in time, which noise is not.
  void check_noise() {
    const Scheme scheme = run_.scheme.kind;
    if (used_.contains("noise") && scheme != Scheme::euler && scheme != Scheme::heun)
      add("time.scheme",
          fmt::format("found {}, but a rate has noise (expected euler, which then takes steps of "
                      "Euler and Maruyama, or heun, whose solution is that of Stratonovich; the "
                      "order of others, and the error that they estimate, need rates that are "
                      "smooth in time)",
                      enum_name(scheme)));
  }

  void check_outputs() {
    if (run_.derived.empty() && run_.integrals.empty() && !run_.stop) return;
    StageMaker stages(system());
    std::list<Formula> formulas;
    const auto check = [&](const char* key, const std::string& name, const FormulaText& text,
                           const CellFaces& at = {}) {
      attempt(
          key,
          [&] {
            const auto& names = stages.names_read_by(formulas.emplace_back(text.parsed(name)), at);
            if (names.contains("noise"))
              throw FormulaError(0, "reads noise, which only rates have", name, text.text());
            use(names);
          },
          name == key ? "" : name + ": ");
    };
    for (const DerivedConfig& derived : run_.derived)
      check("output.derived", derived.name, derived.formula);
    if (run_.stop) check("limits.stop", "limits.stop", run_.stop->when);
    for (const IntegralConfig& integral : run_.integrals) {
      check_faces(integral);
      check_box(integral);
      if (!found_.empty()) continue;
      const CellFaces faces = faces_on(integral, run_);
      check("output.integrals", integral.name, integral.formula, faces);
      if (found_.empty() && !faces.outward.empty())
        attempt(
            "output.integrals",
            [&] { face_stages(system(), integral.formula.parsed(integral.name), faces); },
            integral.name + ", all faces in one stage: ");
    }
  }

  // Checks a formula that may read the position, parameters and, if `random`, random numbers.
  void check_value(const std::string& key, const FormulaText& text, bool random,
                   const std::string& name = "", const std::string& reported_before = "") {
    attempt(
        key,
        [&] {
          FormulaNames names = names_of_values(run_);
          if (random) {
            names.draw = [] { return 0; };
            for (const std::string& coefficient : coefficient_names(run_))
              names.arrays[coefficient] = 0;
            for (const InitialPart& part : initial_parts(run_)) names.arrays[part.name] = 0;
          }
          const Formula formula = text.parsed(name.empty() ? key : name);
          StageTree tree;
          TreeWriter(names, tree, used_).write(formula);
        },
        reported_before);
  }

  void check_uses() {
    for (const auto& [name, parameter] : run_.parameters)
      if (!used_.contains(name)) add("parameters." + name, "not used (no formula reads it)");
    for (const auto& [name, window] : run_.kernels)
      if (!used_.contains(name))
        add("kernels", fmt::format("{} is not used (no formula convolves with it)", name));
    for (const auto& [name, text] : run_.equation.quantities)
      if (!is_used(name))
        add("equation.let", fmt::format("{} is not used (no formula reads it)", name));
    for (const auto& [name, text] : run_.initial_quantities)
      if (!used_.contains(name))
        add("initial.let", fmt::format("{} is not used (no formula reads it)", name));
  }

  // True if a formula reads the name or, for a complex quantity, one of its two parts.
  bool is_used(const std::string& name) const {
    if (used_.contains(name) || run_.complex_fields.empty()) return used_.contains(name);
    const std::string stem = name.substr(0, name.rfind('_'));
    return std::ranges::any_of(part_names(stem),
                               [&](const std::string& part) { return used_.contains(part); });
  }

  bool whole_;
  std::optional<FormulaSystem> system_;
};

}  // namespace

const std::vector<std::string>& keys_beside_rates() {
  static const std::vector<std::string> keys = {"kind", "let", "after", "coefficient",
                                                "diffusivity"};
  return keys;
}

bool is_key_beside_rates(std::string_view name) {
  return std::ranges::count(keys_beside_rates(), name) > 0;
}

CheckedFormulas checked_formulas(const RunConfig& run, bool whole) {
  return FormulaChecker(run, whole).checked();
}

}  // namespace lapl
