// Writes formulas as stages. If an operator acts on the result of another operator, an earlier
// stage computes that result, so a rate may take several stages.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "solver/equation/check_quantities.hpp"
#include "solver/equation/side_stages.hpp"
#include "solver/equation/stage_in_making.hpp"
#include "solver/equation/stages.hpp"

namespace lapl {

/// Makes the stages of rates and values; its subclass StepMaker makes those of steps.
class StageMaker {
 public:
  using Formulas = std::vector<const Formula*>;

  /// Keeps a reference to `system`. Throws FormulaError where a quantity reads itself or is nested
  /// too deeply.
  explicit StageMaker(const FormulaSystem& system) : system_(system), names_(system.names) {
    for (const Formula& quantity : system_.quantities) {
      names_.quantities[quantity.name] = &quantity;
      if (names_.arrays.contains(quantity.name)) in_arrays_.push_back(&quantity);
    }
    check_quantities(system_.quantities);
    names_.reduce = [this](const ReducedPart& reduced) { return reduction_index(reduced); };
    names_.convolve = [this](const ConvolvedPart& convolved) { return convolution(convolved); };
    made_.first_window = system_.systems() + 1;
    if (names_.noise) names_.noise->find(system_.rates, system_.next, system_.quantities);
    for (const auto& [name, array] : names_.arrays)
      made_.like.resize(std::max(made_.like.size(), static_cast<std::size_t>(array) + 1));
    for (std::size_t array = 0; array < made_.like.size(); ++array)
      made_.like[array] = static_cast<int>(array);
    for (const Formula& rate : system_.rates) {
      fields_.push_back(static_cast<int>(fields_.size()));
      rates_.push_back(&rate);
    }
  }

  StepStages of_rates() {
    without_noise();
    evaluate(fields_, 0, rates_, [&](Level& to, int field, Term rate) {
      return std::vector<Made>{{-1, where_free(to, field, rate)}};
    });
    return with_results_last();
  }

  StepStages of_solve(const Formula& side, int solved) {
    without_noise();
    evaluate(fields_, 0, {&side}, [&](Level& to, int, Term value) {
      return std::vector<Made>{{-1, where_free(to, solved, value)}};
    });
    return with_results_last();
  }

  StepStages of_values(const Formulas& formulas) {
    without_noise();
    evaluate(fields_, 0, formulas, value_alone);
    return with_results_last();
  }

  StepStages of_volume(const Formula& formula, const CellRanges& cells);
  StepStages of_faces(const Formula& formula, const CellFaces& faces);

  /// The names that a formula, of cells or of faces, and the quantities in it read, if stages can
  /// be made of it: else throws FormulaError. Keeps a reference to `formula`.
  const std::set<std::string>& names_read_by(const Formula& formula, const CellFaces& at = {}) {
    at_faces_.assign(at.outward.empty() ? 0 : 1, at.outward.empty() ? Offset() : at.outward[0]);
    made_.stages.clear();
    made_.states.clear();
    made_.used.clear();
    without_noise();
    evaluate(fields_, 0, {&formula}, value_alone);
    return made_.used;
  }

 protected:
  using Kind = FormulaNode::Kind;
  using Arrays = std::vector<int>;  // one for each field

  using Level = StageInMaking;
  using Made = std::pair<int, Term>;  // an array and its new value
  // Makes the values to store from a formula's index and value.
  using Results = std::function<std::vector<Made>(Level&, int, Term)>;

  static std::size_t outward_axis(Offset outward) {
    return outward.plane != 0 ? 0 : outward.row != 0 ? 1 : 2;
  }
  static std::vector<Made> value_alone(Level&, int, Term value) { return {{-1, value}}; }

  // Gives the results of the last stage new arrays, after those of the quantities that are read.
  StepStages with_results_last() {
    for (int& array : made_.stages.back().targets) array = new_array(-1);
    return std::move(made_);
  }

