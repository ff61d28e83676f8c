#include "solver/equation/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/ranks/local_problem.hpp"
#include "solver/equation/implicit_maker.hpp"
#include "solver/equation/side_stages.hpp"
#include "solver/equation/super_steps.hpp"

namespace lapl {
namespace {

// The stages of a step by each scheme.
class StepMaker : public ImplicitMaker {
 public:
  using ImplicitMaker::ImplicitMaker;

  StepStages of_step(TimeScheme scheme, double dt) {
    if (!scheme.varies) dt_ = dt;
    if (names_.noise) names_.noise->dt = dt_;
    const SchemeRow& row = table_row(scheme.kind);
    const Arrays made = system_.after.empty() ? fields_ : copies();  // the new values
    switch (scheme.kind) {
      case Scheme::leapfrog: leapfrog(made); break;
      case Scheme::rkl2: super_step(scheme.stages.value(), scheme.tolerance); break;
      case Scheme::imex: implicit_reactions(scheme.tolerance); break;
      case Scheme::backward_euler: one_solve(1, 1); break;
      case Scheme::steady: one_solve(0, std::numeric_limits<double>::infinity()); break;
      case Scheme::sdirk2: sdirk2(scheme.tolerance); break;
      case Scheme::etdrk2:
      case Scheme::etdrk4: rates_of_fields(scheme.tolerance.has_value()); break;
      default: row.is_pair() ? pair(row, scheme.tolerance) : runge_kutta(row.stages);
    }
    if (!system_.after.empty()) replace_last(made);
    if (!system_.solved.empty() &&
        (!system_.after.empty() || (!scheme.tolerance && !row.is_implicit())))
      solve_last();
    if (error_ >= 0) make_field(error_);
    return std::move(made_);
  }

 private:
  // One more stage replaces new values. The stages before leave these in `state`.
  void replace_last(const Arrays& state) {
    for (Stage& stage : made_.stages)
      for (int& target : stage.targets)
        if (target < std::ssize(fields_)) target = state[target];
    Formulas formulas;
    Arrays replaced;
    for (const auto& [field, formula] : system_.after) {
      formulas.push_back(&formula);
      replaced.push_back(field);
    }
    evaluate(state, 1, formulas, [&](Level& to, int i, Term value) {
      std::vector<Made> results = {{replaced[i], value}};
      for (const int field : fields_)
        if (i == 0 && !system_.after.contains(field))
          results.emplace_back(field, to.value(state[field]));
      return results;
    });
  }

  // At the end of a step the solved fields follow from the new values of the others: stages leave
  // the first guess in other arrays, and one more stage makes the solution the fields.
  void solve_last() {
    Arrays state = fields_;
    Stage last{.tree = {}, .targets = {}, .time = 1};
    for (const SolvedField& solved : system_.solved) {
      const int array = state[solved.field] = new_array(solved.field);
      for (Stage& stage : made_.stages) std::ranges::replace(stage.targets, solved.field, array);
      last.tree.results.push_back(last.tree.value(array, {}));
      last.targets.push_back(solved.field);
    }
    last.solves = solves_for(state);
    made_.stages.push_back(std::move(last));
    made_.states.push_back(std::move(state));
    made_.evaluations.push_back(++evaluation_);
    if (!made_.of_conditions.empty()) made_.of_conditions.emplace_back();
  }

  // The weighted sum that the last stage needs is accumulated on the way, from left to right. A
  // stage must not write an array that it reads, so states and sums alternate between two arrays
  // each.
  void runge_kutta(const SchemeStages& stages) {
    const std::size_t last = stages.count - 1;
    const std::span weights(stages.at[last].weights);
    const std::size_t addends = last - std::ranges::count(weights.first(last), 0);
    std::array<Arrays, 2> states, sums;
    for (std::size_t i = 0; i < 2 && i < last; ++i) states[i] = copies();
    for (std::size_t i = 0; i < 2 && i < addends; ++i) sums[i] = copies();
    std::size_t summed = 0;
    for (std::size_t i = 0; i <= last; ++i) {
      const SchemeStage& stage = stages.at[i];
      const Arrays& state = i == 0 ? fields_ : states[(i - 1) % 2];
      const Arrays& next = i == last ? fields_ : states[i % 2];
      const bool adds = i < last && weights[i] != 0;
      evaluate(state, stage.time, next_or_rates(), [&](Level& to, int field, Term rate) {
        if (system_.next.contains(field)) return std::vector<Made>{{field, rate}};
        Term sum = to.product(weights[i], rate);
        if (summed > 0) sum = to.writer.sum(to.value(sums[(summed - 1) % 2][field]), sum);
        const Term rates = i == last ? sum : to.product(stage.weights[i], rate);
        std::vector<Made> made = {{next[field], after(stage, to, field, state[field], rates)}};
        if (adds) made.emplace_back(sums[summed % 2][field], sum);
        return made;
      });
      summed += adds;
    }
  }

