#include "io/config/config_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

#include "io/config/config_keys.hpp"
#include "io/config/config_number.hpp"
#include "io/config/filter_keys.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "solver/filter.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

class Checker {
 public:
  Checker(const RunConfig& run, const Entries& entries, Mistakes& mistakes)
      : run_(run), entries_(entries), mistakes_(mistakes) {}

  void check_cells() {
    if (!right({"grid.shape"})) return;
    if (run_.shape.rows > most_cells / run_.shape.columns) {
      add("grid.shape", fmt::format("found {} x {}, too many cells (at most {} together)",
                                    run_.shape.rows, run_.shape.columns, most_cells));
    }
  }

  /// h^2 divides the Laplacian at compute precision.
  void check_spacing() {
    if (!right({"grid.spacing", "compute.precision"})) return;
    const double square = run_.spacing * run_.spacing;
    if (!fits(square) || !fits(1 / square)) {
      add("grid.spacing",
          fmt::format("found {}, of which the square or its inverse is infinite in {} (expected "
                      "about {:.1e} to {:.1e})",
                      number_text(run_.spacing), name_of(run_.precision), std::sqrt(1 / largest()),
                      std::sqrt(largest())));
    }
  }

  /// Either the coefficient alone, or diffusivity and time step.
  void check_equation() {
    constexpr const char* coefficient = "equation.coefficient";
    constexpr const char* diffusivity = "equation.diffusivity";
    constexpr const char* step = "time.step";
    if (given(coefficient)) {
      for (const char* const extra : {diffusivity, step}) {
        if (given(extra)) {
          add(extra,
              "given besides equation.coefficient (give equation.coefficient alone, or "
              "equation.diffusivity and time.step)");
        }
      }
    } else if (!given(diffusivity) && !given(step)) {
      add(coefficient, "missing (give it, or equation.diffusivity and time.step)");
    } else if (!given(step)) {
      add(step, "missing (equation.diffusivity needs it: give both, or equation.coefficient)");
    } else if (!given(diffusivity)) {
      add(diffusivity, "missing (time.step needs it: give both, or equation.coefficient)");
    }
    if (!right({coefficient, diffusivity, step, "grid.spacing", "compute.precision"})) return;
    if (!fits(run_.spacing * run_.spacing)) return;
    if (given(coefficient) ? !given(diffusivity) && !given(step)
                           : given(diffusivity) && given(step)) {
      check_coefficient();
      check_end();
    }
  }

  void check_engine() {
    if (!right({"compute.engine", "compute.backend"}) || run_.backend == "auto") return;
    for (const EngineInfo& engine : engine_table()) {
      if (engine.name == run_.engine && engine.backend != run_.backend) {
        add("compute.engine",
            fmt::format("found {}, an engine of backend {}, with compute.backend {} (expected "
                        "compute.backend {} or auto, or another engine)",
                        engine.name, engine.backend, run_.backend, engine.backend));
      }
    }
  }

  /// A filter's name becomes a dataset of each output, of the grid's shape. Weights from files come
  /// later.
  void check_filters() {
    if (!right({"filters", "grid.shape"})) return;
    std::set<std::string> taken = {"time", "step", "x", "y", "provenance", "VTKHDF"};
    for (const OutputQuantity& quantity : output_quantities()) taken.emplace(quantity.name);
    for (const FilterConfig& filter : run_.filters) {
      if (const std::string wrong = filter_name_problem(filter.name, taken); !wrong.empty())
        add("filters", wrong);
      if (filter.kernel == KernelKind::hdf5) continue;
      try {
        correlation_on_grid<float>(filter, run_.shape);
      } catch (const ConfigError& error) {
        add("filters", error.what());
      }
    }
  }

  void check_mode() {
    if (!entries_.contains("initial.mode")) return;
    if (!right({"initial.mode", "grid.shape", "boundary.rows", "boundary.columns"})) return;
    check_mode("rows", run_.boundaries.rows, run_.shape.rows, run_.initial.mode[0]);
    check_mode("columns", run_.boundaries.columns, run_.shape.columns, run_.initial.mode[1]);
  }

