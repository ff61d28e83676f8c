#include "solver/initial_field.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <span>
#include <utility>

#include "kernels/fields/host_vector.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "kernels/solve/solve_over_grid.hpp"
#include "kernels/stages/tree_at.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/make_problem.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

// sin(pi a / b). The integer a is first reduced to a quarter of the period, because a large
// floating-point angle has few digits left for the part beyond full turns.
double sine_of_pi(Uint128 a, std::int64_t b) {
  auto rest = static_cast<std::int64_t>(a % Uint128(2 * b));
  const bool negative = rest >= b;
  if (negative) rest -= b;
  if (rest > b - rest) rest = b - rest;
  const double sine =
      std::sin(std::numbers::pi * static_cast<double>(rest) / static_cast<double>(b));
  return negative ? -sine : sine;
}

// amplitude times the product over the grid's axes of along(axis, index), with axis 0 for planes, 1
// for rows and 2 for columns.
std::vector<double> product_along_axes(Shape shape, RowRange rows, double amplitude,
                                       const std::function<double(int axis, std::int64_t)>& along) {
  std::vector<double> along_columns, field;
  for (std::int64_t column = 0; column < shape.columns; ++column)
    along_columns.push_back(along(2, column));
  field.reserve(rows.count * shape.columns);
  double of_plane = amplitude;
  for (std::int64_t row = rows.first; row < rows.end(); ++row) {
    if (shape.axes > 2 && (row == rows.first || row % shape.rows == 0))
      of_plane = amplitude * along(0, row / shape.rows);
    const double factor = shape.axes > 1 ? of_plane * along(1, row % shape.rows) : of_plane;
    for (const double value : along_columns) field.push_back(factor * value);
  }
  return field;
}

}  // namespace

double eigenmode(Boundary boundary, std::int64_t mode, std::int64_t index, std::int64_t size) {
  switch (boundary) {
    case Boundary::zero: return sine_of_pi(Uint128(index + 1) * mode, size + 1);
    // cos(x) = sin(x + pi/2)
    case Boundary::insulated: return sine_of_pi(Uint128(2 * index + 1) * mode + size, 2 * size);
    case Boundary::periodic: return sine_of_pi(Uint128(4 * index) * mode + size, 2 * size);
  }
  return 0;
}

std::vector<double> uniform_field(const RunConfig& config, RowRange rows) {
  std::vector<double> field = host_vector<double>(rows.count * config.shape.columns);
  std::ranges::fill(field, config.initial.value);
  return field;
}

std::vector<double> gaussian_field(const RunConfig& config, RowRange rows) {
  const InitialConfig& initial = config.initial;
  const Shape shape = config.shape;
  // A grid of one row is a line, so its width counts columns.
  const std::int64_t length = shape.rows > 1 ? shape.rows : shape.columns;
  const double width = initial.width * static_cast<double>(length);
  return product_along_axes(shape, rows, initial.amplitude, [&](int axis, std::int64_t index) {
    const double center =
        initial.center.at(static_cast<std::size_t>(axis)) *
        static_cast<double>(by_axis(shape).at(static_cast<std::size_t>(axis)) - 1);
    const double away = (static_cast<double>(index) - center) / width;
    return std::exp(-away * away / 2);
  });
}

std::vector<double> checkerboard_field(const RunConfig& config, RowRange rows) {
  return product_along_axes(
      config.shape, rows, config.initial.amplitude,
      [&](int, std::int64_t index) { return index / config.initial.tile % 2 == 0 ? 1.0 : -1.0; });
}

std::vector<double> sine_field(const RunConfig& config, RowRange rows) {
  const Boundaries& of = config.boundaries;
  const std::array boundaries = {of.planes, of.rows, of.columns};
  return product_along_axes(config.shape, rows, config.initial.amplitude,
                            [&](int axis, std::int64_t index) {
                              const auto at = static_cast<std::size_t>(axis);
                              return eigenmode(boundaries.at(at), config.initial.mode.at(at), index,
                                               by_axis(config.shape).at(at));
                            });
}

