// The spectral engine on the GPU against the same engine on the CPU and against stepping engines.
#include <doctest/doctest.h>

#include "kernels/error.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/spectral_runs.hpp"

using namespace lapl;

namespace {

template <class T>
std::unique_ptr<Backend<T>> spectral_on(const std::string& backend, RunConfig run) {
  run.engine = "spectral";
  return make_backend<T>(backend, "spectral",
                         make_problem<T>(Model(run), test::coefficient_fields(run)), 2);
}

template <class T>
std::vector<T> stepped_from(Backend<T>& backend, const std::vector<T>& start, std::int64_t steps) {
  backend.set_state(start);
  backend.advance(steps);
  return test::stepped_state(backend).field;
}

// In float32 both backends round nearly the same number, so they may differ by one rounding.
template <class T>
double allowed(double largest) {
  return (sizeof(T) == 4 ? 0x1p-23 : 1e-12) * largest;
}

// Compares both backends after each of the given numbers of steps; returns the GPU's last state.
template <class T>
std::vector<T> compare_with_cpu(const RunConfig& run, const std::vector<T>& start,
                                const std::vector<std::int64_t>& counts) {
  const auto gpu = spectral_on<T>("cuda", run), cpu = spectral_on<T>("cpu", run);
  std::vector<T> found;
  for (const std::int64_t steps : counts) {
    CAPTURE(steps);
    found = stepped_from(*gpu, start, steps);
    const std::vector<T> expected = stepped_from(*cpu, start, steps);
    const double largest =
        std::max(test::largest_magnitude(start), test::largest_magnitude(expected));
    CHECK(test::largest_difference(found, expected) <= allowed<T>(largest));
  }
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("engine spectral on a GPU equals the CPU's and stepping, whatever the faces" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  test::need_cuda();
  for (const Shape shape : test::spectral_shapes())
    for (int faces = 0; faces < test::face_pairs; ++faces) {
      CAPTURE(shape_text(shape));
      CAPTURE(faces);
      const RunConfig run = test::mixed_run(shape, faces);
      const std::vector<T> start = test::random_field<T>(shape);
      const std::vector<T> found = compare_with_cpu(run, start, {1, 2, 400, 15});
      CHECK(test::largest_difference(found, test::formula_stepped(run, start, 15)) <=
            test::spectral_gate(start, 15));
    }
}

TEST_CASE_TEMPLATE("engine spectral on a GPU equals the CPU's on small grids for the sanitizer" *
                       doctest::test_suite("moderate sanitizer"),
                   T, float, double) {
  test::need_cuda();
  for (const Shape shape :
       {test::make_shape({1}), test::make_shape({5, 2}), test::make_shape({3, 4, 5})})
    for (const int faces : {0, 6, 13, 24}) {
      CAPTURE(shape_text(shape));
      CAPTURE(faces);
      const RunConfig run = test::mixed_run(shape, faces);
      compare_with_cpu(run, test::random_field<T>(shape), {3});
    }
  const RunConfig run = test::source_run({5, 7}, Scheme::rkl2, 1);
  compare_with_cpu(run, test::random_field<T>(run.shape), {3});
}

TEST_CASE("engine spectral on a GPU takes decay, sources, conditions of values and every scheme" *
          doctest::test_suite("moderate")) {
  test::need_cuda();
  for (const Shape shape :
       {test::make_shape({41}), test::make_shape({14, 23}), test::make_shape({5, 8, 6})})
    for (const SchemeRow& scheme : test::schemes_of_stages())
      for (int faces = 0; scheme.value != Scheme::imex && faces < test::face_mixtures; ++faces) {
        CAPTURE(shape_text(shape));
        CAPTURE(scheme.name);
        CAPTURE(faces);
        compare_with_cpu(test::source_run(shape, scheme.value, faces),
                         test::random_field<double>(shape), {1, 300, 1'000'000'000});
      }
}

TEST_CASE("engine spectral on a GPU takes terms of several axes" *
          doctest::test_suite("moderate")) {
  test::need_cuda();
  RunConfig run = test::formula_run({20, 33}, {{"u", "-0.05 * laplacian(laplacian(u)) - 0.1 * u"}});
  run.time_step = 0.2;
  run.boundaries = {Boundary::insulated, Boundary::periodic};
  compare_with_cpu(run, test::random_field<double>(run.shape), {1, 200});
}

TEST_CASE_TEMPLATE("engine spectral on a GPU takes more lines than a batch has" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  test::need_cuda();
  struct Case {
    Shape shape;
    int faces;
  };
  for (const Case& one : {Case{test::make_shape({2500, 999}), 0},
                          {test::make_shape({1001, 2600}), 7},
                          {test::make_shape({129, 127, 130}), 13},
                          {test::make_shape({2'000'003}), 3}}) {
    CAPTURE(shape_text(one.shape));
    const RunConfig run = test::mixed_run(one.shape, one.faces);
    compare_with_cpu(run, test::random_field<T>(one.shape), {1000});
  }
}

TEST_CASE_TEMPLATE("engine spectral on a GPU has the same bits each time, also after a restart" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  test::need_cuda();
  for (const Shape shape : {test::make_shape({307, 450}), test::make_shape({30, 41, 22})}) {
    const RunConfig run = test::source_run(shape, Scheme::euler, 0);
    const std::vector<T> start = test::random_field<T>(shape);
    const auto one = spectral_on<T>("cuda", run), other = spectral_on<T>("cuda", run);
    const std::vector<T> middle = stepped_from(*one, start, 77);
    CHECK(test::same_bits<T>(stepped_from(*other, start, 77), middle));
    one->advance(50);
    const std::vector<T> end = test::stepped_state(*one).field;
    CHECK(test::same_bits<T>(stepped_from(*other, middle, 50), end));
  }
}

TEST_CASE("engine spectral on a GPU refuses a problem without linear rates" *
          doctest::test_suite("moderate")) {
  test::need_cuda();
  CHECK_THROWS_AS(
      make_backend<float>("cuda", "spectral", test::diffusion<float>({8, 9}, {}, 0.25f), 1),
      EngineUnsuitable);
}

namespace {

// A run of two fields, coupled by the linear part where their faces agree.
RunConfig exponential_run(Shape shape, Scheme scheme, int faces, bool measures, int fields) {
  RunConfig run = test::formula_run(
      shape, fields == 1 ? NamedFormulas{{"u", "0.3 * laplacian(u) + u - u^3 + 0.1 * sin(t)"}}
                         : NamedFormulas{{"u", "0.3 * laplacian(u) - u + 0.5 * v - u * v^2"},
                                         {"v", "0.2 * laplacian(v) + 0.4 * u - v^3"}});
  for (int axis = 3 - shape.axes; axis < 3; ++axis)
    test::set_faces(run, axis, (faces + axis) % test::face_mixtures, axis == 2 ? "0.4" : "0",
                    "0.1");
  run.scheme = scheme;
  run.time_step = 0.5;
  run.scheme.varies = measures;
  if (measures) run.scheme.tolerance = {1e-3, 1e-3};
  return run;
}

}  // namespace

TEST_CASE_TEMPLATE("etdrk2 and etdrk4 on a GPU equal the CPU's, whatever the faces", T, float,
                   double) {
  test::need_cuda();
  for (const Shape shape :
       {test::make_shape({41}), test::make_shape({14, 23}), test::make_shape({5, 8, 6})})
    for (const Scheme scheme : {Scheme::etdrk2, Scheme::etdrk4})
      for (int faces = 0; faces < test::face_mixtures; ++faces)
        for (const int fields : {1, 2})
          for (const bool measures : {false, true}) {
            CAPTURE(shape_text(shape));
            CAPTURE(std::string(enum_name(scheme)));
            CAPTURE(faces);
            CAPTURE(fields);
            CAPTURE(measures);
            const RunConfig run = exponential_run(shape, scheme, faces, measures, fields);
            const std::vector<T> start =
                test::random_field<T>({shape.cells(), static_cast<std::int64_t>(fields)});
            std::array<std::vector<T>, 2> states;
            std::array<double, 2> errors = {};
            for (const bool on_gpu : {false, true}) {
              const auto backend = make_backend<T>(on_gpu ? "cuda" : "cpu", "auto",
                                                   make_problem<T>(Model(run), {}), 2);
              backend->set_state(start);
              for (int step = 0; step < 5; ++step) backend->advance(1);
              states[on_gpu] = copy_of_state(*backend);
              if (measures) errors[on_gpu] = largest_error(*backend, fields);
            }
            const double rounding = sizeof(T) == 4 ? 0x1p-21 : 1e-12;
            CHECK(test::largest_difference(states[0], states[1]) <=
                  rounding * test::largest_magnitude(states[0]));
            CHECK(std::abs(errors[0] - errors[1]) <= 1e3 * rounding * (1 + errors[0]));
          }
}

TEST_CASE_TEMPLATE("etdrk2 and etdrk4 on a GPU have the same bits each time, also after a restart" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  test::need_cuda();
  for (const Scheme scheme : {Scheme::etdrk2, Scheme::etdrk4})
    for (const bool measures : {false, true}) {
      const RunConfig run = exponential_run(test::make_shape({61, 50}), scheme, 2, measures, 2);
      const std::vector<T> start = test::random_field<T>({122, 50});
      const auto make = [&] {
        return make_backend<T>("cuda", "auto", make_problem<T>(Model(run), {}), 2);
      };
      const auto steps = [](Backend<T>& backend, int count) {
        for (int step = 0; step < count; ++step) backend.advance(1);
        return copy_of_state(backend);
      };
      const auto one = make(), other = make();
      one->set_state(start);
      other->set_state(start);
      const std::vector<T> middle = steps(*one, 3);
      CHECK(test::same_bits<T>(steps(*other, 3), middle));
      const std::vector<T> end = steps(*one, 4);
      other->set_state(middle, 3);
      CHECK(test::same_bits<T>(steps(*other, 4), end));
      if (!measures) continue;
      // A rejected step changes nothing.
      other->set_state(start);
      steps(*other, 3);
      other->advance(1);
      other->undo_step();
      CHECK(test::same_bits<T>(steps(*other, 4), end));
    }
}
