// The steps of outputs, given as numbers of steps or as model times.
#include "solver/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "solver/run_speed.hpp"
#include "solver/times.hpp"

using namespace lapl;

namespace {

RunConfig make_config(double time_step, std::int64_t steps) {
  RunConfig config;
  config.shape = {8, 8};
  config.equation.diffusivity = 0.01;
  config.time_step = time_step;
  config.steps = steps;
  return config;
}

std::vector<std::int64_t> output_steps(const RunConfig& config) {
  const Schedule schedule(config);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= config.steps; ++step)
    if (schedule.is_output(step)) steps.push_back(step);
  CHECK(schedule.outputs().least == std::ssize(steps));
  CHECK(schedule.outputs().exact);
  for (std::int64_t step = 0; step < config.steps; ++step) {
    std::int64_t next = step + 1;
    while (!schedule.is_output(next)) ++next;
    CHECK(schedule.next_after(step) <= next);
  }
  return steps;
}

}  // namespace

TEST_CASE("schedule: outputs at times are whole numbers of steps") {
  RunConfig config = make_config(0.1, 35);
  config.output_time = 0.7;  // seven steps, except for rounding
  CHECK(output_steps(config) == std::vector<std::int64_t>{0, 7, 14, 21, 28, 35});
  config.output_time = 1e300;
  CHECK(output_steps(config) == std::vector<std::int64_t>{0, 35});
  config.output_time.reset();
  config.output_every = 10;
  CHECK(output_steps(config) == std::vector<std::int64_t>{0, 10, 20, 30, 35});
}

TEST_CASE("schedule: outputs of steps by error follow from times, not from the first step") {
  RunConfig config = make_config(1e-7, most_steps);
  config.scheme = {Scheme::bs23, 3};
  config.scheme.tolerance = Tolerance{1e-4, 1e-4};
  config.scheme.varies = true;
  config.end = 2.1;
  config.output_time = 0.7;
  const auto outputs = [&] { return Schedule(config).outputs(); };
  CHECK(outputs().least == 4);
  CHECK(outputs().exact);
  config.end = 2.2;
  CHECK(outputs().least == 5);
  config.output_time.reset();
  config.output_every = 10;
  CHECK(outputs().least == 2);
  CHECK(!outputs().exact);
  CHECK(!Schedule(config).checkpoints().exact);
  config.end.reset();
  config.steps = 35;
  CHECK(outputs().least == 5);
  CHECK(outputs().exact);
  config.output_time = 0.7;  // the run may take long steps or short ones
  CHECK(!outputs().exact);
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

TEST_CASE("a stretch between two readings of the clock takes about a tenth of a second") {
  Stretch stretch;
  for (const double seconds : {0.01, 0.02, 0.04, 0.1}) stretch.took(stretch.steps(), seconds);
  CHECK(stretch.steps() == 8);
  stretch.took(8, 0.3);
  CHECK(stretch.steps() == 4);
  stretch.took(3, 9);  // cut short by an output
  CHECK(stretch.steps() == 4);
}