  // The formulas of a step of euler: next values, and rates of the fields without one.
  Formulas next_or_rates() const {
    Formulas formulas = rates_;
    for (const auto& [field, formula] : system_.next) formulas[field] = &formula;
    return formulas;
  }

  // u + s, or (1 - share) u + share (y + s)
  static Term after(const SchemeStage& stage, Level& to, int u, int y, Term rates) {
    const Term value =
        to.writer.sum(to.value(stage.share < 1 ? y : u), to.change(rates, 1, stage.divisor));
    if (stage.share == 1) return value;
    return to.writer.sum(to.product(1 - stage.share, to.value(u)), to.product(stage.share, value));
  }

  // The weights of k_1, k_2, ... in the sums of a pair: a sum for each stage, and one for its
  // error.
  using PairSums = std::vector<std::array<double, 7>>;

  // The first stage after which the later stages need fewer sums than rates; sums.size() if there
  // is none. Sums that are begun there have two addends or more: further ones are then added with
  // the rounding of the whole sum.
  static std::size_t stage_that_begins_sums(const PairSums& sums) {
    for (std::size_t stage = 0; stage + 1 < sums.size(); ++stage) {
      const std::span later = std::span(sums).subspan(stage + 1);
      std::size_t rates = 0;
      for (std::size_t rate = 0; rate <= stage; ++rate)
        rates +=
            std::ranges::any_of(later, [&](const auto& sum) { return sum[rate] != 0; }) ? 1 : 0;
      const bool have_two = std::ranges::all_of(later, [&](const auto& sum) {
        return static_cast<std::size_t>(std::ranges::count(std::span(sum).first(stage + 1), 0)) <
               stage;
      });
      if (later.size() < rates && have_two) return stage;
    }
    return sums.size();
  }

  // A pair: the first stages store their rates, which later stages read. Later ones store the sums
  // of rates that the stages after them need, as far as the rates are known: fewer arrays.
  void pair(const SchemeRow& row, const std::optional<Tolerance>& tolerance) {
    const std::size_t count = row.stages.count;
    PairSums sums;
    for (std::size_t i = 0; i < count; ++i) sums.push_back(row.stages.at[i].weights);
    if (tolerance) {
      sums.push_back(sums.back());
      for (std::size_t i = 0; i < sums.back().size(); ++i) sums.back()[i] -= row.lower[i];
    }
    const std::size_t begins = stage_that_begins_sums(sums);
    std::vector<Arrays> rates(sums.size()), begun(sums.size());
    // The arrays of a sum up to the rate of `stage`. Every other stage has those of rates, which no
    // stage reads any more: a stage must not write what it reads.
    const auto sum_after = [&](std::size_t stage, std::size_t which) -> Arrays& {
      return (stage - begins) % 2 == 0 ? begun[which] : rates[which - begins - 2];
    };
    const auto store = [&](Arrays& arrays, int field, Term value, std::vector<Made>& results) {
      while (arrays.size() < fields_.size()) arrays.push_back(new_array(-1));
      results.emplace_back(arrays[field], value);
    };
    // The addends of a sum up to the rate of stage `last`, which is `rate`.
    const auto summed = [&](std::size_t which, std::size_t last, Level& to, int field, Term rate) {
      std::optional<Term> sum;
      std::size_t from = 0;
      if (last > begins) {
        sum = to.value(sum_after(last - 1, which)[field]);
        from = last;
      }
      for (std::size_t of = from; of <= last; ++of) {
        if (sums[which][of] == 0) continue;
        const Term addend =
            to.product(sums[which][of], of == last ? rate : to.value(rates[of][field]));
        sum = sum ? to.writer.sum(*sum, addend) : addend;
      }
      return *sum;
    };
    const std::array states = {copies(), copies()};
    for (std::size_t i = 0; i < count; ++i) {
      const Arrays& state = i == 0 ? fields_ : states[(i - 1) % 2];
      const Arrays& next = i + 1 == count && !tolerance ? fields_ : states[i % 2];
      evaluate(state, row.stages.at[i].time, rates_, [&](Level& to, int field, Term rate) {
        const Term sum = summed(i, i, to, field, rate);
        std::vector<Made> results = {{next[field], to.writer.sum(to.value(field), to.change(sum))}};
        if (i + 1 == sums.size()) return results;
        const Term stored = TreeWriter::of(to.writer.as_node(rate));
        if (i < begins) store(rates[i], field, stored, results);
        for (std::size_t later = i + 1; i >= begins && later < sums.size(); ++later)
          store(sum_after(i, later), field, summed(later, i, to, field, stored), results);
        return results;
      });
    }
    if (!tolerance) return;
    measure_error(states[(count - 1) % 2], *tolerance, [&](Level& to, std::vector<Term> rates_now) {
      for (const int field : fields_)
        rates_now[field] = to.change(summed(count, count, to, field, rates_now[field]));
      return rates_now;
    });
  }

