// The steps of outputs, given as numbers of steps or as model times.
#include "solver/schedule.hpp"
#include "solver/times.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>


using namespace lapl;

namespace {

RunConfig config_of(double time_step, std::int64_t steps) {
  RunConfig config;
  config.shape = {8, 8};
  config.equation.parameters = {{"diffusivity", 0.01}};
  config.time_step = time_step;
  config.steps = steps;
  return config;
}

std::vector<std::int64_t> outputs_of(const RunConfig& config) {
  const Schedule schedule(config);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= config.steps; ++step)
    if (schedule.is_output(step)) steps.push_back(step);
  CHECK(schedule.outputs() == std::ssize(steps));
  for (std::int64_t step = 0; step < config.steps; ++step) {
    std::int64_t next = step + 1;
    while (!schedule.is_output(next)) ++next;
    CHECK(schedule.next_after(step) <= next);
  }
  return steps;
}

}  // namespace

TEST_CASE("schedule: outputs at times are whole numbers of steps") {
  RunConfig config = config_of(0.1, 35);
  config.output_time = 0.7;  // seven steps, except for rounding
  CHECK(outputs_of(config) == std::vector<std::int64_t>{0, 7, 14, 21, 28, 35});
  config.output_time = 1e300;
  CHECK(outputs_of(config) == std::vector<std::int64_t>{0, 35});
  config.output_time.reset();
  config.output_every = 10;
  CHECK(outputs_of(config) == std::vector<std::int64_t>{0, 10, 20, 30, 35});
}

TEST_CASE("steps that divide times are the nearest ones") {
  CHECK(divides(0.1, {0.7, 3.5}));
  CHECK(!divides(0.3, {1}));
  CHECK(dividing_step({1}, 0.3) == 0.25);
  CHECK(dividing_step({1}, 0.3, true) == 1.0 / 3);
  CHECK(dividing_step({0.7, 3}, 0.45) == 0.7 / 7);
  CHECK(!dividing_step({1, std::sqrt(2)}, 0.3));
  CHECK(!dividing_step({1}, 2, true));
  CHECK(dividing_step({1}, 2) == 1);
}

TEST_CASE("schedule: the first step at or after a time is right within rounding") {
  for (std::int64_t n = 1; n < 100000; n += 7)
    for (const double dt : {0.1, 0.3, 1e-3, 7.7}) {
      CHECK(first_step_at(static_cast<double>(n) * dt, dt) == n);
      CHECK(first_step_at((static_cast<double>(n) + 0.01) * dt, dt) == n + 1);
    }
  CHECK(first_step_at(0, 0.1) == 0);
}
