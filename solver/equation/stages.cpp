#include "solver/equation/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "solver/equation/check_quantities.hpp"
#include "solver/equation/masked_stages.hpp"
#include "solver/equation/reactions.hpp"
#include "solver/equation/stage_in_making.hpp"
#include "solver/equation/super_steps.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;
using Formulas = std::vector<const Formula*>;

// The text of a part of a formula, the same for parts that mean the same.
std::string part_text(const Formula& formula, int node) {
  const FormulaNode& at = formula.nodes[node];
  std::string text = at.kind == Kind::number
                         ? fmt::format("{}", at.number)
                         : fmt::format("{}:{}", static_cast<int>(at.kind), at.name);
  for (const int operand : at.operands) text += '(' + part_text(formula, operand) + ')';
  return text;
}

}  // namespace

class StageMaker {
 public:
  explicit StageMaker(const FormulaSystem& system) : system_(system), names_(system.names) {
    for (const Formula& quantity : system_.quantities) {
      names_.quantities[quantity.name] = &quantity;
      if (names_.arrays.contains(quantity.name)) in_arrays_.push_back(&quantity);
    }
    check_quantities(system_.quantities);
    if (names_.noise) names_.noise->find(system_.rates, system_.quantities);
    for (const auto& [name, array] : names_.arrays)
      made_.like.resize(std::max(made_.like.size(), static_cast<std::size_t>(array) + 1));
    for (std::size_t array = 0; array < made_.like.size(); ++array)
      made_.like[array] = static_cast<int>(array);
    for (const Formula& rate : system_.rates) {
      fields_.push_back(static_cast<int>(fields_.size()));
      rates_.push_back(&rate);
    }
  }

  StepStages of_step(TimeScheme scheme, double dt) {
    if (!scheme.varies) dt_ = dt;
    if (names_.noise) names_.noise->dt = dt_;
    const SchemeRow& row = row_of(scheme.kind);
    switch (scheme.kind) {
      case Scheme::leapfrog: leapfrog(); break;
      case Scheme::rkl2: super_step(scheme.stages, scheme.tolerance); break;
      case Scheme::imex: implicit_reactions(scheme.tolerance); break;
      case Scheme::etdrk2:
      case Scheme::etdrk4: rates_of_fields(scheme.tolerance.has_value()); break;
      default: row.is_pair() ? pair(row, scheme.tolerance) : runge_kutta(row.stages);
    }
    return std::move(made_);
  }

  StepStages of_rates() { return of_values(rates_); }

  StepStages of_values(const Formulas& formulas) {
    without_noise();
    evaluate(fields_, 0, formulas, value_alone);
    // New arrays come last, after those of the quantities that the formulas read.
    for (int& array : made_.stages.back().targets) array = new_array(-1);
    return std::move(made_);
  }

  const std::set<std::string>& names_read_by(const Formula& formula) {
    made_.stages.clear();
    made_.used.clear();
    without_noise();
    evaluate(fields_, 0, {&formula}, value_alone);
    return made_.used;
  }

 private:
  using Arrays = std::vector<int>;  // one for each field

  using Level = StageInMaking;
  using Made = std::pair<int, Term>;  // an array and its new value
  // Makes the values to store from a formula's index and value.
  using Results = std::function<std::vector<Made>(Level&, int, Term)>;

