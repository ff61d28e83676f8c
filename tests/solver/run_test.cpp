// The run loop: what it stores and when, and how it ends.
#include "solver/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <mutex>

#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"
#include "solver/initial_field.hpp"
#include "solver/outputs.hpp"
#include "solver/statistics.hpp"
#include "tests/faulty_backend.hpp"
#include "tests/formula_run.hpp"
#include "tests/solver/computed_field.hpp"

using namespace lapl;

namespace {

struct Stored {
  std::uint64_t digest;
  std::vector<float> field;
  bool output, checkpoint, laplacian;
};

// Stores everything that it receives, in the storing thread, as real sinks do.
class Recorder final : public RunSink<float> {
 public:
  std::map<std::int64_t, Stored> stored;
  std::int64_t fail_at = -1;

  void store(const Storing& storing, const Captured<float>& captured) override {
    if (storing.step == fail_at) throw IoError("disk is full");
    stored[storing.step] = {captured.digest,
                            {captured.state.begin(), captured.state.end()},
                            storing.output,
                            storing.checkpoint,
                            !captured.derived.empty()};
  }
  void probed(std::int64_t, double, std::span<const float>) override {}
  void progress(const Progress& progress) override { CHECK(progress.step <= progress.last_step); }
};

RunConfig small_config() {
  RunConfig config;
  config.shape = {30, 41};
  config.equation.coefficient = 0.2;
  config.steps = 100;
  config.output_every = 30;
  config.checkpoint_every = {.steps = 45, .seconds = std::nullopt};
  config.initial.kind = InitialKind::checkerboard;
  return config;
}

std::unique_ptr<Backend<float>> backend_for(const RunConfig& config) {
  const Problem<float> problem = test::diffusion<float>(config.shape, config.boundaries, 0.2f);
  auto backend = make_backend<float>("cpu", "threaded", problem, 2);
  const Model model(config);
  auto plans = planned_outputs(model, problem);
  for (const FilterConfig& filter : config.filters)
    plans.push_back(FilterPlan<float>{make_correlation<float>(filter, config.shape)});
  backend->set_derived(plans);
  set_initial_state<float>(*backend, config, {}, {});
  return backend;
}

std::string never() { return ""; }

}  // namespace

TEST_CASE("outputs and checkpoints are at 0, each multiple and the last step") {
  const RunConfig config = small_config();
  Recorder recorder;
  const auto backend = backend_for(config);
  const RunResult result = run<float>(*backend, Model(config), 0, recorder, never);
  CHECK(result.step == 100);
  CHECK(result.stopped_by.empty());
  std::vector<std::int64_t> outputs, checkpoints;
  for (const auto& [step, stored] : recorder.stored) {
    if (stored.output) outputs.push_back(step);
    if (stored.checkpoint) checkpoints.push_back(step);
    CHECK(stored.laplacian == stored.output);
  }
  CHECK(outputs == std::vector<std::int64_t>{0, 30, 60, 90, 100});
  CHECK(checkpoints == std::vector<std::int64_t>{0, 45, 90, 100});
}

TEST_CASE("nothing is stored of a step whose Laplacian or filter is not finite") {
  RunConfig config = small_config();
  config.initial.kind = InitialKind::uniform;
  config.initial.value = 1e38;  // a sum of four values is infinite in float32
  FilterConfig& steep = config.filters.emplace_back();
  steep.name = "steep";
  steep.kernel = KernelKind::sobel_rows;
  steep.edge = Edge::constant;
  Recorder recorder;
  const auto run_it = [&] {
    const auto backend = backend_for(config);
    run<float>(*backend, Model(config), 0, recorder, never);
  };
  CHECK_THROWS_WITH_AS(run_it(),
                       doctest::Contains("step 0: the laplacian at row 1, column 1 is not "
                                         "finite; rows 0 to 3, columns 0 to 3 hold\n"),
                       NumericalError);
  config.output_fields = {"field"};
  CHECK_THROWS_WITH_AS(run_it(),
                       doctest::Contains("step 0: filter steep at row 0, column 1 is not "
                                         "finite; "),
                       NumericalError);
  CHECK(recorder.stored.empty());
}

