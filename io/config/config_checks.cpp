#include "io/config/config_checks.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/formula_hints.hpp"
#include "io/config/found_values.hpp"
#include "io/filters/filter_keys.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "solver/dataset_names.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/filters/correlation.hpp"
#include "solver/near_nodes.hpp"
#include "solver/outputs.hpp"
#include "solver/spectral_problem.hpp"

namespace lapl {
namespace {

// True if a formula of the equation names noise; the formulas may be wrong.
bool names_noise(const RunConfig& run) {
  const auto names = [](const auto& named) {
    return named.second.text().find("noise") != std::string::npos;
  };
  return std::ranges::any_of(run.equation.rates, names) ||
         std::ranges::any_of(run.equation.quantities, names);
}

// The smallest positive number, for messages.
std::string smallest_in(Precision precision) {
  return precision == Precision::float32 ? "1.5e-45" : "5e-324";
}

class Checker : public KeyChecker {
 public:
  using KeyChecker::KeyChecker;

  /// Diffusion has either the coefficient alone, or diffusivity and time step.
  void check_diffusion() {
    if (!right({"equation.kind"}) || !is_diffusion(run_)) return;
    constexpr const char *coefficient = "equation.coefficient",
                         *diffusivity = "equation.diffusivity", *step = "time.step";
    bool is_right = true;
    const auto refuse = [&](const char* key, const std::string& what) {
      add(key, what);
      is_right = false;
    };
    if (run_.fields.size() != 1)
      refuse("fields", fmt::format("found {} fields (equation.kind diffusion has one; formula "
                                   "takes any number)",
                                   run_.fields.size()));
    if (run_.scheme.kind != Scheme::euler && run_.scheme.kind != Scheme::rkl2)
      refuse("time.scheme", fmt::format("found {} (equation.kind diffusion takes euler or rkl2; "
                                        "formula takes any scheme)",
                                        enum_name(run_.scheme.kind)));
    if (given(coefficient)) {
      for (const char* const extra : {diffusivity, step})
        if (given(extra))
          refuse(extra,
                 "given besides equation.coefficient (give equation.coefficient alone, or "
                 "equation.diffusivity and time.step)");
    } else if (!given(diffusivity) && !given(step)) {
      refuse(coefficient,
             "missing (give it, or equation.diffusivity; or formulas, as in equation: {u: "
             "laplacian(u)})");
    } else if (!given(diffusivity)) {
      refuse(diffusivity, "missing (time.step needs it: give both, or equation.coefficient)");
    }
    const auto has_square = [&](double h) { return is_positive_in(run_.precision, h * h); };
    if (!is_right || run_.lacks_step() ||
        !right({coefficient, diffusivity, step, "grid.shape", "grid.spacing", "compute.precision",
                "time.scheme", "time.stages"}) ||
        !std::ranges::all_of(run_.spacing.given(run_.shape.axes), has_square))
      return;
    RunConfig checked = run_;
    checked.scheme = run_.checked_scheme();
    if (const auto unstable = unstable_diffusion(checked); unstable && run_.refuses_unstable)
      add(unstable->key.c_str(), unstable->what);
    else if (const double found = stored_coefficient(run_); !is_positive_in(run_.precision, found))
      add(run_.equation.coefficient ? coefficient : step,
          fmt::format(
              "makes the coefficient {}, which is 0 in {} (expected a coefficient of {} or more)",
              found, enum_name(run_.precision), smallest_in(run_.precision)));
  }

  void check_stages() {
    if (!right({"time.linear_about", "time.scheme", "time.stages", "time.step", "time.tolerance"}))
      return;
    const char* const scheme = enum_name(run_.scheme.kind);
    if (given("time.stages") && run_.scheme.kind != Scheme::rkl2)
      add("time.stages", fmt::format("given with time.scheme {} (it belongs to rkl2)", scheme));
    if (!is_exponential(run_) && run_.linear_about != std::vector<double>{0})
      add("time.linear_about",
          fmt::format("given with time.scheme {} (it belongs to etdrk2 and etdrk4)", scheme));
    const std::size_t about = run_.linear_about.size(), fields = run_.fields.size();
    if (about != 1 && right({"fields"}) && about != fields)
      add("time.linear_about",
          fmt::format("found {} numbers (expected one, or one for each of {} fields)", about,
                      fields));
    if (!has_stable_limit(run_) && (run_.lacks_step() || run_.scheme.varies) &&
        !run_.scheme.tolerance)
      add("time.step",
          fmt::format("{} with time.scheme {}, which has no largest stable step, as it is {} "
                      "(expected a number{})",
                      given("time.step") ? "found auto" : "missing", scheme,
                      is_exponential(run_) ? "exact in the linear part" : "implicit",
                      table_row(run_.scheme.kind).estimates_error() ? ", or time.tolerance" : ""));
    if (table_row(run_.scheme.kind).is_implicit() && run_.check_stability_every)
      add("limits.check_stability_every",
          fmt::format("given with time.scheme {}, of which no step is unstable (expected null)",
                      scheme));
    if (run_.lacks_step() && run_.lacks_stages())
      add("time.step",
          fmt::format("{}, and time.stages is auto too (expected a number for one of them)",
                      given("time.step") ? "found auto" : "missing"));
  }

