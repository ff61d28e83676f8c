#include "solver/equation/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>

#include "solver/equation/super_steps.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

// The part of a formula as one text, equal where what it says is equal.
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
    check_quantities();
    for (const auto& [name, array] : names_.arrays)
      made_.like.resize(std::max(made_.like.size(), static_cast<std::size_t>(array) + 1));
    for (std::size_t array = 0; array < made_.like.size(); ++array)
      made_.like[array] = static_cast<int>(array);
    for (std::size_t field = 0; field < system_.rates.size(); ++field)
      fields_.push_back(static_cast<int>(field));
  }

  StepStages of_step(TimeScheme scheme, double dt) {
    switch (scheme.kind) {
      case Scheme::euler: euler_stage(fields_, fields_, 0, dt, 1); break;
      case Scheme::heun: {
        const auto v = copies();
        euler_stage(fields_, v, 0, dt, 1);
        euler_stage(v, fields_, 1, dt, 0.5);
        break;
      }
      case Scheme::ssprk3: {
        const auto v = copies(), w = copies();
        euler_stage(fields_, v, 0, dt, 1);
        euler_stage(v, w, 1, dt, 0.25);
        euler_stage(w, fields_, 0.5, dt, 2.0 / 3);
        break;
      }
      case Scheme::rk4: runge_kutta(dt); break;
      case Scheme::rkl2: super_step(scheme.stages, dt); break;
      case Scheme::leapfrog:
        for (const int field : fields_)
          evaluate(fields_, 0, {{&system_.rates[field], {field}, [&](Writing to, Term rate) {
                                   return std::vector{to.writer.node_of(
                                       step(to, to.tree.value(field, {}), dt, rate))};
                                 }}});
        break;
    }
    return std::move(made_);
  }

  const std::set<std::string>& names_read_by(const Formula& formula) {
    made_.stages.clear();
    made_.used.clear();
    evaluate(fields_, 0, {{&formula, {-1}, [](Writing to, Term value) {
                             return std::vector{to.writer.node_of(value)};
                           }}});
    return made_.used;
  }

  StepStages of_values(const std::vector<const Formula*>& formulas) {
    std::vector<Target> targets;
    for (const Formula* const formula : formulas)
      targets.push_back({formula, {-1}, [](Writing to, Term value) {
                           return std::vector{to.writer.node_of(value)};
                         }});
    evaluate(fields_, 0, targets);
    // After those of the quantities that they read.
    for (int& array : made_.stages.back().targets) array = new_array(-1);
    return std::move(made_);
  }

 private:
  struct Writing {
    TreeWriter& writer;
    StageTree& tree;
  };
  // What a formula's value makes of some arrays.
  struct Target {
    const Formula* formula;
    std::vector<int> arrays;
    std::function<std::vector<int>(Writing, Term)> results;
  };
  // A stage under way.
  struct Level {
    Stage stage;
    TreeWriter writer;
    Level(StageMaker& maker, double time)
        : stage{.tree = {}, .targets = {}, .time = time},
          writer(maker.names_, stage.tree, maker.made_.used,
                 [&maker](NestedQuantity part) { return maker.array_of(part); }) {}
  };

  // base + dt rate
  static Term step(Writing to, int base, double dt, Term rate) {
    return to.writer.sum(TreeWriter::of(base),
                         to.writer.product(TreeWriter::scalar(dt, false), rate));
  }

  // targets = (1 - share) u + share (state + dt f(state))
  void euler_stage(const std::vector<int>& state, const std::vector<int>& targets, double time,
                   double dt, double share) {
    std::vector<Target> all;
    for (const int field : fields_)
      all.push_back({&system_.rates[field], {targets[field]}, [&, field](Writing to, Term rate) {
                       Term value = step(to, to.tree.value(state[field], {}), dt, rate);
                       if (share != 1)
                         value = to.writer.sum(
                             to.writer.product(TreeWriter::scalar(1 - share),
                                               TreeWriter::of(to.tree.value(field, {}))),
                             to.writer.product(TreeWriter::scalar(share), value));
                       return std::vector{to.writer.node_of(value)};
                     }});
    evaluate(state, time, all);
  }

  void runge_kutta(double dt) {
    // Of each evaluation: where its rates go on to, and how far; the sum of the rates so far.
    const auto v = copies(), w = copies(), sum = copies(), next_sum = copies();
    struct Evaluation {
      const std::vector<int>*state, *next, *sum, *next_sum;
      double time, next_share, weight;
    };
    for (const Evaluation& at : {Evaluation{&fields_, &v, nullptr, &sum, 0, 0.5, 1},
                                 Evaluation{&v, &w, &sum, &next_sum, 0.5, 0.5, 2},
                                 Evaluation{&w, &v, &next_sum, &sum, 0.5, 1, 2},
                                 Evaluation{&v, nullptr, &sum, nullptr, 1, 0, 1}}) {
      std::vector<Target> all;
      for (const int field : fields_) {
        const auto results = [&, field](Writing to, Term rate) {
          const auto value = [&](int array) { return TreeWriter::of(to.tree.value(array, {})); };
          Term total = to.writer.product(TreeWriter::scalar(at.weight), rate);
          if (at.sum) total = to.writer.sum(value((*at.sum)[field]), total);
          if (!at.next)
            return std::vector{to.writer.node_of(step(to, value(field).node, dt / 6, total))};
          return std::vector{
              to.writer.node_of(step(to, value(field).node, at.next_share * dt, rate)),
              to.writer.node_of(total)};
        };
        all.push_back(
            {&system_.rates[field],
             at.next ? std::vector{(*at.next)[field], (*at.next_sum)[field]} : std::vector{field},
             results});
      }
      evaluate(*at.state, at.time, all);
    }
  }

  // y_j = u + (mu (y_(j-1) - u) + (nu (y_(j-2) - u) + (m dt f(y_(j-1)) + g dt f(u))))
  void super_step(int count, double dt) {
    const std::vector<int> first_rates = copies();
    std::array<std::vector<int>, 3> made;  // y_j: made[j % 3]
    for (int j = 1; j < count && j < 4; ++j) made[j % 3] = copies();
    int j = 0;
    for (const SuperStage& stage : super_stages(count)) {
      ++j;
      const auto& state = j == 1 ? fields_ : made[(j - 1) % 3];
      const auto& before = made[(j + 1) % 3];
      const auto& next = j == count ? fields_ : made[j % 3];
      std::vector<Target> all;
      for (const int field : fields_) {
        const auto results = [&, field](Writing to, Term rate) {
          const auto value = [&](int array) { return TreeWriter::of(to.tree.value(array, {})); };
          const auto times = [&](double factor, Term term) {
            return to.writer.product(TreeWriter::scalar(factor, false), term);
          };
          const auto change = [&](int array) {
            return to.writer.sum(value(array), to.writer.negative(value(field)));
          };
          Term sum = times(stage.of_rate * dt, rate);
          if (j > 1)
            sum = to.writer.sum(sum, times(stage.of_first_rate * dt, value(first_rates[field])));
          if (j > 2) sum = to.writer.sum(times(stage.nu, change(before[field])), sum);
          if (j > 1) sum = to.writer.sum(times(stage.mu, change(state[field])), sum);
          std::vector made_here = {to.writer.node_of(to.writer.sum(value(field), sum))};
          if (j == 1) made_here.push_back(to.writer.node_of(rate));
          return made_here;
        };
        all.push_back(
            {&system_.rates[field],
             j == 1 ? std::vector{next[field], first_rates[field]} : std::vector{next[field]},
             results});
      }
      evaluate(state, stage.time, all);
    }
  }

  // Appends the stages that make `targets` where the fields are those of `state`.
  void evaluate(const std::vector<int>& state, double time, const std::vector<Target>& targets) {
    for (const int field : fields_) names_.arrays[system_.rates[field].name] = state[field];
    levels_.clear();
    computed_.clear();
    time_ = time;
    Level last(*this, time);
    for (const Formula* const quantity : in_arrays_)
      make(*quantity, quantity->whole(), names_.arrays.at(quantity->name));
    for (const Target& target : targets) {
      const std::vector<int> results =
          target.results({last.writer, last.stage.tree}, last.writer.write(*target.formula));
      last.stage.tree.results.insert(last.stage.tree.results.end(), results.begin(), results.end());
      last.stage.targets.insert(last.stage.targets.end(), target.arrays.begin(),
                                target.arrays.end());
    }
    for (const auto& level : levels_)
      if (!level->stage.targets.empty()) add(level->stage);
    add(last.stage);
  }

  void add(const Stage& stage) {
    made_.stages.push_back({without_unused(stage.tree), stage.targets, stage.time});
  }

  // The array of a quantity that a stencil reads, which an earlier stage makes.
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
    while (levels_.size() <= at) levels_.push_back(std::make_unique<Level>(*this, time_));
    Level& level = *levels_[at];
    const Term value = level.writer.write(NestedQuantity{&formula, node});
    level.stage.tree.results.push_back(level.writer.node_of(value));
    level.stage.targets.push_back(array);
  }

  // How many stages come before the one that can evaluate a part.
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

  std::vector<int> copies() {
    std::vector<int> arrays;
    for (const int field : fields_) arrays.push_back(new_array(field));
    return arrays;
  }
  int new_array(int like) {
    made_.like.push_back(like);
    return static_cast<int>(made_.like.size()) - 1;
  }

  // None is made of itself, or of so many operations one upon the other that the functions here,
  // which call themselves for each, could use up the stack.
  void check_quantities() const {
    std::map<std::string, int, std::less<>> depths;  // of the quantities that are right
    std::set<std::string> open;
    const std::function<int(const Formula&)> depth_of = [&](const Formula& formula) {
      if (const auto known = depths.find(formula.name); known != depths.end()) return known->second;
      open.insert(formula.name);
      std::vector<int> depth_at;
      for (const FormulaNode& node : formula.nodes) {
        const auto refuse = [&](const std::string& what) {
          FormulaError error(node.at, what);
          error.of = formula.name;
          error.text = formula.text;
          throw error;
        };
        int depth = 0;
        for (const int operand : node.operands) depth = std::max(depth, depth_at[operand] + 1);
        if (const auto quantity = names_.quantities.find(node.name);
            node.kind == Kind::name && quantity != names_.quantities.end()) {
          if (open.contains(node.name)) refuse(fmt::format("{} is made of itself", node.name));
          if (open.size() <= formula_depth_limit) depth = depth_of(*quantity->second) + 1;
        }
        if (depth > formula_depth_limit || open.size() > formula_depth_limit)
          refuse(
              fmt::format("more than {} operations one upon the other, with those of the "
                          "quantities that it reads",
                          formula_depth_limit));
        depth_at.push_back(depth);
      }
      open.erase(formula.name);
      return depths[formula.name] = depth_at.back();
    };
    for (const Formula& quantity : system_.quantities) depth_of(quantity);
  }

  using Part = std::pair<const Formula*, int>;
  const FormulaSystem& system_;
  FormulaNames names_;
  StepStages made_;
  std::vector<int> fields_;
  std::vector<const Formula*> in_arrays_;  // quantities that a law is given for
  std::map<std::string, int> arrays_of_parts_;
  std::set<int> computed_;  // arrays, in the evaluation under way
  std::vector<std::unique_ptr<Level>> levels_;
  double time_ = 0;
  std::map<Part, std::size_t> orders_;
  std::map<Part, bool> stencils_;
};

StepStages step_stages(const FormulaSystem& system, TimeScheme scheme, double time_step) {
  return StageMaker(system).of_step(scheme, time_step);
}

StepStages rate_stages(const FormulaSystem& system) {
  std::vector<const Formula*> rates;
  for (const Formula& rate : system.rates) rates.push_back(&rate);
  return StageMaker(system).of_values(rates);
}

StepStages value_stages(const FormulaSystem& system, const Formula& formula) {
  return StageMaker(system).of_values({&formula});
}

StageCheck::StageCheck(const FormulaSystem& system)
    : maker_(std::make_unique<StageMaker>(system)) {}
StageCheck::~StageCheck() = default;

const std::set<std::string>& StageCheck::names_read_by(const Formula& formula) {
  return maker_->names_read_by(formula);
}

}  // namespace lapl
