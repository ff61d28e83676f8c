// Forecasts of whole runs from trials of some steps.
#include "app/commands/trial.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace lapl;

namespace {

// A run by error to time 1000 with an output at its end.
RunConfig config_by_error() {
  RunConfig config;
  config.scheme = {Scheme::bs23, 3};
  config.scheme.tolerance = Tolerance{1e-4, 1e-4};
  config.scheme.varies = true;
  config.end = 1000;
  config.output_time = 1000;
  return config;
}

// The points of a trial that takes 100 steps in each second; `time` is that after so many steps.
template <class Time>
std::vector<TrialPoint> trial_points(std::int64_t steps, const Time& time) {
  std::vector<TrialPoint> points;
  for (std::int64_t step = 0; step <= steps; step += steps / 10)
    points.push_back({static_cast<double>(step) / 100, step, time(static_cast<double>(step))});
  return points;
}

}  // namespace

TEST_CASE("forecast: steps of one size are known, and their time is in proportion") {
  RunConfig config;
  config.steps = 5000;
  const Forecast forecast =
      make_forecast(config, trial_points(100, [](double step) { return step; }), {}, false);
  CHECK(forecast.exact);
  CHECK(forecast.steps == 5000);
  CHECK(forecast.seconds == doctest::Approx(50));
}

TEST_CASE("forecast: steps by error that have settled are counted") {
  const Forecast forecast = make_forecast(
      config_by_error(), trial_points(100, [](double step) { return step / 10; }), {}, false);
  CHECK_FALSE(forecast.exact);
  CHECK(forecast.settled);
  CHECK(forecast.steps == 10000);
  CHECK(forecast.seconds == doctest::Approx(100));
  CHECK_FALSE(forecast.most_steps);
}

TEST_CASE("forecast: steps that grow with the time have a least and a largest number") {
  // t = e^(step / 20) / 1000: the step is t / 20, and the end comes after 20 ln(1e6) steps.
  const Forecast forecast = make_forecast(
      config_by_error(), trial_points(100, [](double step) { return std::exp(step / 20) / 1000; }),
      {}, false);
  CHECK_FALSE(forecast.settled);
  CHECK(forecast.steps == doctest::Approx(20 * std::log(1e6)).epsilon(0.15));
  REQUIRE(forecast.most_steps);
  CHECK(*forecast.most_steps > 50000);
  CHECK(forecast.seconds ==
        doctest::Approx(static_cast<double>(forecast.steps) / 100).epsilon(0.01));
}

TEST_CASE("forecast: steps that become shorter have a least number alone") {
  const Forecast forecast = make_forecast(
      config_by_error(), trial_points(100, [](double step) { return std::sqrt(step); }), {}, false);
  CHECK_FALSE(forecast.settled);
  // The longest steps of the trial are of 0.316 s.
  CHECK(forecast.steps == doctest::Approx(990 / 0.316 + 100).epsilon(0.01));
  CHECK_FALSE(forecast.most_steps);
}

TEST_CASE("forecast: outputs bound the size of steps, and a whole run is exact") {
  RunConfig config = config_by_error();
  config.output_time = 0.5;
  const auto points = trial_points(100, [](double step) { return std::exp(step / 20) / 1000; });
  CHECK(make_forecast(config, points, {}, false).steps >= 2000);
  const Forecast whole = make_forecast(config, points, {.count = 4, .wall = 2}, true);
  CHECK(whole.exact);
  CHECK(whole.steps == 100);
  CHECK(whole.seconds == doctest::Approx(3));
  CHECK(whole.estimating == 2);
}

TEST_CASE("forecast: estimates cost as many times as a run makes them") {
  RunConfig config = config_by_error();
  config.scheme.tolerance.reset();
  config.check_finite_every = 500;
  const auto points = trial_points(500, [](double step) { return step / 10; });
  // 10,000 steps in all, 9500 of them ahead, in which 19 estimates follow each other.
  const Forecast slow = make_forecast(config, points, {.count = 10, .wall = 1, .growth = 0}, false);
  CHECK(slow.estimating == doctest::Approx(1 + 19 * 0.1));
  CHECK(slow.seconds == doctest::Approx(100 + slow.estimating));
  // At the most every 50 steps.
  const Forecast fast =
      make_forecast(config, points, {.count = 10, .wall = 1, .growth = 1e9}, false);
  CHECK(fast.estimating == doctest::Approx(1 + 190 * 0.1));
}