  /// Checks the keys that only steps of varying size have, such as time.tolerance.
  void check_tolerance() {
    if (!right({"time.scheme", "time.step", "time.tolerance", "compute.precision", "compute.engine",
                "limits.smallest_step", "limits.verify_every"}))
      return;
    const auto& tolerance = run_.scheme.tolerance;
    const auto step = entries_.find("time.step");
    const bool asks_auto =
        step != entries_.end() && step->second.value && step->second.value->text == "auto";
    if (!run_.scheme.varies && !asks_auto)
      for (const auto& [key, is_set] : {std::pair("time.meet", !run_.meets.empty()),
                                        {"time.largest_step", run_.largest_step.has_value()}})
        if (is_set)
          add(key, "given without time.tolerance or time.step auto (steps have one size)");
    if (!tolerance) {
      if (given("limits.smallest_step"))
        add("limits.smallest_step", "given without time.tolerance (steps have one size)");
      return;
    }
    if (run_.largest_step && *run_.largest_step < run_.smallest_step)
      add("time.largest_step",
          fmt::format("found {}, below limits.smallest_step (expected at least {})",
                      *run_.largest_step, run_.smallest_step));
    if (run_.time_step && *run_.time_step < run_.smallest_step)
      add("time.step", fmt::format("found {}, below limits.smallest_step (expected at least {})",
                                   *run_.time_step, run_.smallest_step));
    std::vector<std::string> schemes;
    for (const SchemeRow& row : name_table<Scheme>)
      if (row.estimates_error()) schemes.emplace_back(row.name);
    if (!table_row(run_.scheme.kind).estimates_error())
      add("time.tolerance",
          fmt::format("given with time.scheme {}, which estimates no error (expected {})",
                      enum_name(run_.scheme.kind),
                      names_noise(run_) ? "no time.tolerance, as the equation has noise"
                                        : "time.scheme " + alternatives(schemes)));
    const double least = with_precision(
        run_.precision, []<class T>() -> double { return 8 * std::numeric_limits<T>::epsilon(); });
    if (tolerance->relative < least)
      add("time.tolerance",
          fmt::format("found {}, below rounding in {} (expected at least {:.1e}{})",
                      tolerance->relative, enum_name(run_.precision), least, or_float64()));
    if (!is_positive_in(run_.precision, tolerance->absolute))
      add("time.tolerance",
          fmt::format("found absolute {}, which is 0 in {} (expected at least {})",
                      tolerance->absolute, enum_name(run_.precision),
                      smallest_in(run_.precision) + or_float64()));
    if (is_spectral(run_))
      add("compute.engine", "found spectral, which needs no time.tolerance (expected one of both)");
  }

  /// Checks names and formulas; each message shows a caret below the mistake. `found` has the
  /// mistakes that were found before, in complex formulas.
  std::optional<FormulaSystem> check_formulas(std::vector<KeyMistake> found) {
    std::optional<FormulaSystem> system;
    if (right({"grid.shape", "grid.spacing", "grid.size", "fields", "equation.kind"})) {
      CheckedFormulas checked = checked_formulas(run_, found.empty());
      std::ranges::move(checked.mistakes, std::back_inserter(found));
      system = std::move(checked.system);
      if (found.empty() && system) {
        if (all_right()) check_step(*system);
        if (all_right()) check_spectral(*system);
        check_seed(*system);
      }
    }
    add_formula_mistakes(found, run_, entries_, mistakes_);
    return system;
  }