TEST_CASE("each stored state is that of its step, whatever else is going on") {
  const RunConfig config = small_config();
  Recorder recorder;
  run<float>(*backend_for(config), Model(config), 0, recorder, never);
  const auto field = test::computed_field(config);
  const std::vector<float> initial(field.begin(), field.end());
  for (const auto& [step, stored] : recorder.stored)
    CHECK(test::stepped<float>("cpu", "reference", test::diffusion<float>(config.shape, {}, 0.2f),
                               initial, step)
              .digest == stored.digest);
}

TEST_CASE("a run split at any step ends with the same bits") {
  RunConfig config = small_config();
  Recorder whole;
  run<float>(*backend_for(config), Model(config), 0, whole, never);
  for (const std::int64_t split : {1, 29, 30, 45, 99, 100}) {
    RunConfig first_part = config;
    first_part.steps = split;
    Recorder first, second;
    run<float>(*backend_for(config), Model(first_part), 0, first, never);
    const auto backend = backend_for(config);
    backend->set_state(first.stored.at(split).field);
    run<float>(*backend, Model(config), split, second, never);
    CHECK(second.stored.at(100).digest == whole.stored.at(100).digest);
  }
}

TEST_CASE("a request to stop ends the run early with a checkpoint") {
  RunConfig config = small_config();
  config.steps = 1'000'000'000;
  Recorder recorder;
  int asked = 0;
  const RunResult result = run<float>(*backend_for(config), Model(config), 0, recorder, [&] {
    return ++asked == 5 ? std::string("SIGTERM") : std::string();
  });
  CHECK(result.stopped_by == "SIGTERM");
  CHECK(result.step < config.steps);
  CHECK(recorder.stored.at(result.step).checkpoint);
}

TEST_CASE("the wall-clock limit ends the run early with a checkpoint") {
  RunConfig config = small_config();
  config.steps = 1'000'000'000;
  config.wall_time = 0.05;
  Recorder recorder;
  const RunResult result = run<float>(*backend_for(config), Model(config), 0, recorder, never);
  CHECK(result.stopped_by == "limits.wall_time");
  CHECK(recorder.stored.at(result.step).checkpoint);
}

TEST_CASE("checkpoints by the clock are stored on the way and at the last step") {
  RunConfig config = small_config();
  config.checkpoint_every = {.steps = std::nullopt, .seconds = 1e-9};
  Recorder recorder;
  run<float>(*backend_for(config), Model(config), 0, recorder, never);
  CHECK(recorder.stored.at(30).checkpoint);
  CHECK(recorder.stored.at(100).checkpoint);
}

TEST_CASE("a failing sink ends the run with its error") {
  Recorder recorder;
  recorder.fail_at = 30;
  const RunConfig config = small_config();
  CHECK_THROWS_WITH_AS(run<float>(*backend_for(config), Model(config), 0, recorder, never),
                       "disk is full", IoError);
  CHECK(recorder.stored.count(100) == 0);
}

TEST_CASE("a value that is not finite ends the run before it is stored") {
  const RunConfig config = small_config();
  auto field = test::random_field<float>(config.shape);
  field[5 * 41 + 7] = std::numeric_limits<float>::quiet_NaN();
  const auto backend = backend_for(config);
  for (std::int64_t row = 3; row <= 7; ++row)
    for (std::int64_t column = 5; column <= 9; ++column)
      if (row != 5 || column != 7)
        field[static_cast<std::size_t>(row * 41 + column)] =
            static_cast<float>(10 * row + column) / 4;
  backend->set_state(field);
  Recorder recorder;
  CHECK_THROWS_WITH_AS(run<float>(*backend, Model(config), 0, recorder, never),
                       "step 0: the value at row 5, column 7 is not finite; rows 3 to 7, columns 5 "
                       "to 9 hold\n"
                       "          8.75            9         9.25          9.5         9.75\n"
                       "         11.25         11.5        11.75           12        12.25\n"
                       "         13.75           14          nan         14.5        14.75\n"
                       "         16.25         16.5        16.75           17        17.25\n"
                       "         18.75           19        19.25         19.5        19.75",
                       NumericalError);
  CHECK(recorder.stored.empty());
}

