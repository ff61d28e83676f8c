// Stages that measure a step's error, and those of steps that solve equations.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "solver/equation/reactions.hpp"
#include "solver/equation/stage_maker.hpp"

namespace lapl {

/// Stages that store a step's error.
class ErrorMaker : public StageMaker {
 public:
  using StageMaker::StageMaker;

 protected:
  int error_ = -1;  // the array of a step's error, until it is a field

  // Renumbers arrays so that the array `made`, a step's error, follows the fields of the state.
  void make_field(int made) {
    const int place = static_cast<int>(fields_.size());
    const auto moved = [&](int array) {
      return array == made ? place : array >= place && array < made ? array + 1 : array;
    };
    for (Stage& stage : made_.stages) {
      for (StageOperation& node : stage.tree.operations)
        if (node.operation == Operation::value) node.index = moved(node.index);
      for (int& target : stage.targets) target = moved(target);
      for (GridSolve& solve : stage.solves) {
        for (int& array : solve.state) array = moved(array);
        for (int& array : solve.unknowns) array = moved(array);
      }
    }
    for (GridReduction& reduction : made_.reductions) reduction.array = moved(reduction.array);
    for (StageConvolution& one : made_.convolutions) {
      one.source = moved(one.source);
      one.target = moved(one.target);
      for (int& array : one.ghosts) array = moved(array);
    }
    for (Arrays& state : made_.states)
      for (int& array : state) array = moved(array);
    made_.like.erase(made_.like.begin() + made);
    made_.like.insert(made_.like.begin() + place, -1);
    made_.measures_error = true;
  }

  // Adds a last stage, which evaluates the rates at the new values in `made`, copies these values
  // to the fields, and stores the step's error. `make_errors` makes the error of each field from
  // the rates.
  void measure_error(
      const Arrays& made, const Tolerance& tolerance,
      const std::function<std::vector<Term>(Level&, std::vector<Term>)>& make_errors) {
    const int error = new_array(-1);
    evaluate_all(made, 1, [&](Level& to, const std::vector<Term>& rates) {
      const std::vector<Term> errors = make_errors(to, rates);
      std::optional<Term> largest;
      std::vector<Made> results;
      for (const int field : fields_) {
        include_error(to, field, errors[field], made[field], tolerance, largest);
        results.emplace_back(field, to.value(made[field]));
      }
      results.emplace_back(error, largest.value_or(TreeWriter::scalar(0)));
      return results;
    });
    error_ = error;
  }

  // Makes `largest` the larger of itself and the scaled error of a field with a rate, whose new
  // value is in array `made`.
  void include_error(Level& to, int field, Term error, int made, const Tolerance& tolerance,
                     std::optional<Term>& largest) const {
    if (is_solved(field)) return;
    const Term scaled = where_free(to, field, to.scaled_error(error, field, made, tolerance));
    largest = largest ? to.larger_or_nan(*largest, scaled) : scaled;
  }

  // u - v + dt (f(u) + f(v)) / 2, where v in `made` is the new state
  std::vector<Term> trapezoidal_errors(Level& to, const Arrays& made, const Arrays& first_rates,
                                       const std::vector<Term>& rates) const {
    std::vector<Term> errors;
    for (const int field : fields_) {
      const Term change = to.writer.sum(to.value(field), to.writer.negative(to.value(made[field])));
      const Term sum = to.writer.sum(to.value(first_rates[field]), rates[field]);
      errors.push_back(to.writer.sum(change, to.change(sum, 0.5)));
    }
    return errors;
  }
};

/// Steps that solve equations: those of the reactions in each cell, or of all rates over the grid.
class ImplicitMaker : public ErrorMaker {
 public:
  using ErrorMaker::ErrorMaker;