  /// Reports a seed if neither an initial field nor noise draws random numbers. The default seed is
  /// no mistake, because config.yaml of every run has it.
  void check_seed(const FormulaSystem& system) {
    const InitialKind kind = run_.initial.kind;
    const bool draws =
        !run_.initial_quantities.empty() ||
        std::ranges::any_of(run_.initials,
                            [&](const auto& initial) {
                              return initial.second.fractal.seed == run_.initial.fractal.seed;
                            }) ||
        (entries_.contains("initial.kind") &&
         (kind == InitialKind::fractal || kind == InitialKind::formula));
    const bool is_default = run_.initial.fractal.seed == FractalParameters().seed;
    const auto in_file = [&](const char* key) {
      const auto entry = entries_.find(key);
      return entry != entries_.end() && entry->second.place.in_file();
    };
    if (in_file("initial.seed") && !in_file("initial.kind")) return;  // --set chose another kind
    if (given("initial.seed") && !is_default && !draws && !has_noise(system))
      add("initial.seed",
          entries_.contains("initial.kind")
              ? fmt::format("does not apply to initial.kind {} (it belongs to fractal or formula, "
                            "or to an equation with noise)",
                            enum_name(kind))
              : "does not apply (it belongs to an equation with noise; give each field a seed)");
  }

  /// Checks that the time step is stable; check_diffusion checks the step of diffusion.
  void check_step(const FormulaSystem& system) {
    if (is_diffusion(run_)) return;
    RunConfig checked = run_;
    if (run_.chooses_stages()) {
      checked.scheme = run_.estimated_scheme();
      if (stable_limit(checked, system) == 0)
        add("time.scheme",
            "found rkl2, of which no step is stable, as the equation has waves that it does not "
            "damp (expected bs23 or dopri5)");
    }
    if (run_.scheme.tolerance || !run_.time_step || (!given("time.steps") && !given("time.end")))
      return;
    checked.scheme = run_.checked_scheme();
    const auto problem = find_step_problem(checked, system);
    if (problem && problem->refused && run_.refuses_unstable) add("time.step", problem->what);
  }

  void check_spectral(const FormulaSystem& system) {
    if (is_exponential(run_) && !is_diffusion(run_)) {
      if (run_.engine != "auto" && run_.engine != spectral_engine.name)
        add("compute.engine",
            fmt::format("found {} with time.scheme {}, whose steps engine spectral "
                        "takes (expected spectral or auto)",
                        run_.engine, enum_name(run_.scheme.kind)));
      if (const std::string why = why_not_exponential(run_, system); !why.empty())
        add("time.scheme",
            fmt::format("found {}, which cannot step this: {} (expected another one)",
                        enum_name(run_.scheme.kind), why));
      return;
    }
    if (!is_spectral(run_)) return;
    if (const std::string why = why_not_spectral(run_, system); !why.empty())
      add("compute.engine",
          fmt::format("found spectral, which cannot step this: {} (expected another engine)", why));
  }

  void check_engine() {
    if (!right({"compute.engine", "compute.backend"}) || run_.backend == "auto") return;
    for (const EngineInfo& engine : all_engines())
      if (engine.name == run_.engine && !engine.runs_on(run_.backend))
        add("compute.engine",
            fmt::format("found {}, an engine of backend {}, with compute.backend {} (expected "
                        "compute.backend {} or auto, or another engine)",
                        engine.name, engine.backend, run_.backend, engine.backend));
  }

  void check_rounding() {
    if (!right({"output.round", "output.precision", "compute.precision"})) return;
    const Precision stored = run_.stored.precision.value_or(run_.precision);
    if (const int bits = significand_bits(stored); run_.stored.kept_bits().value_or(0) >= bits)
      add("output.round",
          fmt::format("found {}, finer than {} itself (expected {:.2g} or more)",
                      *run_.stored.round, enum_name(stored), std::ldexp(1.0, -bits)));
  }

  /// The columns of diagnostics.csv must have distinct names.
  void check_output_names() {
    if (!right({"fields", "output.integrals"})) return;
    RunConfig given = run_;
    std::set<std::string> columns = {"step", "time", "cells_per_second"};
    given.integrals.clear();
    for (const std::string& column : diagnostics_columns(given)) columns.insert(column);
    for (const StepColumn& column : step_columns) columns.insert(column.name);
    for (const IntegralConfig& integral : run_.integrals)
      if (const std::string wrong = filter_name_problem(integral.name, columns); !wrong.empty())
        add("output.integrals", wrong);
  }

  bool has_position(const std::vector<double>& position) const {
    bool has = true;
    for (std::size_t i = 0; i < position.size(); ++i)
      has = has && is_in_grid(position[i], run_.spacing.origin[2 - i], run_.spacing.by_axis[2 - i],
                              by_axis(run_.shape)[2 - i]);
    return has;
  }