namespace {

std::vector<double> fractal_values(Shape shape, const InitialConfig& initial) {
  return fractal_field(shape, initial.fractal, useful_threads(shape));
}

bool is_whole(const InitialConfig& initial) {
  const auto& made = table_row(initial.kind).made;
  return std::holds_alternative<Fractal>(made) || std::holds_alternative<FieldFile>(made);
}

// The values in `rows` of a part that each rank computes for its own rows. `others` has the values
// in these rows of the parts that a formula may read.
std::vector<double> own_rows(RunConfig config, InitialPart part,
                             const CoefficientFields& coefficients, RowRange rows, Ranks& ranks,
                             const CoefficientFields& others) {
  config.initial = part.initial;
  const auto& made = table_row(part.initial.kind).made;
  if (std::holds_alternative<FromFormula>(made))
    return values_of_formula(part.key(), part.initial.formula, config, coefficients, ranks,
                             &part.draws, rows, others);
  return std::get<FieldMaker>(made)(config, rows);
}

// Sets `own`, the values of a field in `rows`, on several threads; each computes a few rows at
// once.
template <class T>
void set_in_blocks(FieldMaker make, RunConfig config, const InitialPart& part, RowRange rows,
                   std::span<T> own) {
  config.initial = part.initial;
  const std::int64_t columns = config.shape.columns;
  const std::int64_t at_once = std::max<std::int64_t>(32, (1 << 18) / columns);
  in_pieces(rows.count, at_once, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; row += at_once) {
      const std::int64_t count = std::min(at_once, last - row);
      std::ranges::transform(make(config, {rows.first + row, count}), &own[row * columns],
                             [](double value) { return T(value); });
    }
  });
}

// Sets the nodes in `rows` where a condition `at: node` holds to its value at the start;
// `own_values` returns the values of a coefficient field in these rows.
template <class T>
void impose_node_values(const RunConfig& config, RowRange rows,
                        const std::function<std::vector<T>(const std::string&)>& own_values,
                        std::vector<T>& state) {
  const Shape shape = config.shape;
  Problem<T> grid{.shape = shape, .faces = {}};
  grid.spacing = config.spacing.by_axis;
  grid.middle = config.spacing.middle;
  const std::vector<std::string> names = coefficient_names(config);
  const auto impose = [&](const SideCondition& condition, std::size_t field) {
    std::set<std::string> used;
    const ConditionTerms terms = condition_terms(condition, config, used);
    std::map<int, std::vector<T>> read;
    for (const StageOperation& node : terms.tree.operations)
      if (node.operation == Operation::value)
        read[node.index] =
            own_values(names.at(static_cast<std::size_t>(node.index) - config.fields.size()));
    TreeAt<T> tree(grid, terms.tree);
    const std::int64_t side = condition.last ? by_axis(shape)[condition.axis] - 1 : 0;
    for (std::int64_t row = rows.first; row < rows.end(); ++row) {
      const Cell first = cell_at(shape, row * shape.columns);
      if (condition.axis < 2 && by_axis(first)[condition.axis] != side) continue;
      const std::int64_t column = condition.axis == 2 ? side : 0;
      const std::int64_t end = condition.axis == 2 ? side + 1 : shape.columns;
      for (std::int64_t at = column; at < end; ++at) {
        const std::int64_t own = (row - rows.first) * shape.columns + at;
        tree.evaluate({first.row, at, first.plane}, config.start,
                      [&](const StageOperation& node) { return read.at(node.index)[own]; });
        state[static_cast<std::int64_t>(field) * rows.count * shape.columns + own] =
            terms.tree.results.empty() ? T(terms.a.factor) : tree.result(0);
      }
    }
  };
  for (int axis = 2; axis >= 3 - shape.axes; --axis)  // at corners the slower axis wins
    for (const SideCondition& condition : config.conditions)
      for (std::size_t field = 0; field < config.fields.size(); ++field)
        if (condition.axis == axis && condition.kind == ConditionKind::value_at_node &&
            applies_to(condition, config.fields[field], config))
          impose(condition, field);
}

// Makes the solved fields those that follow from the others.
template <class T>
void solve_state(const RunConfig& config, const CoefficientFields& coefficients, Ranks& ranks,
                 RowRange rows, std::vector<T>& state) {
  const std::int64_t columns = config.shape.columns, fields = std::ssize(config.fields);
  const FormulaSystem system = make_system(config);
  std::vector<std::shared_ptr<GridEquations>> systems(system.systems());
  if (ranks.is_first()) systems = grid_systems(config, system, coefficients);
  // The rows of all planes as those of one plane.
  Part part{.whole = {.rows = config.shape.cells() / columns, .columns = columns},
            .first = {0, rows.first, 0},
            .own = {rows.count > 0 ? 1 : 0, rows.count, columns}};
  for (std::size_t i = 0; i < systems.size(); ++i) {
    std::vector<std::int64_t> unknowns;
    for (const SolvedField& solved : system.solved)
      if (solved.system == static_cast<int>(i)) unknowns.push_back(solved.field);
    const auto solutions =
        solution_over_grid<T>(ranks, systems[i].get(), part.whole, fields, unknowns, state, part,
                              {.time = time_at_step(config, 0)});
    for (std::size_t j = 0; j < unknowns.size(); ++j)
      std::ranges::copy(solutions[j], state.begin() + unknowns[j] * rows.count * columns);
  }
}

}  // namespace

