#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/gallery.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/make_problem.hpp"
#include "tests/formula_run.hpp"

namespace lapl::test {

using Values = std::vector<double>;

/// The relative difference. (doctest's Approx would add epsilon to the difference that it allows.)
inline double away_from(double expected, double value) { return std::abs(value / expected - 1); }
/// The sum over all cells.
inline double sum_all(const Values& values) { return std::reduce(values.begin(), values.end()); }

/// Runs a config of the gallery in float64 with these settings.
class GalleryRun {
 public:
  GalleryRun(std::string_view name, std::vector<std::string> settings) {
    settings.emplace_back("compute.precision=float64");
    const auto at = std::ranges::find(gallery(), name, &EmbeddedConfig::name);
    REQUIRE(at != gallery().end());
    run = parse_config(std::string(at->text), "g.yaml", ".", settings).run;
    const CoefficientFields coefficients = load_coefficients(run);
    backend_ = make_backend<double>("cpu", is_exponential(run) ? "auto" : "interpreted",
                                    make_problem<double>(Model(run), coefficients), 1);
    set_initial_state(*backend_, run, coefficients, {});
  }

  RunConfig run;

  /// The values of a field after `steps` further steps.
  Values after(std::int64_t steps, std::int64_t field = 0) {
    backend_->advance(steps);
    const auto capture = backend_->capture();
    const auto values = capture.wait().field(field);
    return {values.begin(), values.end()};
  }
  Values after(std::int64_t steps, std::string_view field) {
    const auto at = std::ranges::find(run.fields, field);
    REQUIRE(at != run.fields.end());
    return after(steps, at - run.fields.begin());
  }
  double at_time(std::int64_t steps) const { return static_cast<double>(steps) * *run.time_step; }

 private:
  std::unique_ptr<Backend<double>> backend_;
};

}  // namespace lapl::test