  // A rate or an error of a field, but 0 at nodes where conditions set the field.
  Term where_free(Level& to, int field, Term value) const {
    if (!system_.sides) return value;
    StageTree& tree = to.stage.tree;
    return TreeWriter::of(imposed_at_nodes(tree, *system_.sides, field, to.writer.as_node(value),
                                           [&](auto, auto&) { return tree.number(0); }));
  }

  // Evaluates the rates as evaluate() does, but calls `results` once, with all rates.
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
    ++evaluation_;
    time_ = time;
    if (state != fields_) solves_ = solves_for(state);
    const std::unique_ptr<Level> made = new_level();
    Level& last = *made;
    const std::set<std::string> read = quantities_read(formulas, names_.quantities);
    // Conditions read these, so they come before all that may read beyond a side.
    first_level_ = 0;
    std::map<std::string, int> indices;
    if (!at_faces_.empty() || !in_arrays_.empty() ||
        std::ranges::any_of(formulas, [&](auto* of) { return has_stencil(*of, of->whole()); }))
      for (const ConditionReduction& one : system_.condition_reductions)
        indices[one.key] =
            reduction_index({{&one.formula, one.node, one.of}, nullptr, one.kind, one.cell});
    first_level_ = levels_.size();
    for (const Formula* const quantity : in_arrays_) refuse_noise(*quantity);
    for (const Formula* const quantity : in_arrays_)
      if (read.contains(quantity->name))
        make({quantity, quantity->whole()}, names_.arrays.at(quantity->name));
    for (int i = 0; i < std::ssize(formulas); ++i) {
      if (!at_faces_.empty()) {
        const Offset outward = at_faces_[static_cast<std::size_t>(i)];
        last.writer.set_face(
            outward,
            [this, outward](int array) {
              return system_.sides && is_imposed_at(*system_.sides, made_.like[array], outward);
            },
            face_weight_[outward_axis(outward)]);
      }
      const Term formula = last.writer.write(*formulas[i]);
      for (const auto& [array, value] : results(last, i, formula)) {
        last.stage.tree.results.push_back(last.writer.as_node(value));
        last.stage.targets.push_back(array);
      }
    }
    for (const auto& level : levels_)
      if (!level->stage.targets.empty()) add(level->stage, state);
    add(last.stage, state);
    if (!indices.empty()) made_.of_conditions.resize(made_.stages.size(), indices);
  }

  // The solves for the fields of a state that the others determine.
  std::vector<GridSolve> solves_for(const Arrays& state) const {
    std::vector<GridSolve> solves;
    for (const SolvedField& solved : system_.solved) {
      if (solved.system == std::ssize(solves)) solves.push_back({solved.system, state, {}});
      solves.back().unknowns.push_back(state[solved.field]);
    }
    return solves;
  }
  bool is_solved(int field) const {
    return std::ranges::count(system_.solved, field, &SolvedField::field) > 0;
  }

  std::unique_ptr<Level> new_level() {
    return std::make_unique<Level>(
        names_, made_.used, [this](auto part) { return nested_array(part); }, dt_, time_);
  }

  void add(const Stage& stage, const Arrays& state) {
    made_.stages.push_back({.tree = without_unused(stage.tree),
                            .targets = stage.targets,
                            .time = stage.time,
                            .solves = std::exchange(solves_, {})});
    made_.states.push_back(state);
    made_.evaluations.push_back(evaluation_);
  }

  void without_noise() {
    if (names_.noise) names_.noise->is_zero = true;
  }
  void refuse_noise(const Formula& quantity) const {
    if (!names_.noise || !names_.noise->noisy_nodes.contains({&quantity, quantity.whole()})) return;
    throw FormulaError(0,
                       fmt::format("{} is made of noise and has a condition at a side, so it would "
                                   "be read at neighbours (expected a quantity without noise)",
                                   quantity.name),
                       quantity.name, quantity.text);
  }

  // The array of an argument that contains a stencil operator; an earlier stage computes it.
  std::optional<int> nested_array(NestedQuantity part) {
    if (const FormulaNode* const call =
            find_call(FormulaFunction::Kind::over_grid, *part.formula, part.node))
      refuse_over_grid(*call);
    if (!part.is_difference() && !has_stencil(*part.formula, part.node)) return std::nullopt;
    return array_with(part);
  }