WholeFields fractal_fields(const RunConfig& config) {
  WholeFields fractals;
  for (const std::string& field : config.fields)
    if (const InitialConfig& initial = field_initial(config, field);
        initial.kind == InitialKind::fractal)
      fractals[field] = fractal_values(config.shape, initial);
  return fractals;
}

void add_computed_fields(WholeFields& whole, const RunConfig& config,
                         const CoefficientFields& coefficients) {
  for (const InitialPart& part : ordered_initial_parts(config)) {
    if (whole.contains(part.name)) continue;
    whole[part.name] =
        part.initial.kind == InitialKind::fractal
            ? fractal_values(config.shape, part.initial)
            : own_rows(config, part, coefficients, RowRange::all(config.shape), only_rank(), whole);
  }
}

template <class T>
std::vector<T> initial_state(const RunConfig& config, const CoefficientFields& coefficients,
                             const WholeFields& whole, Ranks& ranks, RowRange rows) {
  const std::int64_t columns = config.shape.columns, cells = rows.count * columns;
  std::vector<T> state = host_vector<T>(cells * std::ssize(config.fields));
  CoefficientFields others;  // the rows of parts that formulas of other parts read
  WholeFields fractals;
  for (const InitialPart& part : ordered_initial_parts(config)) {
    std::vector<double> mine;
    const auto all = [&]() -> const std::vector<double>& {
      const bool lacks = part.initial.kind == InitialKind::fractal && !whole.contains(part.name);
      return lacks ? fractals[part.name] = fractal_values(config.shape, part.initial)
                   : whole.at(part.name);
    };
    const bool is_there =
        is_whole(part.initial) || (ranks.count() == 1 && whole.contains(part.name));
    const auto* const maker = std::get_if<FieldMaker>(&table_row(part.initial.kind).made);
    if (!is_there && maker != nullptr && part.field && !part.is_read) {
      set_in_blocks(*maker, config, part, rows,
                    std::span(state).subspan(*part.field * cells, cells));
      continue;
    }
    if (!is_there) {
      mine = own_rows(config, part, coefficients, rows, ranks, others);
    } else if (ranks.count() > 1) {
      mine = host_vector<double>(cells);
      const std::span<const double> of_grid = ranks.is_first() ? std::span(all()) : std::span(mine);
      scatter_rows<double>(ranks, of_grid, rows, columns, mine);
    } else if (part.is_read) {
      mine = all();
    }
    if (part.field) {
      std::ranges::transform(is_there && ranks.count() == 1 ? all() : mine,
                             state.begin() + static_cast<std::ptrdiff_t>(*part.field) * cells,
                             [](double value) { return T(value); });
    }
    if (part.is_read) others[part.name] = std::move(mine);
  }
  const auto own_values = [&](const std::string& name) {
    std::vector<T> values = rounded_once<T>(coefficients.at(name));
    if (ranks.count() == 1) return values;
    std::vector<T> mine(cells);
    scatter_rows<T>(ranks, values, rows, columns, mine);
    return mine;
  };
  impose_node_values<T>(config, rows, own_values, state);
  if (config.mask) {
    const std::vector<T> inside = own_values(mask_name);
    for (std::int64_t i = 0; i < std::ssize(state); ++i)
      if (inside[i % cells] == 0) state[i] = 0;
  }
  if (!config.equation.solves.empty()) solve_state<T>(config, coefficients, ranks, rows, state);
  return state;
}
LAPL_FOR_FLOATS(initial_state);

template <class T>
void set_initial_state(Backend<T>& backend, const RunConfig& config,
                       const CoefficientFields& coefficients, const WholeFields& whole) {
  backend.set_state(initial_state<T>(config, coefficients, whole, backend.ranks(), backend.rows()));
}
LAPL_FOR_FLOATS(set_initial_state);

}  // namespace lapl