  // The stages of etdrk2 and etdrk4, which apply them to several states: they replace fields by
  // rates.
  void rates_of_fields(bool measures_error) {
    const int error = measures_error ? new_array(-1) : -1;
    evaluate(fields_, 0, rates_, [&](Level&, int field, Term rate) {
      std::vector<Made> results = {{field, rate}};
      if (measures_error && field == fields_.back())
        results.emplace_back(error, TreeWriter::scalar(0));
      return results;
    });
    error_ = error;
  }

  // The rate of a field is taken at the middle of the step, or at its end if it reads fields that
  // were stepped before. These are new then, while the field itself is half a step later.
  void leapfrog(const Arrays& new_values) {
    Arrays newest = fields_;
    for (const int field : fields_) {
      const std::size_t first = made_.stages.size();
      const int target = new_values[field];
      evaluate(
          newest, fields_.size() == 1 ? 0 : 0.5, {rates_[field]}, [&](Level& to, int, Term rate) {
            return std::vector<Made>{{target, to.writer.sum(to.value(field), to.change(rate))}};
          });
      const std::span made(made_.stages.begin() + static_cast<std::ptrdiff_t>(first),
                           made_.stages.end());
      const auto is_new = [&](int array) {
        return std::ranges::count(std::span(new_values).first(static_cast<std::size_t>(field)),
                                  array) > 0;
      };
      const bool reads_new =
          std::ranges::any_of(
              made,
              [&](const Stage& stage) {
                return std::ranges::any_of(stage.tree.operations, [&](const StageOperation& node) {
                  return node.operation == Operation::value && is_new(node.index);
                });
              }) ||
          std::ranges::any_of(made_.convolutions, [&](const StageConvolution& one) {
            return one.evaluation == evaluation_ && is_new(one.source);
          });
      if (reads_new)
        for (Stage& stage : made) stage.time = 1;
      newest[field] = target;
    }
  }

