#include "solver/equation_digest.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "kernels/fields/digest.hpp"
#include "kernels/solve/grid_convolution.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

using Digest = std::uint64_t;

// Combines words of 64 bits into a digest that depends on each word and on their order.
class Joined {
 public:
  explicit Joined(std::string_view kind) {
    for (const char letter : kind) add(static_cast<unsigned char>(letter));
  }
  Joined& add(std::uint64_t word) {
    digest_ = mixed(digest_ * 0x9E3779B97F4A7C15u + word + 1);
    return *this;
  }
  Joined& add(double number) { return add(as_bits(number)); }
  Joined& add(int number) { return add(static_cast<std::uint64_t>(number)); }
  operator Digest() const { return digest_; }

 private:
  Digest digest_ = 0;
};

class CanonDigest {
 public:
  CanonDigest(const Problem<double>& problem, const std::vector<Digest>& coefficients)
      : problem_(problem) {
    for (int field = 0; field < problem.step_fields; ++field)
      made_.push_back(Joined("field").add(field));
    made_.insert(made_.end(), coefficients.begin(), coefficients.end());
    made_.resize(problem.arrays());
  }

  /// `solves` are the digests of the equations that stages solve.
  Digest of_step(const std::vector<Digest>& solves) {
    make_all(solves);
    Joined whole("step");
    whole.add(problem_.clock.step).add(problem_.shape.axes);
    for (const double spacing : problem_.spacing) whole.add(spacing);
    for (int field = 0; field < problem_.step_fields; ++field)
      whole.add(made_[field]).add(of_faces(field, 0));
    return whole;
  }

  /// The digest of the last `count` arrays.
  Digest of_values(std::size_t count = 1) {
    make_all({});
    if (count == 1) return made_.back();
    Joined values("values");
    for (std::size_t i = made_.size() - count; i < made_.size(); ++i) values.add(made_[i]);
    return values;
  }

 private:
  void make_all(const std::vector<Digest>& solves) {
    for (const Stage& stage : problem_.stages) {
      for (const GridSolve& solve : stage.solves) {
        Joined solution("solution");
        const GridEquations* const system = problem_.systems.at(solve.system).get();
        if (const auto* const window = dynamic_cast<const GridConvolution<double>*>(system)) {
          solution.add(of_window(window->window())).add(of_faces(solve.state[0], stage.time));
          for (const ContinuedSide& side : window->sides())
            solution.add(side.axis).add(side.last ? 1 : 0).add(side.at_node ? 2 : side.b);
        } else {
          solution.add(solves.at(static_cast<std::size_t>(solve.system)));
        }
        for (const int array : solve.state) solution.add(made_[array]);
        if (solve.share != 0) solution.add(solve.share).add(solve.filters ? 1 : 0);
        for (std::size_t i = 0; i < solve.unknowns.size(); ++i)
          made_[solve.unknowns[i]] =
              i == 0 ? Digest(solution)
                     : Joined("next").add(solution).add(made_[solve.unknowns[i - 1]]);
      }
      for (const GridReduction& one : stage.reductions) {
        reduced_.resize(std::max<std::size_t>(reduced_.size(), one.index + 1));
        Joined reduction("reduction");
        reduction.add(static_cast<int>(one.kind))
            .add(made_[one.array])
            .add(one.mask < 0 ? 0 : made_[one.mask])
            .add(one.factor);
        if (one.cell >= 0) reduction.add(static_cast<double>(one.cell));
        reduced_[one.index] = reduction;
      }
      const std::vector<Digest> results = of_results(stage.tree, stage.time);
      for (std::size_t i = 0; i < results.size(); ++i) made_[stage.targets[i]] = results[i];
    }
  }

  static Digest of_window(const ConvolutionWindow& window) {
    Joined joined("window");
    for (const std::int64_t size : by_axis(window.shape)) joined.add(static_cast<double>(size));
    if (window.by_fft) joined.add(1);
    return joined.add(field_digest(std::span(window.weights)));
  }

  // The digests of the tree's results, evaluated at `time`, in steps from the beginning of the
  // step.
  std::vector<Digest> of_results(const StageTree& tree, double time) const {
    std::vector<Digest> found;
    for (const StageOperation& node : tree.operations) found.push_back(of(node, found, time));
    std::vector<Digest> results;
    for (const int result : tree.results) results.push_back(found[result]);
    return results;
  }