 protected:
  // The second argument of f and of the reactions r is the time in steps. With S = (1 - gamma dt
  // J)^-1, where J is the derivatives of the reactions at u and the later time of a line:
  //
  //   k = S (f(u, 0) + (r(u, gamma) - r(u, 0))), y = u + gamma dt k
  //   u' = y + dt / (2 gamma) S (f(y, gamma) - 2 gamma k + 2 gamma^2 (r(y, 1) - r(y, gamma)))
  //
  // The error is S (u - u' + dt (f(u, 0) + f(u', 1)) / 2).
  void implicit_reactions(const std::optional<Tolerance>& tolerance) {
    const SplitSystem split(system_);
    const double gamma = 1 - std::sqrt(0.5);
    const auto names_at = [&](Level& to, const Arrays& state, double time) {
      FormulaNames names = split.names;
      for (const int field : fields_) names.arrays[rates_[field]->name] = state[field];
      const Term now = TreeWriter::of(to.stage.tree.time());
      if (time > to.stage.time)
        names.terms["t"] =
            to.writer.sum(now, to.change(TreeWriter::scalar(1), time - to.stage.time));
      return names;
    };
    const auto solve = [&](Level& to, double time, const std::vector<Term>& right) {
      return solve_reactions(
          split, names_at(to, fields_, time), to.stage.tree, made_.used,
          [&](Term term) { return to.change(term, gamma); }, right);
    };
    // `right` plus `share` times the change of a reaction from the time of the stage to `time`.
    const auto with_later = [&](Level& to, const Arrays& state, double time, double share,
                                int field, Term right) {
      const auto at = [&](double when) {
        return reaction_of_time(split, names_at(to, state, when), field, to.stage.tree, made_.used);
      };
      const auto later = at(time), now = at(to.stage.time);
      if (!later) return right;
      const Term change = to.writer.sum(*later, to.writer.negative(*now));
      return to.writer.sum(right, to.product(share, change, false));
    };
    const Arrays middle = copies(), increments = copies();
    const Arrays rates = tolerance ? copies() : Arrays(), made = tolerance ? copies() : fields_;
    evaluate_all(fields_, 0, [&](Level& to, const std::vector<Term>& at_start) {
      std::vector<Term> right;
      for (const int field : fields_)
        right.push_back(with_later(to, fields_, gamma, 1, field, at_start[field]));
      const std::vector<Term> solved = solve(to, gamma, right);
      std::vector<Made> results;
      for (const int field : fields_) {
        const Term change = to.change(solved[field], gamma);
        results.emplace_back(middle[field], to.writer.sum(to.value(field), change));
        results.emplace_back(increments[field], solved[field]);
        if (tolerance) results.emplace_back(rates[field], at_start[field]);
      }
      return results;
    });
    evaluate_all(middle, gamma, [&](Level& to, std::vector<Term> right) {
      for (const int field : fields_) {
        right[field] =
            to.writer.sum(right[field], to.product(-2 * gamma, to.value(increments[field]), false));
        right[field] = with_later(to, middle, 1, 2 * gamma * gamma, field, right[field]);
      }
      const std::vector<Term> solved = solve(to, 1, right);
      std::vector<Made> results;
      for (const int field : fields_)
        results.emplace_back(made[field], to.writer.sum(to.value(middle[field]),
                                                        to.change(solved[field], 1 / (2 * gamma))));
      return results;
    });
    if (tolerance)
      measure_error(made, *tolerance, [&](Level& to, const std::vector<Term>& at_end) {
        return solve(to, 1, trapezoidal_errors(to, made, rates, at_end));
      });
  }

  // Diagonally implicit steps, whose equations kernels/solve/implicit_system.hpp solves: where the
  // state w of a stage follows from w = g + share dt f(w), the stage before leaves g in its arrays.
  //
  // u' = u + share dt f(u', time); f(u', time) = 0 if the share is infinite
  void one_solve(double time, double share) {
    const Arrays state = copies();
    add_values(fields_, 0, {}, [&](Level& to, int field) {
      return std::vector<Made>{{state[field], to.value(field)}};
    });
    add_values(state, time, {solve_of_step(state, share)}, [&](Level& to, int field) {
      return std::vector<Made>{{field, to.value(state[field])}};
    });
  }

