// lapl_state_faults BACKEND TRIALS [SEED [FIRST]]: small runs of random configs with the state
// corrupted once, at a random step and cell. Everything stored must equal the files of a run
// without the fault, and a resumed run must end with the same bits. Exit code 1 if a trial fails;
// each failed trial is named with its number, which FIRST repeats.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "io/run/restart.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"
#include "tests/faulty_backend.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/torture/damage.hpp"

namespace lapl::test {
namespace {

enum class Fault { none, not_finite, flipped_bit, unstable, count };

struct Trial {
  RunConfig config;
  Fault fault = Fault::none;
  std::int64_t after = 0;  // number of advanced steps before the fault; 0: in the initial field
  std::size_t cell = 0;
  double value = 0;  // the corrupted value
  unsigned field_seed = 0;

  std::string text() const {
    constexpr const char* names[] = {"no fault", "a value", "a flipped bit", "an unstable step"};
    return fmt::format(
        "{} ({}) in cell {} after {} steps: {} x {}, {}, {}, {} steps, output {}, "
        "checkpoint {}, check {}, verify {}, fields {}",
        names[static_cast<int>(fault)], value, cell, after, config.shape.rows, config.shape.columns,
        enum_name(config.precision), config.engine, config.steps, config.output_every,
        *config.checkpoint_every.steps, config.check_finite_every, config.verify_every.value_or(0),
        config.fields.size());
  }
};

std::int64_t from_one_to(std::int64_t last, Random& random) {
  return 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(last), random));
}

std::vector<std::string> backend_engines(const std::string& backend) {
  std::vector<std::string> names = {"auto"};
  for (const EngineInfo& engine : engine_table)
    if (engine.backend == backend) names.emplace_back(engine.name);
  return names;
}

bool has_two_fields(const RunConfig& config) { return config.fields.size() == 2; }

// Sets formulas of an oscillating, decaying equation; `c` replaces the coefficient of diffusion.
void set_rates(RunConfig& config, double c) {
  const double less = 0.8 * c;  // oscillation lowers the largest stable step
  config.equation.rates = {{"u", fmt::format("{} * laplacian(u) - 0.01 * v", less)},
                           {"v", fmt::format("{} * laplacian(v) + 0.01 * u", less)}};
}

void use_two_fields(RunConfig& config) {
  config.fields = {"u", "v"};
  config.equation = {};
  config.equation.kind = EquationKind::formula;
  set_rates(config, 0.25);
  config.time_step = 1;
  config.output_fields = {"u", "v"};
}