  // The places in the grid, for a message.
  std::string places(bool positions) const {
    std::string text;
    for (const auto& [axis, extent] : shape_axes(run_.shape))
      if (!positions)
        text += fmt::format("{}{}s from 0 to {}", text.empty() ? "" : ", ", axis.name, extent - 1);
    for (std::size_t i = 0; positions && static_cast<int>(i) < run_.shape.axes; ++i) {
      const auto nodes = static_cast<double>(by_axis(run_.shape)[2 - i]);
      text += fmt::format("{}{} from {:.12g} to {:.12g}", text.empty() ? "" : ", ", "xyz"[i],
                          run_.spacing.position(2 - i, -0.5),
                          run_.spacing.position(2 - i, nodes - 0.5));
    }
    return text;
  }

  void check_probes() {
    if (!right({"output.probes", "grid.shape", "grid.spacing", "grid.size", "grid.origin",
                "grid.center", "grid.coordinates", "fields"}) ||
        !run_.probes)
      return;
    const std::vector<std::int64_t> extents = run_.shape.extents();
    std::set<std::string> names, used = {"step", "time"};
    for (const Probe& probe : run_.probes->at) {
      if (const std::string wrong = filter_name_problem(probe.name, names); !wrong.empty())
        add("output.probes", "at: " + wrong);
      const bool by_position = !probe.position.empty();
      const std::size_t numbers = by_position ? probe.position.size() : probe.cell.size();
      if (numbers != extents.size())
        add("output.probes", fmt::format("at.{}: found {} (expected one number for each axis: {})",
                                         probe.name, place_text(probe), places(by_position)));
      else if (by_position ? !has_position(probe.position)
                           : !std::ranges::equal(probe.cell, extents, std::less()))
        add("output.probes", fmt::format("at.{}: found {}, outside of the grid (expected {})",
                                         probe.name, place_text(probe), places(by_position)));
    }
    for (const std::string& column : probe_columns(run_))
      if (!used.insert(column).second)
        add("output.probes", fmt::format("at: two columns of probes.csv would be {} (expected "
                                         "other names)",
                                         column));
  }

  /// Checks that each filter's name is free among the datasets of an output, and that its result
  /// has the grid's shape. Weights in files are checked later, when they are read.
  void check_filters() {
    if (!right({"filters", "grid.shape"})) return;
    if (run_.shape.axes != 2 && !run_.filters.empty())
      return add("filters", fmt::format("found a filter on a grid of {} (filters are for two axes: "
                                        "expected grid.shape: [rows, columns], or no filters)",
                                        run_.shape.axes == 1 ? "one axis" : "three axes"));
    if (run_.mask && !run_.filters.empty())
      return add("filters",
                 "found a filter on a grid with grid.mask (a filter would read the cells outside: "
                 "expected no filters; lapl filter with nan: skip convolves stored outputs)");
    std::set<std::string> used = used_datasets(run_);
    for (const FilterConfig& filter : run_.filters) {
      if (const std::string wrong = filter_name_problem(filter.name, used); !wrong.empty())
        add("filters", wrong);
      if (!filter.field.empty() && std::ranges::count(run_.fields, filter.field) == 0)
        add("filters", fmt::format("field: found {}, which is no field (expected {})",
                                   shown(filter.field), alternatives(run_.fields)));
      if (filter.kernel == KernelKind::hdf5) continue;
      try {
        correlation_on_grid<float>(filter, run_.shape);
      } catch (const ConfigError& error) {
        add("filters", error.what());
      }
    }
  }

 private:
  static std::set<std::string> used_datasets(const RunConfig& run) {
    std::set<std::string> used(output_parts.begin(), output_parts.end());
    for (const std::string& name : output_names(run)) used.insert(name);
    return used;
  }
};

}  // namespace

std::optional<FormulaSystem> check_together(const RunConfig& run, const Entries& entries,
                                            Mistakes& mistakes,
                                            const std::vector<KeyMistake>& of_splitting) {
  check_grid(run, entries, mistakes);
  Checker checker(run, entries, mistakes);
  checker.check_diffusion();
  checker.check_stages();
  checker.check_tolerance();
  std::optional<FormulaSystem> system = checker.check_formulas(of_splitting);
  checker.check_engine();
  checker.check_rounding();
  checker.check_output_names();
  checker.check_probes();
  check_times_given(run, entries, mistakes);
  checker.check_filters();
  return system;
}

}  // namespace lapl
