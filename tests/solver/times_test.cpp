// Times are the doubles nearest to decimals, whatever the step.
#include "solver/times.hpp"

#include <doctest/doctest.h>

#include <string>

#include "solver/schedule.hpp"
#include "tests/formula_run.hpp"

using namespace lapl;

TEST_CASE("multiples of a time are rounded once") {
  CHECK(decimal_multiple(0.3, 3) == 0.9);
  CHECK(decimal_multiple(0.7, 3) == 2.1);
  CHECK(decimal_multiple(0.7, 6) == 4.2);
  CHECK(decimal_multiple(28800.1, 3) == 86400.3);
  CHECK(decimal_multiple(1e-30, 7) == 7e-30);
  CHECK(decimal_multiple(1e300, most_steps) > 1e307);
  for (const double unit : {0.1, 0.7, 1.1e-7, 123.456})
    for (std::int64_t k = 1; k < 5000; k += 7) {
      const double time = decimal_multiple(unit, k);
      CHECK(nearest_multiple(unit, time) == time);
      CHECK(next_multiple(unit, time) == decimal_multiple(unit, k + 1));
    }
}

TEST_CASE("steps of any size that divide a time have the same times") {
  const auto make_times = [](double step, std::optional<double> every) {
    RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
    run.time_step = step;
    run.output_time = every;
    return step_times(run);
  };
  const StepTimes tenths = make_times(0.1, {}), by_three = make_times(0.3, {}),
                  thirds = make_times(1.0 / 3, 1.0), given = make_times(0.1, 0.3);
  // Whatever they divide, steps have the same times within them.
  for (const double every : {0.125, 3.75, 5.0, 7.5})
    for (std::int64_t k = 1; k < 3000; ++k)
      CHECK(make_times(0.125, every).time(k, 1.0 / 3) == make_times(0.125, {}).time(k, 1.0 / 3));
  for (std::int64_t k = 1; k < 3000; ++k) {
    CHECK(tenths.time(3 * k) == by_three.time(k));
    CHECK(given.time(3 * k) == by_three.time(k));
    CHECK(thirds.time(3 * k) == static_cast<double>(k));
    CHECK(tenths.time(k) == std::stod(std::to_string(k) + "e-1"));
    CHECK(tenths.time(k, 1) == tenths.time(k + 1));
  }
}

TEST_CASE("a time halfway between two doubles is the even one, and one beyond it the next") {
  StepTimes clock{.unit = 3'002'399'751'580'331};  // 3 units are 2^53 + 1
  CHECK(clock.time(3) == 0x1p53);
  clock.parts = 0x1p40;
  CHECK(clock.time(3) == 0x1p13);
  clock = {.unit = 27'021'597'764'222'980, .parts = 3};  // 2^53 + 1 and a third
  CHECK(clock.time(1) == 0x1p53 + 2);
}

// Steps with as many digits as doubles have. The times are also those of decimal_multiple.
TEST_CASE("steps of many digits have times that are rounded once") {
  for (const double step : {3.141592653589793, 0.3141592653589793, 0.000123456789012345,
                            0.30000000000000004, 2.718281828e-12, 123456789.12345678}) {
    RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
    run.time_step = step;
    const StepTimes clock = step_times(run);
    for (std::int64_t k = 1; k < 5000; k += 3) CHECK(clock.time(k) == decimal_multiple(step, k));
  }
  for (const double end : {6.283185307179586, 3.141592653589793})
    for (std::int64_t steps = 2; steps < 3000; ++steps) {
      RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
      run.time_step = end / static_cast<double>(steps);
      run.end = end;
      CHECK(step_times(run).time(steps) == end);
    }
}

TEST_CASE("times from a start on are rounded once, too") {
  CHECK(decimal_multiple(0.1, 3, -0.3) == 0);
  CHECK(decimal_multiple(0.1, 4, -0.3) == 0.1);
  CHECK(decimal_multiple(0.3, 3, 0.05) == 0.95);
  CHECK(decimal_multiple(1e-30, 1, 1e30) == 1e30);
  CHECK(decimal_difference(0.9, 0.6) == 0.3);
  CHECK(decimal_difference(-0.1, -0.4) == 0.3);
  for (const double start : {-123.4, -0.3, 0.05, 1e6, 7.7e-5})
    for (const double unit : {0.1, 0.7, 1.1e-7})
      for (std::int64_t k = 1; k < 3000; k += 7) {
        const double time = decimal_multiple(unit, k, start);
        CHECK(nearest_multiple(unit, time, start) == time);
        CHECK(next_multiple(unit, time, start) == decimal_multiple(unit, k + 1, start));
        RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
        run.time_step = unit, run.start = start;
        const StepTimes clock = step_times(run);
        CHECK(clock.time(k) == time);
        CHECK(clock.time(k, 1) == decimal_multiple(unit, k + 1, start));
        CHECK(std::abs(clock.time(k, 0.5) - time - unit / 2) <=
              1e-15 * (std::abs(start) + std::abs(time)));
      }
}

TEST_CASE("the end of a run is its last time, whatever its start") {
  for (const double start : {-2.5, 0.1, 3.141592653589793, 1.0 / 3})
    for (const std::int64_t steps : {1, 3, 7, 1000}) {
      RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
      run.start = start, run.end = 4.2;
      run.time_step = run_seconds(run) / static_cast<double>(steps);
      CHECK(step_times(run).time(0) == start);
      CHECK(step_times(run).time(steps) == 4.2);
    }
}

TEST_CASE("steps that have another size since a step are counted from it") {
  RunConfig run = test::formula_run({1, 1, 4, 1}, {{"field", "0"}});
  run.steps = 100, run.start = -0.1, run.time_step = 0.3, run.since = {.step = 14, .time = 1.3};
  CHECK(step_times(run).time(14) == 1.3);
  CHECK(step_times(run).time(16) == 1.9);
  run.output_time = 1.5;  // at -0.1, 1.4, 2.9
  run.time_step = 0.1;
  CHECK(exact_times(run) == std::vector<double>{0.1, 1.5});
  CHECK(Schedule(run).next_output_after(14) == 15);
  CHECK(Schedule(run).next_output_after(15) == 30);
  CHECK(Schedule(run).is_output(30));
  CHECK_FALSE(Schedule(run).is_output(29));
}