 private:
  double largest() const {
    return with_precision(run_.precision,
                          []<class T>() -> double { return std::numeric_limits<T>::max(); });
  }
  double least() const {
    return with_precision(run_.precision,
                          []<class T>() -> double { return std::numeric_limits<T>::denorm_min(); });
  }
  /// Whether a positive value is neither 0 nor infinite at compute precision.
  bool fits(double value) const { return value >= least() && value <= largest(); }

  /// Of diffusivity and time step the product counts, so that the time step is the one to blame.
  void check_coefficient() {
    const double coefficient = run_.step_coefficient();
    const char* const key = run_.coefficient ? "equation.coefficient" : "time.step";
    if (!(coefficient <= largest_stable_coefficient)) {
      add(key,
          fmt::format("found {}, unstable, since D dt / h^2 is {} (at most {}, for a "
                      "coefficient of {})",
                      number_text(*run_.time_step), number_text(coefficient),
                      number_text(largest_stable_step()), number_text(largest_stable_coefficient)));
    } else if (!fits(coefficient)) {
      add(key, fmt::format("makes the coefficient {}, which is 0 in {} (expected a coefficient of "
                           "{} or more)",
                           number_text(coefficient), name_of(run_.precision),
                           run_.precision == Precision::float32 ? "1.5e-45" : "5e-324"));
    }
  }

  /// Every output holds its time.
  void check_end() {
    if (!right({"time.steps"})) return;
    const double end = static_cast<double>(run_.steps) * run_.step_seconds();
    if (!std::isfinite(end))
      add("time.steps", fmt::format("found {}, which end at an infinite time with steps of {} s "
                                    "(expected a time of at most 1.7e308 s)",
                                    run_.steps, number_text(run_.step_seconds())));
  }

  /// Rounded so that a run with it passes the check above.
  double largest_stable_step() const {
    RunConfig run = run_;
    run.time_step = largest_stable_coefficient * run.spacing * run.spacing / *run.diffusivity;
    for (double shrink = 0x1p-53; run.step_coefficient() > largest_stable_coefficient;
         shrink *= 2) {
      *run.time_step *= 1 - shrink;
    }
    return *run.time_step;
  }

  /// Eigenmodes of the discrete Laplacian with n nodes (docs/numerics.md).
  void check_mode(const char* axis, Boundary boundary, std::int64_t nodes, std::int64_t mode) {
    const std::int64_t low = boundary == Boundary::zero ? 1 : 0;
    const std::int64_t high = boundary == Boundary::zero        ? nodes
                              : boundary == Boundary::insulated ? nodes - 1
                                                                : nodes / 2;
    if (mode >= low && mode <= high) return;
    add("initial.mode", fmt::format("found {} for the {}, out of range (expected {} to {} with "
                                    "boundary {} and {} {})",
                                    mode, axis, low, high, name_of(boundary), nodes, axis));
  }

  /// Whether none of these keys is wrong.
  bool right(std::initializer_list<const char*> keys) const {
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) {
      const auto at = entries_.find(key);
      return at != entries_.end() && at->second.value;
    });
  }
  /// Whether the key is not null; a wrong one counts as given.
  bool given(const char* key) const {
    const auto& value = entries_.find(key)->second.value;
    return !value || !std::holds_alternative<Null>(*value);
  }
  void add(const char* key, const std::string& what) {
    mistakes_.add(entries_.find(key)->second.place, key, what);
  }

  const RunConfig& run_;
  const Entries& entries_;
  Mistakes& mistakes_;
};

}  // namespace

void check_together(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  Checker checker(run, entries, mistakes);
  checker.check_cells();
  checker.check_spacing();
  checker.check_equation();
  checker.check_engine();
  checker.check_mode();
  checker.check_filters();
}

}  // namespace lapl