TEST_CASE("a check between outputs finds a value that is not finite") {
  RunConfig config = small_config();
  config.output_every = config.steps = 1'000'000;
  config.checkpoint_every.steps = 1'000'000;
  config.check_finite_every = 10;
  auto field = test::random_field<float>(config.shape);
  for (float& value : field) value *= 1e36f;  // overflows soon, as c = 0.9 is unstable
  const auto backend =
      make_backend<float>("cpu", "threaded", test::diffusion<float>(config.shape, {}, 0.9f), 2);
  backend->set_state(field);
  Recorder recorder;
  CHECK_THROWS_AS(run<float>(*backend, Model(config), 0, recorder, never), NumericalError);
  CHECK(recorder.stored.size() == 1);
}

TEST_CASE("the first step that is stored or checked is the one at which a value is not finite") {
  RunConfig config = small_config();
  config.output_every = 10;
  config.check_finite_every = 6;
  config.steps = 1'000'000;
  const auto spoil = [](std::vector<float>& field) { field[100] = NAN; };
  const auto failed_step = [&](Backend<float>& backend) {
    Recorder recorder;
    try {
      run<float>(backend, Model(config), 0, recorder, never);
    } catch (const NotFiniteError& error) {
      return std::string(error.what()).substr(0, 8);
    }
    return std::string();
  };
  test::FaultyBackend<float> slow(backend_for(config), spoil);
  slow.fault_after = 9;
  // The state of step 10 is checked for storing only after the check of step 12 has failed.
  std::promise<void> checked;
  int looks = 0;
  slow.before_captured = [&] {
    if (looks++ == 1) checked.get_future().wait();
  };
  slow.when_checked = [&] {
    if (slow.advanced > 10) checked.set_value();
  };
  CHECK(failed_step(slow) == "step 10:");

  // Checkpoints by the clock may be at any step.
  config.output_every = config.steps;
  config.checkpoint_every = {.steps = std::nullopt, .seconds = 1e-9};
  test::FaultyBackend<float> often(backend_for(config), spoil);
  often.fault_after = 9;
  CHECK(failed_step(often) == "step 12:");

  // A value that is not finite from the start on is not carried to the first regular check.
  config.check_finite_every = 500;
  test::FaultyBackend<float> early(backend_for(config), spoil);
  early.fault_after = 5;
  CHECK(failed_step(early) == "step 8: ");
}

TEST_CASE("a run of no steps stores the initial field") {
  RunConfig config = small_config();
  config.steps = 0;
  Recorder recorder;
  const RunResult result = run<float>(*backend_for(config), Model(config), 0, recorder, never);
  CHECK(result.step == 0);
  CHECK(recorder.stored.at(0).output);
  CHECK(recorder.stored.at(0).checkpoint);
}

TEST_CASE("l2 is right for values whose squares exceed float64, and keeps its bits for others") {
  const Shape shape{3, 4};
  for (const double spacing : {1e-10, 0.5, 1e10})
    for (const double size : {1e-200, 1e-160, 1e-3, 1., 7e5, 1e160}) {
      const std::vector<double> field(12, -size);
      const Statistics found = compute_statistics(std::span(field), shape, spacing, only_rank());
      CAPTURE(size);
      CAPTURE(spacing);
      CHECK(found.l2 == doctest::Approx(size * spacing * std::sqrt(12.)).epsilon(1e-15));
      CHECK(found.mass == doctest::Approx(-12 * spacing * spacing * size).epsilon(1e-15));
    }
  const std::vector<double> largest(12, 1e300);
  CHECK(compute_statistics(std::span(largest), shape, 0.5, only_rank()).l2 ==
        doctest::Approx(0.5e300 * std::sqrt(12.)).epsilon(1e-15));
  const auto field = test::random_field<double>(shape);
  double squares = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < 4; ++column)
      sum += field[4 * row + column] * field[4 * row + column];
    squares += sum;
  }
  CHECK(compute_statistics(std::span(field), shape, 0.3, only_rank()).l2 ==
        std::sqrt(squares * (0.3 * 0.3)));
  CHECK(compute_statistics(std::span<const double>(std::vector<double>(12)), shape, 1, only_rank())
            .l2 == 0);
}