  // R. Alexander, SIAM J. Numer. Anal. 14, 1006 (1977), with gamma = 1 - 1 / sqrt(2):
  //
  //   w = u + gamma dt f(w, gamma), g = u + (1 - gamma) / gamma (w - u)
  //   u' = g + gamma dt f(u', 1)
  //
  // The error is S (u - u' + dt (f(u, 0) + f(u', 1)) / 2) with S = (1 - gamma dt f')^-1.
  void sdirk2(const std::optional<Tolerance>& tolerance) {
    const double gamma = 1 - std::sqrt(0.5);
    const Arrays middle = copies(), end = copies();
    const Arrays rates = tolerance ? copies() : Arrays(), errors = tolerance ? copies() : Arrays();
    const auto beyond = [&](Level& to, int field) {  // g
      const Term change =
          to.writer.sum(to.value(middle[field]), to.writer.negative(to.value(field)));
      return to.writer.sum(to.value(field), to.product((1 - gamma) / gamma, change, false));
    };
    if (tolerance)
      evaluate(fields_, 0, rates_, [&](Level& to, int field, Term rate) {
        return std::vector<Made>{{middle[field], to.value(field)}, {rates[field], rate}};
      });
    else
      add_values(fields_, 0, {}, [&](Level& to, int field) {
        return std::vector<Made>{{middle[field], to.value(field)}};
      });
    add_values(middle, gamma, {solve_of_step(middle, gamma)}, [&](Level& to, int field) {
      return std::vector<Made>{{end[field], beyond(to, field)}};
    });
    GridSolve last = solve_of_step(end, gamma);
    last.is_first = false;
    add_values(end, 1, {last}, [&](Level& to, int field) {
      const Term made = to.value(end[field]);
      if (!tolerance) return std::vector<Made>{{field, made}};
      Term error = to.writer.sum(to.value(field), to.writer.negative(made));
      error = to.writer.sum(error, to.change(to.value(rates[field]), 0.5));
      const Term change = to.writer.sum(made, to.writer.negative(beyond(to, field)));
      error = to.writer.sum(error, to.product(1 / (2 * gamma), change, false));
      if (is_solved(field)) error = TreeWriter::scalar(0);
      return std::vector<Made>{{errors[field], where_free(to, field, error)}};
    });
    if (!tolerance) return;
    GridSolve filter = solve_of_step(errors, gamma);
    filter.is_first = false;
    filter.filters = true;
    const int error = new_array(-1);
    std::optional<Term> largest;
    add_values(end, 1, {filter}, [&](Level& to, int field) {
      include_error(to, field, to.value(errors[field]), end[field], *tolerance, largest);
      std::vector<Made> results = {{field, to.value(end[field])}};
      if (field == fields_.back())
        results.emplace_back(error, largest.value_or(TreeWriter::scalar(0)));
      return results;
    });
    error_ = error;
  }

 private:
  GridSolve solve_of_step(const Arrays& state, double share) const {
    return {.system = system_.systems(), .state = state, .unknowns = state, .share = share};
  }

  // Appends a stage that reads a state at a time, in steps, and stores values of each field.
  void add_values(const Arrays& state, double time, std::vector<GridSolve> solves,
                  const std::function<std::vector<Made>(Level&, int field)>& results) {
    levels_.clear();
    ++evaluation_;
    time_ = time;
    const std::unique_ptr<Level> level = new_level();
    for (const int field : fields_)
      for (const auto& [array, value] : results(*level, field)) {
        level->stage.tree.results.push_back(level->writer.as_node(value));
        level->stage.targets.push_back(array);
      }
    solves_ = std::move(solves);
    add(level->stage, state);
  }
};

}  // namespace lapl