  Digest of(const StageOperation& node, const std::vector<Digest>& before, double time) const {
    Joined joined(table_row(node.operation).name);
    const auto add_place = [&] { joined.add(node.at.plane).add(node.at.row).add(node.at.column); };
    switch (node.operation) {
      case Operation::value:
        joined.add(made_[node.index]);
        if (node.at == Offset{}) return joined;
        add_place();
        return joined.add(of_faces(node.index, time));
      case Operation::position:
        joined.add(node.index);
        add_place();
        if (const double middle = problem_.middle[node.index]; middle != 0) joined.add(middle);
        return joined;
      case Operation::noise: return joined.add(node.seed).add(node.index);
      case Operation::number: return joined.add(node.number);
      case Operation::time: return joined.add(time);
      case Operation::time_step: return joined;
      case Operation::reduced: return joined.add(reduced_[node.index]);
      default: break;
    }
    std::array<Digest, 3> operands{};
    const int count = table_row(node.operation).operands;
    for (int i = 0; i < count; ++i) operands[i] = before[node.operands[i]];
    if (commutes(node.operation) && operands[0] > operands[1]) std::swap(operands[0], operands[1]);
    for (int i = 0; i < count; ++i) joined.add(operands[i]);
    return joined;
  }

  Digest of_faces(int array, double time) const {
    Joined joined("faces");
    for (int axis = 3 - problem_.shape.axes; axis < 3; ++axis) {
      const AxisFaces<double>& faces = axis_faces(problem_.faces[array], axis);
      joined.add(of_face(faces.first, time)).add(of_face(faces.last, time));
    }
    return joined;
  }

  Digest of_face(const Face<double>& face, double time) const {
    if (face.varies()) {
      const std::vector<Digest> terms = of_results(problem_.conditions[face.condition], time);
      return Joined("law").add(terms[0]).add(terms[1]);
    }
    if (face.neighbour) return Joined("neighbour");
    return Joined("constants").add(face.a).add(face.b);
  }

  const Problem<double>& problem_;
  std::vector<Digest> made_;     // for each array, the digest of the operations that compute it
  std::vector<Digest> reduced_;  // by the index of the reduction (a mean, a maximum ...)
};

}  // namespace

std::uint64_t equation_digest(const Model& model, const CoefficientFields& coefficients) {
  std::vector<Digest> digests;
  for (const std::string& name : coefficient_names(model.run))
    digests.push_back(
        Joined("coefficient").add(field_digest(std::span<const double>(coefficients.at(name)))));
  const auto problem = problem_with<double>(model.run, unread_coefficients(model.run), model.step);
  Joined whole("equation");
  std::vector<Digest> solves;
  for (std::size_t i = 0; i < model.system.solved.size(); ++i) {
    const SolvedField& solved = model.system.solved[i];
    const SolveConfig& solve = model.run.equation.solves[i];
    Joined equation("solve");
    for (const Formula* const side : {&solved.left, &solved.right})
      equation.add(
          CanonDigest(problem_with<double>(model.run, unread_coefficients(model.run),
                                           solve_stages(model.system, *side, solved.field)),
                      digests)
              .of_values());
    equation.add(solve.tolerance.value_or(0)).add(solve.removes_mean ? 1 : 0);
    if (solve.method != SolveMethod::automatic) equation.add(static_cast<int>(solve.method));
    if (solved.system == std::ssize(solves))
      solves.push_back(equation);
    else
      solves.back() = Joined("together").add(solves.back()).add(equation);
  }
  if (table_row(model.run.scheme.kind).is_implicit())
    solves.push_back(CanonDigest(rates_problem(model.run, implicit_rates(model.system),
                                               unread_coefficients(model.run)),
                                 digests)
                         .of_values(model.run.fields.size()));
  // These and time.scheme tell which fields have an equation instead of a rate.
  if (table_row(model.run.scheme.kind).is_implicit())
    for (const SolvedField& solved : model.system.solved) whole.add(solved.field);
  whole.add(CanonDigest(problem, digests).of_step(solves));
  // The initial fields may read coefficient fields that the equation does not.
  for (const Digest digest : digests) whole.add(digest);
  return whole;
}

}  // namespace lapl