  // The array with the values of a part. `of` is the call (mean, integral ...) that reduces it, if
  // any.
  int array_with(NestedQuantity part, const FormulaNode* of = nullptr) {
    const auto [known, is_new] = arrays_of_parts_.try_emplace(
        {part.of == NestedQuantity::Of::volume ? -1 : meaning_number(*part.formula, part.node),
         part.of, part.axis},
        0);
    if (is_new) known->second = new_array(-1 - names_.ending_axes(*part.formula, part.node));
    const int array = known->second;
    if (computed_.insert(array).second) make(part, array, of);
    return array;
  }

  // The array of the argument of a call that all cells go into.
  int array_over_grid(const NestedQuantity& part, const FormulaNode* of) {
    if (!is_array(part)) return array_with(part, of);
    made_.used.insert(root_node(part).name);
    return names_.arrays.at(root_node(part).name);
  }

  // The index of a reduction; an earlier stage fills the array of its argument.
  int reduction_index(const ReducedPart& reduced) {
    GridReduction reduction{.kind = reduced.kind,
                            .array = array_over_grid(reduced.part, reduced.call),
                            .index = static_cast<int>(made_.reductions.size()),
                            .cell = reduced.cell};
    if (reduction.kind == GridReduction::Kind::sum)
      for (int axis = 3 - names_.axes; axis < 3; ++axis) reduction.factor *= names_.spacing[axis];
    const auto known = std::ranges::find_if(made_.reductions, [&](const GridReduction& other) {
      return other.kind == reduction.kind && other.array == reduction.array &&
             other.cell == reduction.cell;
    });
    if (known != made_.reductions.end()) return known->index;
    made_.reductions.push_back(reduction);
    return reduction.index;
  }

  // The array with a convolution, which comes before the first stage that reads it.
  int convolution(const ConvolvedPart& convolved);
  // The sides where stages impose the conditions of the argument of a convolution.
  std::vector<ContinuedSide> continued_sides(const NestedQuantity& part, const FormulaNode* call);
  int ghosts_beside(const NestedQuantity& part, int source, const ContinuedSide& side);

  static const FormulaNode& root_node(const NestedQuantity& part) {
    return part.formula->nodes[part.node];
  }
  bool is_array(const NestedQuantity& part) const {
    return part.of == NestedQuantity::Of::value && root_node(part).kind == Kind::name &&
           names_.arrays.contains(root_node(part).name);
  }

  void make(NestedQuantity part, int array, const FormulaNode* of = nullptr) {
    const bool beside = part.is_difference() && has_stencil(*part.formula, part.node);
    const bool by_weno = part.of > NestedQuantity::Of::second_difference;
    const std::size_t at =
        first_level_ + stage_order(*part.formula, part.node) + (beside ? 1 : 0) + (by_weno ? 1 : 0);
    Level& to = level(at);
    const Term value = to.writer.write(part);
    if (of != nullptr && value.is_scalar())
      throw FormulaError(of->at, fmt::format("{} of what is the same in every cell", of->name));
    to.stage.tree.results.push_back(to.writer.as_node(value));
    to.stage.targets.push_back(array);
  }
  Level& level(std::size_t at) {
    while (levels_.size() <= at) levels_.push_back(new_level());
    return *levels_[at];
  }

  // The number of stages that must come before the one that evaluates this part.
  std::size_t stage_order(const Formula& formula, int node) {
    const auto known = orders_.find({&formula, node});
    if (known != orders_.end()) return known->second;
    const FormulaNode& at = formula.nodes[node];
    std::size_t order = 0;
    if (at.kind == Kind::name) {
      if (const auto quantity = names_.quantities.find(at.name);
          quantity != names_.quantities.end())
        order = stage_order(*quantity->second, quantity->second->whole()) +
                (names_.arrays.contains(at.name) ? 1 : 0);
    } else {
      const bool stencil = has_kind(at, FormulaFunction::Kind::stencil);
      const bool reduction = has_kind(at, FormulaFunction::Kind::over_grid);
      for (const int operand : at.operands)
        order = std::max(
            order,
            stage_order(formula, operand) + (stencil && has_stencil(formula, operand) ? 1 : 0) +
                (reduction && operand == at.operands[0] &&
                         (names_.radial > 0 || !is_array({&formula, operand}))
                     ? 1
                     : 0) +
                (is_over_window(at, operand) ? stages_before_window({&formula, operand}, at) : 0) +
                stages_of_differences(formula, at, operand));
    }
    return orders_[{&formula, node}] = order;
  }

