// Steps of engine spectral on several ranks have the bits of one rank, and so have derived outputs.
#include <doctest/doctest.h>

#include "kernels/error.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/exponential_problem.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/kernels/random_problems.hpp"
#include "tests/ranks/ranks.hpp"
#include "tests/spectral_runs.hpp"

using namespace lapl;

namespace {

// Takes steps, and the last with half the size after one that is taken back. Returns the errors.
template <class T>
std::vector<double> run_steps(Backend<T>& backend, const Problem<T>& problem) {
  backend.advance(2);
  if (!problem.measures_error) {
    backend.advance(3);
    return {};
  }
  const double step = problem.clock.step;
  std::vector<double> errors;
  for (const double size : {step, step / 2}) {
    backend.set_clock({.step = size, .start = 2 * step, .start_step = 2});
    backend.advance(1);
    const int fields = problem.state_fields();
    const double error = largest_error(backend, fields);
    const auto first = backend.reduce({fields, 1}, error)().first;
    errors.insert(errors.end(), {error, static_cast<double>(first.value().index)});
    if (size == step) backend.undo_step();
  }
  return errors;
}

// The rows `rows` of a state, field after field.
template <class T>
std::vector<T> own_rows(std::span<const T> state, Shape shape, RowRange rows) {
  std::vector<T> own;
  for (std::size_t first = 0; first < state.size(); first += shape.cells()) {
    const auto values = state.subspan(first + rows.first * shape.columns,
                                      static_cast<std::size_t>(rows.count * shape.columns));
    own.insert(own.end(), values.begin(), values.end());
  }
  return own;
}

template <class T>
void compare_with_one(Backend<T>& backend, Backend<T>& one, Shape shape) {
  const auto capture_of_one = one.capture(true), capture = backend.capture(true);
  const Captured<T> whole = capture_of_one.wait(), found = capture.wait();
  CHECK(test::same_but_for_kinds_of_nan<T>({found.state.begin(), found.state.end()},
                                           own_rows<T>(whole.state, shape, found.rows)));
  const auto derived = found.derived.front();
  CHECK(test::same_but_for_kinds_of_nan<T>({derived.begin(), derived.end()},
                                           own_rows<T>(whole.derived.front(), shape, found.rows)));
  CHECK(found.first_not_finite == whole.first_not_finite);
  if (!whole.first_not_finite) CHECK(found.digest == whole.digest);
}

template <class T>
void check_bits(const std::string& backend_name, const RunConfig& run,
                const std::vector<T>& state) {
  std::string formula = "0";
  for (const std::string& field : run.fields) formula += " + laplacian(" + field + ")";
  const CoefficientFields fields = test::coefficient_fields(run);
  const auto derived = test::derived_plans<T>(run, fields, formula);
  const Model model(run);
  const Problem<T> problem = make_problem<T>(model, fields);
  const auto one = make_backend<T>(backend_name, "spectral", problem, 1);
  one->set_derived(derived);
  one->set_state(state);
  Ranks& ranks = test::ranks();
  const auto backend = make_ranked_backend<T>(
      ranks, backend_name, "spectral",
      ranks.is_first() ? problem : make_problem<T>(model, unread_coefficients(run), false), derived,
      1);
  backend->set_state(own_rows<T>(state, run.shape, backend->rows()));
  compare_with_one(*backend, *one, run.shape);  // fills the halo, which the steps then leave behind
  CHECK(test::same_but_for_kinds_of_nan<double>(run_steps(*backend, problem),
                                                run_steps(*one, problem)));
  compare_with_one(*backend, *one, run.shape);
}

template <class T>
std::vector<T> start_values(const RunConfig& run) {
  return test::random_field<T>({run.shape.cells(), std::ssize(run.fields)});
}

void set_tolerance(RunConfig& run, bool measures) {
  run.scheme.varies = measures;
  if (measures) run.scheme.tolerance = {1e-3, 1e-3};
}

// Every `apart`-th mixture of faces.
void compare_faces(const std::string& backend, int apart) {
  const std::vector<NamedFormulas> systems = {{{"u", "0.3 * laplacian(u) + s * u - u^3"}},
                                              {{"u", "laplacian(u) - u^3 + 0.3 * v * sin(t)"},
                                               {"v", "0.2 * laplacian(v) + u - v - mean(u * v)"},
                                               {"w", "s * u - 0.1 * w"}}};
  int number = 0;
  for (const Shape shape : test::spectral_shapes())
    for (int faces = 0; faces < test::face_pairs; faces += apart, ++number) {
      RunConfig run = test::formula_run(shape, systems[number % 2]);
      CAPTURE(shape_text(shape));
      CAPTURE(faces);
      CAPTURE(number);
      run.parameters["s"] = test::formula_parameter("0.1 * cos(x)");
      for (int axis = 3 - shape.axes; axis < 3; ++axis)
        test::set_faces(run, axis, (axis == 2 ? faces : faces / 5 + axis) % test::face_mixtures,
                        number % 2 == 0 ? "0" : "0.2 * sin(t)", "0");
      run.scheme = number % 4 < 2 ? Scheme::etdrk2 : Scheme::etdrk4;
      run.time_step = 0.05;
      set_tolerance(run, number % 3 == 0);
      number % 5 == 0 ? check_bits(backend, run, start_values<float>(run))
                      : check_bits(backend, run, start_values<double>(run));
    }
}

void compare_random_steps(const std::string& backend, std::uint64_t count) {
  const std::uint64_t first =
      test::number_from("LAPL_RANDOM_SEED", 1 + 1000 * test::ranks().count());
  count = test::number_from("LAPL_RANDOM_PROBLEMS", count);
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    test::RandomProblem random(seed);
    random.run.mask.reset();
    random.run.scheme = seed % 2 == 0 ? Scheme::etdrk2 : Scheme::etdrk4;
    set_tolerance(random.run, seed % 3 == 0);
    const std::string text = random.text();
    CAPTURE(seed);
    CAPTURE(text);
    try {
      if (!why_not_exponential(random.run, make_system(random.run)).empty()) continue;
    } catch (const FormulaError&) {
      continue;
    }
    random.run.precision == Precision::float32
        ? check_bits(backend, random.run, random.state<float>())
        : check_bits(backend, random.run, random.state<double>());
    ++compared;
  }
  MESSAGE("compared ", compared, " on ", test::ranks().count(), " ranks");
  if (count >= 20) CHECK(compared * 20 >= count);  // compute-sanitizer tries two
}

