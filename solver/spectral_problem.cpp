#include "solver/spectral_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "kernels/backend.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/equation/rate_symbol.hpp"

namespace lapl {
namespace {

struct Refusal {
  std::string why;
};

// The boundary laws of an array without the values that they add, as for a field of 0.
Faces<double> faces_of(const Problem<double>& problem, int array) {
  const auto alone = [](const Face<double>& face) {
    if (!face.neighbour && face.b != 0 && face.b != 1)
      throw Refusal{
          "a face has a mixed law, or a value at: face (values one cell outside and "
          "derivatives have modes)"};
    return Face<double>{0, face.b, face.neighbour};
  };
  std::array<AxisFaces<double>, 3> axes;
  for (int axis = 3 - problem.shape.axes; axis < 3; ++axis) {
    const AxisFaces<double>& given = axis_faces(problem.faces[array], axis);
    axes[axis] = {alone(given.first), alone(given.last)};
  }
  for (const VaryingFace& varying : problem.laws) {
    if (varying.array != array) continue;
    if (reads_time(varying.law)) throw Refusal{"the law of a face depends on t"};
    const StageOperation& b = varying.law.operations[varying.law.results[1]];
    if (b.operation != Operation::number) throw Refusal{"a face has a mixed law"};
    (varying.last ? axes[varying.axis].last : axes[varying.axis].first) = alone({0, b.number});
  }
  return {axes[1], axes[2], axes[0]};
}

// Finds the trigonometric polynomial that is a symbol from 2 * radius + 1 phases per axis.
class Terms {
 public:
  Terms(RateSymbol& symbol, int axes, int radius, const std::string& field)
      : radius_(radius), phases_(2 * radius + 1), first_(3 - axes) {
    require_few(axes, field);
    for (int at = 0; at < phases_; ++at)
      for (int turns = 0; turns <= radius; ++turns)
        cosines_.push_back(std::cos(turn() * at * turns));
    for_each(phases_, [&](const std::array<int, 3>& at) {
      std::array<double, 3> phases = {};
      for (int axis = 0; axis < 3; ++axis) phases[axis] = turn() * at[axis];
      values_.push_back(symbol.at(phases).at(0, 0));
      largest_ = std::max(largest_, std::abs(values_.back()));
    });
    require_mirrors(field);
  }

  LinearRates rates() const {
    LinearRates rates;
    rates.of_mean = values_.front().real();
    for_each(radius_ + 1, [&](const std::array<int, 3>& turns) {
      const double weight = weight_of(turns);
      if (turns != std::array<int, 3>{} && std::abs(weight) > rounding * largest_)
        rates.terms.push_back({weight, turns});
    });
    return rates;
  }

 private:
  static constexpr double rounding = 1e-13;
  static constexpr double most_waves = 1 << 15;

  double turn() const { return 2 * std::numbers::pi / phases_; }

  template <class Take>
  void for_each(int count, const Take& take) const {
    std::array<int, 3> at;
    const std::array counts = {first_ == 0 ? count : 1, first_ <= 1 ? count : 1, count};
    for (at[0] = 0; at[0] < counts[0]; ++at[0])
      for (at[1] = 0; at[1] < counts[1]; ++at[1])
        for (at[2] = 0; at[2] < counts[2]; ++at[2]) take(at);
  }

  Complex value(const std::array<int, 3>& at) const {
    return values_[(at[0] * (first_ <= 1 ? phases_ : 1) + at[1]) * phases_ + at[2]];
  }

  // Bounds the work: each term is computed for each wave.
  void require_few(int axes, const std::string& field) const {
    if (std::pow(phases_, axes) > most_waves)
      throw Refusal{"the rate of " + field + " has too many operators upon one another (" +
                    std::to_string(radius_) + ")"};
  }

  void require_mirrors(const std::string& field) const {
    for_each(phases_, [&](const std::array<int, 3>& at) {
      for (int axis = first_; axis < 3; ++axis) {
        std::array<int, 3> mirrored = at;
        mirrored[axis] = (phases_ - at[axis]) % phases_;
        if (std::abs(value(at) - value(mirrored)) > rounding * largest_)
          throw Refusal{"the rate of " + field +
                        " is not the same when an axis is turned round (first derivatives, "
                        "d2_dxdy and upwind are not)"};
      }
    });
  }