  bool has_stencil(const Formula& formula, int node) {
    return find_call(FormulaFunction::Kind::stencil, formula, node) != nullptr;
  }

  // A call of a function of this kind in a part of a formula, or the name of a quantity that
  // contains one. Quantities that have arrays are not searched.
  const FormulaNode* find_call(FormulaFunction::Kind kind, const Formula& formula, int node) {
    const auto known = calls_.find({kind, &formula, node});
    if (known != calls_.end()) return known->second;
    const FormulaNode& at = formula.nodes[node];
    const FormulaNode* found = has_kind(at, kind) ? &at : nullptr;
    if (at.kind == Kind::name && !names_.arrays.contains(at.name))
      if (const auto quantity = names_.quantities.find(at.name);
          quantity != names_.quantities.end())
        if (find_call(kind, *quantity->second, quantity->second->whole())) found = &at;
    for (const int operand : at.operands)
      if (found == nullptr) found = find_call(kind, formula, operand);
    return calls_[{kind, &formula, node}] = found;
  }

  static bool has_kind(const FormulaNode& node, FormulaFunction::Kind kind) {
    const FormulaFunction* const function =
        node.kind == Kind::call ? formula_function(node.name) : nullptr;
    return function && function->kind == kind;
  }

  // The stages between that of an operand and that which reads its convolution.
  std::size_t stages_before_window(const NestedQuantity& part, const FormulaNode& call) {
    return (is_array(part) ? 0 : 1) + (continued_sides(part, &call).empty() ? 0 : 1);
  }

  // True if all cells of an operand may go into a call.
  static bool is_over_window(const FormulaNode& call, int operand) {
    return call.kind == Kind::call &&
           ((call.name == "convolve" && operand == call.operands.back()) ||
            (call.name == "shift" && operand == call.operands.front()));
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

  // The same number for parts of formulas that mean the same, which two uses of noise never do.
  int meaning_number(const Formula& formula, int node);

  using NodeKey = std::pair<const Formula*, int>;
  const FormulaSystem& system_;
  FormulaNames names_;
  StepStages made_;
  Arrays fields_;
  Formulas rates_;
  Formulas in_arrays_;                             // quantities that have conditions
  std::array<int, 3> face_weight_ = {-1, -1, -1};  // arrays of weights of faces; -1: none
  std::vector<Offset> at_faces_;                   // face of each formula; empty: cells
  std::map<std::tuple<int, NestedQuantity::Of, int>, int> arrays_of_parts_;  // by meaning
  std::map<std::pair<GridWindow, int>, int> arrays_of_windows_;  // by meaning of the operand
  std::map<std::tuple<int, int, bool>, int> arrays_of_ghosts_;   // by meaning, axis and side
  std::set<int> computed_;         // arrays already filled in the current evaluation
  std::vector<GridSolve> solves_;  // that the next stage waits for
  std::map<std::tuple<FormulaFunction::Kind, const Formula*, int>, const FormulaNode*> calls_;
  std::vector<std::unique_ptr<Level>> levels_;
  int evaluation_ = 0;
  std::size_t first_level_ = 0;  // of what does not come before conditions
  double time_ = 0;
  std::optional<double> dt_;  // unset where it differs from step to step
  std::map<NodeKey, std::size_t> orders_;
  std::map<NodeKey, int> meanings_;
  std::map<std::string, int> texts_;  // of parts, with meanings in place of their operands
};

}  // namespace lapl