void compare_all_at_once(const std::string& backend) {
  int number = 0;
  for (const Shape shape : test::spectral_shapes())
    for (int faces = 0; faces < test::face_pairs; faces += 3, ++number) {
      CAPTURE(shape_text(shape));
      CAPTURE(faces);
      RunConfig run = number % 2 == 0 ? test::mixed_run(shape, faces)
                                      : test::source_run(shape, Scheme::euler, faces);
      run.engine = "spectral";
      number % 3 == 0 ? check_bits(backend, run, start_values<float>(run))
                      : check_bits(backend, run, start_values<double>(run));
    }
}

// The halo of a state is then as old as the last derived output.
void compare_rates_without_neighbours(const std::string& backend) {
  for (const Scheme scheme : {Scheme::euler, Scheme::etdrk2, Scheme::etdrk4})
    for (const bool measures : {false, true}) {
      if (measures && scheme == Scheme::euler) continue;
      RunConfig run = test::formula_run({16, 16}, {{"u", "-0.5 * u + 0.1 * u^2"}});
      if (scheme == Scheme::euler) run.equation.rates["u"] = "-0.5 * u";
      run.engine = "spectral";
      run.scheme = scheme;
      run.time_step = 0.1;
      set_tolerance(run, measures);
      check_bits(backend, run, start_values<double>(run));
    }
}

}  // namespace

TEST_CASE("derived outputs on ranks are right after steps by modes that read no neighbour") {
  compare_rates_without_neighbours("cpu");
}
TEST_CASE("derived outputs on ranks with GPUs are right after steps by modes" *
          doctest::test_suite("cuda")) {
  test::need_cuda();
  compare_rates_without_neighbours("cuda");
}

TEST_CASE("etdrk2 and etdrk4 on ranks have the bits of one between every mixture of faces") {
  compare_faces("cpu", 2);
}
TEST_CASE("etdrk2 and etdrk4 on ranks with GPUs have the bits of one between mixtures of faces" *
          doctest::test_suite("cuda")) {
  test::need_cuda();
  compare_faces("cuda", 8);
}

TEST_CASE("random steps of etdrk2 and etdrk4 on ranks have the bits of one") {
  compare_random_steps("cpu", 300);
}
TEST_CASE("random steps of etdrk2 and etdrk4 on ranks with GPUs have the bits of one" *
          doctest::test_suite("cuda")) {
  test::need_cuda();
  compare_random_steps("cuda", 100);
}

TEST_CASE("all steps at once on ranks have the bits of one between every mixture of faces") {
  compare_all_at_once("cpu");
}
TEST_CASE("all steps at once on ranks with GPUs have the bits of one between mixtures of faces" *
          doctest::test_suite("cuda")) {
  test::need_cuda();
  compare_all_at_once("cuda");
  RunConfig run = test::mixed_run(test::make_shape({2100, 1400}), 0);  // several batches
  run.engine = "spectral";
  check_bits("cuda", run, start_values<double>(run));
}