  static std::vector<Made> value_alone(Level&, int, Term value) { return {{-1, value}}; }

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
      evaluate(state, stage.time, rates_, [&](Level& to, int field, Term rate) {
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

  // u + s, or (1 - share) u + share (y + s)
  static Term after(const SchemeStage& stage, Level& to, int u, int y, Term rates) {
    const Term value =
        to.writer.sum(to.value(stage.share < 1 ? y : u), to.change(rates, 1, stage.divisor));
    if (stage.share == 1) return value;
    return to.writer.sum(to.product(1 - stage.share, to.value(u)), to.product(stage.share, value));
  }

  // Stages keep their rates for those after them.
  void pair(const SchemeRow& row, const std::optional<Tolerance>& tolerance) {
    const std::size_t count = row.stages.count;
    std::vector<Arrays> rates(tolerance ? count : count - 1);
    for (Arrays& of : rates)
      while (of.size() < fields_.size()) of.push_back(new_array(-1));
    using Weights = std::array<double, 7>;
    const auto weighted = [&](const Weights& weights, std::size_t last, Level& to, int field,
                              Term rate) {
      std::optional<Term> sum;
      for (std::size_t of = 0; of <= last; ++of) {
        if (weights[of] == 0) continue;
        const Term addend = to.product(weights[of], of == last ? rate : to.value(rates[of][field]));
        sum = sum ? to.writer.sum(*sum, addend) : addend;
      }
      return *sum;
    };
    const std::array states = {copies(), copies()};
    for (std::size_t i = 0; i < count; ++i) {
      const Arrays& state = i == 0 ? fields_ : states[(i - 1) % 2];
      const Arrays& next = i + 1 == count && !tolerance ? fields_ : states[i % 2];
      const SchemeStage& stage = row.stages.at[i];
      evaluate(state, stage.time, rates_, [&](Level& to, int field, Term rate) {
        const Term sum = weighted(stage.weights, i, to, field, rate);
        std::vector<Made> results = {{next[field], to.writer.sum(to.value(field), to.change(sum))}};
        if (i < rates.size()) results.emplace_back(rates[i][field], rate);
        return results;
      });
    }
    if (!tolerance) return;
    Weights of_error = row.stages.at[count - 1].weights;
    for (std::size_t i = 0; i < of_error.size(); ++i) of_error[i] -= row.lower[i];
    measure_error(states[(count - 1) % 2], *tolerance, [&](Level& to, std::vector<Term> rates_now) {
      for (const int field : fields_)
        rates_now[field] = to.change(weighted(of_error, count, to, field, rates_now[field]));
      return rates_now;
    });
  }

  // One more stage, which evaluates the rates at the new values in `made`: makes them those of the
  // fields, and stores the step's error. `errors_of` makes the error of each field from the rates.
  void measure_error(const Arrays& made, const Tolerance& tolerance,
                     const std::function<std::vector<Term>(Level&, std::vector<Term>)>& errors_of) {
    const int error = new_array(-1);
    evaluate_all(made, 1, [&](Level& to, const std::vector<Term>& rates) {
      const std::vector<Term> errors = errors_of(to, rates);
      std::optional<Term> largest;
      std::vector<Made> results;
      for (const int field : fields_) {
        const Term scaled = to.scaled_error(errors[field], field, made[field], tolerance);
        largest = largest ? to.larger_or_nan(*largest, scaled) : scaled;
        results.emplace_back(field, to.value(made[field]));
      }
      results.emplace_back(error, *largest);
      return results;
    });
    make_field(error);
  }

  // Makes an array of stages the field after those of the state.
  void make_field(int made) {
    const int place = static_cast<int>(fields_.size());
    const auto moved = [&](int array) {
      return array == made ? place : array >= place && array < made ? array + 1 : array;
    };
    for (Stage& stage : made_.stages) {
      for (StageOperation& node : stage.tree.operations)
        if (node.operation == Operation::value) node.index = moved(node.index);
      for (int& target : stage.targets) target = moved(target);
    }
    made_.like.erase(made_.like.begin() + made);
    made_.like.insert(made_.like.begin() + place, -1);
    made_.measures_error = true;
  }

  // The stages that such a step applies to several states; they make the fields their rates.
  void rates_of_fields(bool measures_error) {
    const int error = measures_error ? new_array(-1) : -1;
    evaluate(fields_, 0, rates_, [&](Level&, int field, Term rate) {
      std::vector<Made> results = {{field, rate}};
      if (measures_error && field == fields_.back())
        results.emplace_back(error, TreeWriter::scalar(0));
      return results;
    });
    if (measures_error) make_field(error);
  }

  void leapfrog() {
    for (const int field : fields_)
      evaluate(fields_, 0, {rates_[field]}, [&](Level& to, int, Term rate) {
        return std::vector<Made>{{field, to.writer.sum(to.value(field), to.change(rate))}};
      });
  }

  // y_j = u + (mu (y_(j-1) - u) + (nu (y_(j-2) - u) + (m dt f(y_(j-1)) + g dt f(u))))
  // With a tolerance, the error follows from dt^3 u''' = 12 (u - u' + dt (f(u) + f(u')) / 2), the
  // error of the trapezoidal rule.
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

  // u - u' + dt (f(u) + f(u')) / 2
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

  // With S = (1 - gamma dt J)^-1 and the derivatives J of the reactions at u:
  //
  //   k = S f(u), y = u + gamma dt k, u' = y + dt / (2 gamma) S (f(y) - 2 gamma k)
  //
  // The error is S (u - u' + dt (f(u) + f(u')) / 2).
  void implicit_reactions(const std::optional<Tolerance>& tolerance) {
    const SplitSystem split(system_);
    const double gamma = 1 - std::sqrt(0.5);
    const auto solve = [&](Level& to, const std::vector<Term>& right) {
      return solve_reactions(
          split, to.stage.tree, made_.used, [&](Term term) { return to.change(term, gamma); },
          right);
    };
    const Arrays middle = copies(), increments = copies();
    const Arrays rates = tolerance ? copies() : Arrays(), made = tolerance ? copies() : fields_;
    evaluate_all(fields_, 0, [&](Level& to, const std::vector<Term>& at_start) {
      const std::vector<Term> solved = solve(to, at_start);
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
      for (const int field : fields_)
        right[field] =
            to.writer.sum(right[field], to.product(-2 * gamma, to.value(increments[field]), false));
      const std::vector<Term> solved = solve(to, right);
      std::vector<Made> results;
      for (const int field : fields_)
        results.emplace_back(made[field], to.writer.sum(to.value(middle[field]),
                                                        to.change(solved[field], 1 / (2 * gamma))));
      return results;
    });
    if (tolerance)
      measure_error(made, *tolerance, [&](Level& to, const std::vector<Term>& at_end) {
        return solve(to, trapezoidal_errors(to, made, rates, at_end));
      });
  }

  // The same as evaluate() of the rates, with one call for all of them.
  void evaluate_all(
      const Arrays& state, double time,
      const std::function<std::vector<Made>(Level&, const std::vector<Term>&)>& results) {
    std::vector<Term> rates;
    evaluate(state, time, rates_, [&](Level& to, int, Term rate) {
      rates.push_back(rate);
      return rates.size() < rates_.size() ? std::vector<Made>() : results(to, rates);
    });
  }

  // Appends the stages that evaluate `formulas` on the fields in `state` and store `results`.
  void evaluate(const Arrays& state, double time, const Formulas& formulas,
                const Results& results) {
    for (const int field : fields_) names_.arrays[rates_[field]->name] = state[field];
    levels_.clear();
    computed_.clear();
    time_ = time;
    const std::unique_ptr<Level> made = new_level();
    Level& last = *made;
    for (const Formula* const quantity : in_arrays_) refuse_noise(*quantity);
    for (const Formula* const quantity : in_arrays_)
      make(*quantity, quantity->whole(), names_.arrays.at(quantity->name));
    for (int i = 0; i < std::ssize(formulas); ++i) {
      const Term formula = last.writer.write(*formulas[i]);
      for (const auto& [array, value] : results(last, i, formula)) {
        last.stage.tree.results.push_back(last.writer.node_of(value));
        last.stage.targets.push_back(array);
      }
    }
    for (const auto& level : levels_)
      if (!level->stage.targets.empty()) add(level->stage);
    add(last.stage);
  }

  std::unique_ptr<Level> new_level() {
    return std::make_unique<Level>(
        names_, made_.used, [this](auto part) { return array_of(part); }, dt_, time_);
  }

  void add(const Stage& stage) {
    made_.stages.push_back({without_unused(stage.tree), stage.targets, stage.time});
  }

  void without_noise() {
    if (names_.noise) names_.noise->is_zero = true;
  }
  void refuse_noise(const Formula& quantity) const {
    if (!names_.noise || !names_.noise->holders.contains({&quantity, quantity.whole()})) return;
    FormulaError error(0, fmt::format("{} is made of noise and has a law at a side, so it would be "
                                      "read at neighbours (expected a quantity without noise)",
                                      quantity.name));
    error.of = quantity.name;
    error.text = quantity.text;
    throw error;
  }

  // The array that holds an argument with a stencil operator in it; an earlier stage fills it.
  std::optional<int> array_of(NestedQuantity part) {
    if (!holds_stencil(*part.formula, part.node)) return std::nullopt;
    const auto [known, is_new] =
        arrays_of_parts_.try_emplace(part_text(*part.formula, part.node), 0);
    if (is_new) known->second = new_array(-1);
    const int array = known->second;
    if (computed_.insert(array).second) make(*part.formula, part.node, array);
    return array;
  }

  void make(const Formula& formula, int node, int array) {
    const std::size_t at = order_of(formula, node);
    while (levels_.size() <= at) levels_.push_back(new_level());
    Level& level = *levels_[at];
    const Term value = level.writer.write(NestedQuantity{&formula, node});
    level.stage.tree.results.push_back(level.writer.node_of(value));
    level.stage.targets.push_back(array);
  }

  // The number of stages that must come before the one that evaluates this part.
  std::size_t order_of(const Formula& formula, int node) {
    const auto known = orders_.find({&formula, node});
    if (known != orders_.end()) return known->second;
    const FormulaNode& at = formula.nodes[node];
    std::size_t order = 0;
    if (at.kind == Kind::name) {
      if (const auto quantity = names_.quantities.find(at.name);
          quantity != names_.quantities.end())
        order = order_of(*quantity->second, quantity->second->whole()) +
                (names_.arrays.contains(at.name) ? 1 : 0);
    } else {
      const bool stencil = is_stencil(at);
      for (const int operand : at.operands)
        order = std::max(order, order_of(formula, operand) +
                                    (stencil && holds_stencil(formula, operand) ? 1 : 0));
    }
    return orders_[{&formula, node}] = order;
  }

  bool holds_stencil(const Formula& formula, int node) {
    const auto known = stencils_.find({&formula, node});
    if (known != stencils_.end()) return known->second;
    const FormulaNode& at = formula.nodes[node];
    bool holds = is_stencil(at);
    if (at.kind == Kind::name && !names_.arrays.contains(at.name))
      if (const auto quantity = names_.quantities.find(at.name);
          quantity != names_.quantities.end())
        holds = holds_stencil(*quantity->second, quantity->second->whole());
    for (const int operand : at.operands) holds = holds || holds_stencil(formula, operand);
    return stencils_[{&formula, node}] = holds;
  }

  static bool is_stencil(const FormulaNode& node) {
    const FormulaFunction* const function =
        node.kind == Kind::call ? formula_function(node.name) : nullptr;
    return function && function->kind == FormulaFunction::Kind::stencil;
  }

  Arrays copies() {
    Arrays arrays;
    for (const int field : fields_) arrays.push_back(new_array(field));
    return arrays;
  }
  int new_array(int like) {
    made_.like.push_back(like);
    return static_cast<int>(made_.like.size()) - 1;
  }

  using Part = std::pair<const Formula*, int>;
  const FormulaSystem& system_;
  FormulaNames names_;
  StepStages made_;
  Arrays fields_;
  Formulas rates_;
  Formulas in_arrays_;  // quantities that have laws
  std::map<std::string, int> arrays_of_parts_;
  std::set<int> computed_;  // arrays already filled in the current evaluation
  std::vector<std::unique_ptr<Level>> levels_;
  double time_ = 0;
  std::optional<double> dt_;  // unset where it differs from step to step
  std::map<Part, std::size_t> orders_;
  std::map<Part, bool> stencils_;
};

StepStages step_stages(const FormulaSystem& system, TimeScheme scheme, double time_step) {
  return masked(StageMaker(system).of_step(scheme, time_step), system);
}

StepStages rate_stages(const FormulaSystem& system) {
  return masked(StageMaker(system).of_rates(), system);
}

StepStages value_stages(const FormulaSystem& system, const Formula& formula, double outside) {
  return masked(StageMaker(system).of_values({&formula}), system, outside);
}

StageCheck::StageCheck(const FormulaSystem& system)
    : maker_(std::make_unique<StageMaker>(system)) {}
StageCheck::~StageCheck() = default;

const std::set<std::string>& StageCheck::names_read_by(const Formula& formula) {
  return maker_->names_read_by(formula);
}

}  // namespace lapl