  double weight_of(const std::array<int, 3>& turns) const {
    double sum = 0;
    int points = 0;
    for_each(phases_, [&](const std::array<int, 3>& at) {
      double product = value(at).real();
      for (int axis = 0; axis < 3; ++axis)
        product *= cosines_[at[axis] * (radius_ + 1) + turns[axis]];
      sum += product;
      ++points;
    });
    for (const int of_axis : turns) sum *= of_axis == 0 ? 1 : 2;
    return sum / points;
  }

  int radius_, phases_;
  int first_;                    // first axis of the grid
  std::vector<double> cosines_;  // cos(phase * turns), for each phase and number of turns
  std::vector<Complex> values_;
  double largest_ = 0;
};

struct RateProblem {
  Problem<double> problem;  // its stages compute the rate in the last array
  LinearRates rates;        // without the source
};

// Throws Refusal.
RateProblem rate_problem_of(const RunConfig& config, const CoefficientFields& coefficients) {
  const std::string& field = config.fields.front();
  if (config.fields.size() > 1) throw Refusal{"it takes one field, and there are more"};
  const StepStages made = rate_stages(system_of(config));
  if (made.used.contains("noise")) throw Refusal{"the rate of " + field + " has noise"};
  RateProblem found{problem_with<double>(config, coefficients, made), {}};
  for (const Stage& stage : made.stages)
    if (reads_time(stage.tree)) throw Refusal{"the rate of " + field + " depends on t"};
  RateSymbol symbol(made.stages, 1, found.problem.arrays());
  if (symbol.rates() == RateSymbol::Rates::nonlinear)
    throw Refusal{"the rate of " + field + " is not linear in it"};
  if (symbol.rates() == RateSymbol::Rates::varying)
    throw Refusal{"what the rate of " + field + " multiplies it by is not the same everywhere"};
  const auto radius = static_cast<int>(made.stages.size());
  found.rates = Terms(symbol, config.shape.axes, radius, field).rates();
  found.rates.faces = faces_of(found.problem, 0);
  const int quantities = 1 + static_cast<int>(coefficients.size());
  for (int array = quantities; array < found.problem.arrays() - 1; ++array)
    if (const Faces<double> faces = faces_of(found.problem, array); faces != found.rates.faces)
      throw Refusal{"a quantity that the rate of " + field +
                    " reads beside a cell has other faces than it"};
  found.rates.change = step_change_of(config.scheme);
  return found;
}

// True if it is certain that a field of 0 has a rate of 0, judged by the operations, not by values.
bool is_homogeneous(const Problem<double>& problem) {
  const auto adds = [](const Faces<double>& faces) {
    const auto of_axis = [](const AxisFaces<double>& axis) {
      return axis.first.a != 0 || axis.last.a != 0;
    };
    return of_axis(faces.rows) || of_axis(faces.columns) || of_axis(faces.planes);
  };
  return problem.coefficients.empty() && problem.laws.empty() &&
         std::ranges::none_of(problem.faces, adds) &&
         std::ranges::all_of(problem.stages, [](const Stage& stage) {
           return properties_of(stage.tree).homogeneous;
         });
}

std::vector<double> source_of(const RunConfig& config, const Problem<double>& problem) {
  if (is_homogeneous(problem)) return {};
  const Problem<double> nothing = problem_of_stage<double>(config.shape, {}, diffusion_tree(2, 0));
  const auto backend = make_backend<double>("cpu", "interpreted", nothing, config.threads);
  backend->set_derived({StagesPlan<double>{problem}});
  const auto capture = backend->capture(true);
  const auto values = capture.wait().derived.front();
  return {values.begin(), values.end()};
}

}  // namespace

std::string why_not_spectral(const RunConfig& config) {
  RunConfig known = config;
  if (known.step_is_auto) known.time_step = 1;
  try {
    rate_problem_of(known, unread_coefficients(config));
    return {};
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
}

template <class T>
Problem<T> problem_to_step(const Model& model, const CoefficientFields& coefficients) {
  const RunConfig& config = model.run;
  Problem<T> problem = problem_of<T>(model, coefficients);
  if (!is_spectral(config)) return problem;
  try {
    RateProblem found = rate_problem_of(config, coefficients);
    found.rates.source = source_of(config, found.problem);
    problem.linear_rates = std::make_shared<const LinearRates>(std::move(found.rates));
    return problem;
  } catch (const Refusal& refusal) {
    throw ConfigError("engine spectral: {}", refusal.why);
  }
}
template Problem<float> problem_to_step(const Model&, const CoefficientFields&);
template Problem<double> problem_to_step(const Model&, const CoefficientFields&);

}  // namespace lapl
