// limits.verify_every: a flipped bit is found, and no later state is stored.
#include "solver/verification.hpp"

#include <doctest/doctest.h>

#include <map>

#include "solver/initial_field.hpp"
#include "solver/run.hpp"
#include "tests/backends.hpp"
#include "tests/faulty_backend.hpp"

using namespace lapl;

namespace {

// Outputs at 0, 30, 60, 90, 100, checkpoints at 0, 45, 90, 100; verified at 25, 30, 45, 50, ...
RunConfig small_config() {
  RunConfig config;
  config.shape = {30, 41};
  config.equation.coefficient = 0.2;
  config.steps = 100;
  config.output_every = 30;
  config.checkpoint_every = {.steps = 45, .seconds = std::nullopt};
  config.verify_every = 25;
  config.initial.kind = InitialKind::checkerboard;
  return config;
}

// Stores the digest of each state that it receives.
template <class T>
class Recorder final : public RunSink<T> {
 public:
  struct Stored {
    std::uint64_t digest;
    bool output, checkpoint;
    bool operator==(const Stored&) const = default;
  };
  std::map<std::int64_t, Stored> stored;

  void store(const Storing& storing, const Captured<T>& captured) override {
    stored[storing.step] = {captured.digest, storing.output, storing.checkpoint};
  }
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress&) override {}
};

template <class T>
test::FaultyBackend<T> backend_for(const RunConfig& config, const std::string& name) {
  auto real =
      make_backend<T>(name, "auto", test::diffusion<T>(config.shape, config.boundaries, T(0.2)), 2);
  set_initial_state<T>(*real, config, {}, {});
  return test::FaultyBackend<T>(std::move(real),
                                [](std::vector<T>& field) { test::flip_bit(field[5 * 41 + 7]); });
}

std::string never() { return ""; }

// The error message of the run; empty if it succeeds.
template <class T>
std::string verification_error(Backend<T>& backend, const RunConfig& config,
                               Recorder<T>& recorder) {
  try {
    run<T>(backend, Model(config), 0, recorder, never);
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE_TEMPLATE("a clean run that verifies stores what one without does", T, float, double) {
  const RunConfig config = small_config();
  RunConfig plain = config;
  plain.verify_every.reset();
  for (const std::string& name : test::backends()) {
    auto without = backend_for<T>(plain, name);
    Recorder<T> expected;
    run<T>(without, Model(plain), 0, expected, never);
    CHECK(without.advanced == 100);
    for (const std::int64_t every : {1, 7, 25, 1000}) {
      RunConfig verified = config;
      verified.verify_every = every;
      auto with = backend_for<T>(verified, name);
      Recorder<T> recorder;
      run<T>(with, Model(verified), 0, recorder, never);
      CHECK(with.advanced == 200);
      CHECK(recorder.stored == expected.stored);
    }
  }
}

TEST_CASE_TEMPLATE("a flipped bit is found, in the first pass and in the second", T, float,
                   double) {
  const RunConfig config = small_config();
  Recorder<T> clean;
  auto reference = backend_for<T>(config, "cpu");
  run<T>(reference, Model(config), 0, clean, never);
  struct Case {
    // The advanced steps 90 to 95 are the first pass of steps 45 to 50; 95 to 100 repeat them.
    std::int64_t flip_after;
    const char* steps;
    std::vector<std::int64_t> stored;
  };
  const std::vector<Case> cases = {{1, "steps 0 to 25: ", {0}},
                                   {25, "steps 0 to 25: ", {0}},
                                   {26, "steps 0 to 25: ", {0}},
                                   {50, "steps 0 to 25: ", {0}},
                                   {52, "steps 25 to 30: ", {0}},
                                   {92, "steps 45 to 50: ", {0, 30, 45}},
                                   {98, "steps 45 to 50: ", {0, 30, 45}},
                                   {190, "steps 90 to 100: ", {0, 30, 45, 60, 90}},
                                   {200, "steps 90 to 100: ", {0, 30, 45, 60, 90}}};
  for (const std::string& name : test::backends()) {
    for (const Case& planted : cases) {
      CAPTURE(planted.flip_after);
      auto backend = backend_for<T>(config, name);
      backend.fault_after = planted.flip_after;
      Recorder<T> recorder;
      const std::string error = verification_error(backend, config, recorder);
      CAPTURE(error);
      CHECK(error.starts_with(planted.steps));
      CHECK(error.find("digest 0x") != error.npos);
      CHECK(error.find("and with 0x") != error.npos);
      std::vector<std::int64_t> steps;
      for (const auto& [step, stored] : recorder.stored) {
        steps.push_back(step);
        CHECK(stored == clean.stored.at(step));
      }
      CHECK(steps == planted.stored);
    }
  }
}

TEST_CASE("without verify_every the flipped bit is stored") {
  RunConfig config = small_config();
  config.verify_every.reset();
  Recorder<float> clean, flipped;
  auto reference = backend_for<float>(config, "cpu");
  run<float>(reference, Model(config), 0, clean, never);
  auto backend = backend_for<float>(config, "cpu");
  backend.fault_after = 92;
  CHECK(verification_error(backend, config, flipped).empty());
  CHECK(flipped.stored.at(90) == clean.stored.at(90));
  CHECK(flipped.stored.at(100).digest != clean.stored.at(100).digest);
}

TEST_CASE("a bit that flips between the verification and the copy is found too") {
  const RunConfig config = small_config();
  auto backend = backend_for<float>(config, "cpu");
  backend.fault_before_storing = true;
  Recorder<float> recorder;
  const std::string error = verification_error(backend, config, recorder);
  CAPTURE(error);
  CHECK(error.starts_with("step 30: digest 0x"));
  CHECK(error.find(" was verified") != error.npos);
  CHECK(recorder.stored.size() == 1);
}

TEST_CASE("a request to stop stores only verified steps") {
  RunConfig config = small_config();
  config.steps = config.output_every = 1'000'000'000;
  config.checkpoint_every.steps = config.verify_every = 1'000'000'000;
  for (const bool flip : {false, true}) {
    auto backend = backend_for<float>(config, "cpu");
    if (flip) backend.fault_after = 2;
    Recorder<float> recorder;
    int asked = 0;
    const auto soon = [&] { return ++asked == 3 ? std::string("SIGTERM") : std::string(); };
    if (flip) {
      CHECK_THROWS_AS(run<float>(backend, Model(config), 0, recorder, soon), NumericalError);
      CHECK(recorder.stored.size() == 1);
    } else {
      const RunResult result = run<float>(backend, Model(config), 0, recorder, soon);
      CHECK(result.stopped_by == "SIGTERM");
      CHECK(recorder.stored.at(result.step).checkpoint);
      CHECK(backend.advanced == 2 * result.step);
    }
  }
}