Trial make_trial(const std::string& backend, std::uint64_t seed) {
  Random random(seed);
  Trial trial;
  trial.fault = static_cast<Fault>(below(static_cast<std::size_t>(Fault::count), random));
  const bool unstable = trial.fault == Fault::unstable;
  RunConfig& config = trial.config;
  config.backend = backend;
  const auto engines = backend_engines(backend);
  config.engine = engines[below(engines.size(), random)];
  config.precision = below(2, random) == 0 ? Precision::float32 : Precision::float64;
  const std::int64_t least = unstable ? 7 : 0;  // smaller grids may have no growing mode
  config.shape = {least + from_one_to(40, random), least + from_one_to(40, random)};
  config.boundaries = {all_boundaries[below(3, random)], all_boundaries[below(3, random)]};
  config.equation.coefficient = 0.25;
  config.steps = unstable ? 500 : from_one_to(200, random);
  config.output_every = from_one_to(80, random);
  config.checkpoint_every = {.steps = from_one_to(50, random), .seconds = std::nullopt};
  config.checkpoints_kept = 1000;
  config.output_fields = {"field", "laplacian"};
  config.check_finite_every = from_one_to(60, random);
  if (trial.fault == Fault::flipped_bit || below(2, random) == 0)
    config.verify_every = from_one_to(60, random);
  const bool from_the_start = trial.fault == Fault::not_finite && below(8, random) == 0;
  if (!from_the_start)
    trial.after = from_one_to(config.verify_every ? 2 * config.steps : config.steps, random);
  trial.cell = below(static_cast<std::size_t>(config.shape.cells()), random);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double planted[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  trial.value = planted[below(3, random)];
  trial.field_seed = static_cast<unsigned>(random());
  if (backend == "cpu" && below(3, random) == 0) {
    use_two_fields(config);
    config.engine = below(2, random) == 0 ? "reference" : "interpreted";
    trial.cell += below(2, random) * static_cast<std::size_t>(config.shape.cells());
  }
  return trial;
}

void expect(bool held, const std::string& what) {
  if (!held) throw std::logic_error(what);
}

template <class T>
std::unique_ptr<Backend<T>> faulty_backend(const std::string& backend, const std::string& engine,
                                           const RunConfig& config, T coefficient,
                                           const std::vector<T>& field) {
  const Problem<T> problem = [&] {
    if (!has_two_fields(config))
      return test::diffusion<T>(config.shape, config.boundaries, coefficient);
    RunConfig with = config;
    set_rates(with, static_cast<double>(coefficient));
    return make_problem<T>(Model(with), {});
  }();
  const Model model(config);
  auto made = make_backend<T>(backend, engine, problem, 1);
  made->set_derived(planned_outputs(model, problem));
  made->set_state(field);
  return made;
}

/// Runs to the end with the files in `folder`; returns the error that ended it early, or "".
template <class T>
std::string run_to(const RunFolder& folder, Backend<T>& backend, const RunConfig& config,
                   const CheckpointHeader& from) {
  const bool two = has_two_fields(config);
  std::string config_text =
      fmt::format("grid: {{shape: [{}, {}]}}\ntime: {{steps: {}{}}}\ncompute: {{precision: {}}}\n",
                  config.shape.rows, config.shape.columns, config.steps, two ? ", step: 1" : "",
                  enum_name(config.precision));
  if (two)
    config_text += fmt::format(
        "fields: [u, v]\nequation: {{kind: formula, u: {}, v: {}}}\n"
        "initial: {{u: {{kind: uniform}}, v: {{kind: uniform}}}}\n",
        config.equation.rates.at("u").text(), config.equation.rates.at("v").text());
  else
    config_text += fmt::format("equation: {{coefficient: {}}}\n", *config.equation.coefficient);
  const Model model(config);
  RunWriter<T> writer(folder, model, config_text, {}, from,
                      {.stored = [](const StoredEvent&) {},
                       .progress = [](const Progress&) {},
                       .warning =
                           [](const std::string& text) {
                             if (!contains(text, "stand still")) throw std::logic_error(text);
                           }});
  try {
    run<T>(backend, model, from.step, writer, [] { return std::string(); });
    return {};
  } catch (const NumericalError& error) {
    return error.what();
  }
}

/// The state digest at each step of the run without a fault, computed by the reference engine.
template <class T>
std::vector<std::uint64_t> right_digests(const RunConfig& config, const std::vector<T>& field) {
  const auto backend = faulty_backend<T>("cpu", "reference", config, T(0.25), field);
  std::vector<std::uint64_t> digests;
  for (std::int64_t step = 0; step <= config.steps; ++step) {
    digests.push_back(stepped_state(*backend).digest);
    backend->advance(1);
  }
  return digests;
}

template <class T>
void require_finite(const Checkpoint& checkpoint) {
  for (const T value : std::get<std::vector<T>>(checkpoint.values))
    expect(std::isfinite(value), "a checkpoint holds a value that is not finite");
}

/// Checks that every file of the run is whole and finite and, if `digests` are given, has the
/// digest of its step.
template <class T>
void check_files(const RunFolder& folder, const std::vector<std::uint64_t>& digests,
                 const std::vector<std::string>& fields) {
  for (const auto& path : list_checkpoints(folder.checkpoints())) {
    const Checkpoint checkpoint = read_checkpoint(path);
    require_finite<T>(checkpoint);
    const auto step = static_cast<std::size_t>(checkpoint.header.step);
    expect(digests.empty() || checkpoint.header.state_digest == digests[step],
           path.string() + " is not the checkpoint of the run without a fault");
  }
  for (const auto& path : list_step_files(folder.fields())) {
    std::vector<T> values;
    for (const std::string& field : fields) {
      const ReadField read = read_field(path, field);
      const auto& held = std::get<std::vector<T>>(read.values);
      values.insert(values.end(), held.begin(), held.end());
    }
    const auto step = static_cast<std::size_t>(step_of_file_name(path.filename().string()));
    expect(digests.empty() || field_digest(std::span<const T>(values)) == digests[step],
           path.string() + " is not the output of the run without a fault");
  }
}

bool is_complaint(const std::string& message, const RunConfig& config) {
  return contains(message, " is not finite") ||
         (config.verify_every && (contains(message, ": taken twice from the same state") ||
                                  contains(message, " was verified (")));
}

template <class T>
void try_run(const Trial& trial) {
  const RunConfig& config = trial.config;
  const bool unstable = trial.fault == Fault::unstable;
  const ScratchFolder scratch;
  const RunFolder folder = RunFolder::create(scratch / "out", RunFolder::Existing::refuse);
  Shape state = config.shape;
  state.rows *= std::ssize(config.fields);
  const std::vector<T> good = random_field<T>(state, trial.field_seed);
  std::vector<T> field = good;
  const auto fault = [&](std::vector<T>& values) {
    if (trial.fault == Fault::not_finite) values[trial.cell] = static_cast<T>(trial.value);
    if (trial.fault == Fault::flipped_bit) flip_bit(values[trial.cell]);
  };
  if (trial.after == 0) fault(field);
  FaultyBackend<T> faulty(
      faulty_backend<T>(config.backend, config.engine, config, unstable ? T(2) : T(0.25), field),
      fault);
  faulty.fault_after = trial.after;
  const std::string error = run_to<T>(folder, faulty, config, {});
  const auto digests = unstable ? std::vector<std::uint64_t>{} : right_digests(config, good);
  check_files<T>(folder, digests, config.fields);
  expect(error.empty() || is_complaint(error, config), "another error: " + error);
  if (trial.fault == Fault::none) expect(error.empty(), "a false alarm: " + error);
  if (trial.fault == Fault::not_finite || unstable) expect(!error.empty(), "nothing was found");
  if (unstable || trial.after == 0) return;

  // Resumes from the newest checkpoint to the end.
  const Checkpoint from = newest_valid_checkpoint(folder.checkpoints()).checkpoint;
  const auto clean = faulty_backend<T>(config.backend, config.engine, config, T(0.25),
                                       std::get<std::vector<T>>(from.values));
  expect(run_to<T>(folder, *clean, config, from.header).empty(), "going on failed");
  check_files<T>(folder, digests, config.fields);
  expect(stepped_state(*clean).digest == digests.back(), "going on ended with another digest");
}

int torture(const std::string& backend, std::uint64_t trials, std::uint64_t seed,
            std::uint64_t first) {
  std::uint64_t failed = 0;
  for (std::uint64_t number = first; number < first + trials; ++number) {
    const Trial trial = make_trial(backend, seed + number * 0x9E3779B97F4A7C15u);
    try {
      with_precision(trial.config.precision, [&]<class T>() { return try_run<T>(trial); });
    } catch (const std::exception& error) {
      ++failed;
      fmt::print(stderr, "trial {}, {}: {}\n", number, trial.text(), error.what());
    }
  }
  fmt::print("trials {} passed {} failed {}\n", trials, trials - failed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lapl::test

int main(int argc, char** argv) try {
  const auto number = [&](int index, std::uint64_t otherwise) {
    return argc > index ? std::stoull(argv[index]) : otherwise;
  };
  return lapl::test::torture(argc > 1 ? argv[1] : "cpu", number(2, 50), number(3, 1), number(4, 0));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