  // y_j = u + (mu (y_(j-1) - u) + (nu (y_(j-2) - u) + (m dt f(y_(j-1)) + g dt f(u))))
  // With a tolerance, the error follows from dt^3 u''' = 12 (u - v + dt (f(u) + f(v)) / 2), the
  // error of the trapezoidal rule, where v is the new state.
  void super_step(int count, const std::optional<Tolerance>& tolerance) {
    const Arrays first_rates = copies();
    std::array<Arrays, 3> made;  // y_j is in made[j % 3]
    for (int j = 1; j < count + (tolerance ? 1 : 0) && j < 4; ++j) made[j % 3] = copies();
    int j = 0;
    for (const SuperStage& stage : super_stages(count)) {
      ++j;
      const Arrays& state = j == 1 ? fields_ : made[(j - 1) % 3];
      const Arrays& before = made[(j + 1) % 3];
      const Arrays& next = j == count && !tolerance ? fields_ : made[j % 3];
      evaluate(state, stage.time, rates_, [&](Level& to, int field, Term rate) {
        const auto times = [&](double number, Term term) {
          return to.product(number, term, false);
        };
        const auto change = [&](int array) {
          return to.writer.sum(to.value(array), to.writer.negative(to.value(field)));
        };
        Term sum = to.change(rate, stage.of_rate);
        if (j > 1)
          sum = to.writer.sum(sum, to.change(to.value(first_rates[field]), stage.of_first_rate));
        if (j > 2) sum = to.writer.sum(times(stage.nu, change(before[field])), sum);
        if (j > 1) sum = to.writer.sum(times(stage.mu, change(state[field])), sum);
        std::vector<Made> results = {{next[field], to.writer.sum(to.value(field), sum)}};
        if (j == 1) results.emplace_back(first_rates[field], rate);
        return results;
      });
    }
    if (!tolerance) return;
    const Arrays& last = made[count % 3];
    measure_error(last, *tolerance, [&](Level& to, const std::vector<Term>& rates) {
      std::vector<Term> errors = trapezoidal_errors(to, last, first_rates, rates);
      for (Term& error : errors) error = to.product(super_step_error(count), error, false);
      return errors;
    });
  }
};

}  // namespace

int StageMaker::meaning_number(const Formula& formula, int node) {
  if (const auto known = meanings_.find({&formula, node}); known != meanings_.end())
    return known->second;
  const FormulaNode& at = formula.nodes[node];
  std::string text = at.kind == Kind::number
                         ? fmt::format("{}", at.number)
                         : fmt::format("{}:{}", static_cast<int>(at.kind), at.name);
  for (const int operand : at.operands)
    text += fmt::format(",{}", meaning_number(formula, operand));
  if (names_.noise)
    if (const auto use = names_.noise->uses.find({&formula, node}); use != names_.noise->uses.end())
      text += fmt::format(" {}", use->second);
  const int next = static_cast<int>(texts_.size());
  return meanings_[{&formula, node}] = texts_.try_emplace(text, next).first->second;
}

StepStages step_stages(const FormulaSystem& system, TimeScheme scheme, double time_step) {
  return with_conditions(StepMaker(system).of_step(scheme, time_step), system);
}

StepStages rate_stages(const FormulaSystem& system) {
  return with_conditions(StageMaker(system).of_rates(), system);
}

FormulaSystem implicit_rates(FormulaSystem system) {
  for (const SolvedField& solved : system.solved)
    system.rates[static_cast<std::size_t>(solved.field)] = parse_formula(
        solved.left.name, fmt::format("({}) - ({})", solved.left.text, solved.right.text));
  system.solved.clear();
  return system;
}

std::string why_not_implicit(const FormulaSystem& system) try {
  const StepStages rates = rate_stages(implicit_rates(system));
  if (std::ranges::any_of(rates.stages,
                          [](const Stage& stage) { return !stage.reductions.empty(); }))
    return "a rate, or a condition in it, reads a number of the whole grid";
  if (!rates.convolutions.empty()) return "a rate reads a convolution over the grid";
  if (stages_reach(rates.stages) > 1)
    return "a rate, or a condition in it, reads further than one cell away, as advect, flux and "
           "laplacian(u, 4) do";
  return {};
} catch (const FormulaError& error) {
  return error.what();
}

StepStages solve_stages(const FormulaSystem& system, const Formula& side, int field) {
  return with_conditions(StageMaker(system).of_solve(side, field), system);
}

StepStages value_stages(const FormulaSystem& system, const Formula& formula, double outside) {
  return with_conditions(StageMaker(system).of_values({&formula}), system, outside);
}

StepStages volume_stages(const FormulaSystem& system, const Formula& formula,
                         const CellRanges& cells) {
  return with_conditions(StageMaker(system).of_volume(formula, cells), system);
}

StepStages face_stages(const FormulaSystem& system, const Formula& formula,
                       const CellFaces& faces) {
  return with_conditions(StageMaker(system).of_faces(formula, faces), system);
}

}  // namespace lapl
