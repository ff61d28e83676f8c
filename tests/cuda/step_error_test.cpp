// Errors of steps, and divisions, of formulas on a GPU are those of the CPU to the bit.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda/formula_steps.hpp"
#include "tests/cuda/need_cuda.hpp"

using namespace lapl;
using test::formula_steps;
using test::gray_scott;
using test::values_near_one;

TEST_CASE_TEMPLATE("the error of a step is that of the CPU, and a step can be taken back", T, float,
                   double) {
  test::need_cuda();
  struct Grid {
    Shape shape;
    Boundaries boundaries;
  };
  const Grid grids[] = {{{90, 520}, {Boundary::insulated, Boundary::periodic}},
                        {{91, 523}, {Boundary::periodic, Boundary::zero}},
                        {{91, 521}, {Boundary::zero, Boundary::periodic}}};
  for (int tried = 0; tried < 6; ++tried) {
    CAPTURE(tried);
    RunConfig run = gray_scott(grids[tried / 2].shape, grids[tried / 2].boundaries);
    run.scheme = tried % 2 == 0 ? Scheme::bs23 : Scheme::dopri5;
    run.scheme.tolerance = Tolerance{.relative = 1e-4, .absolute = 1e-5};
    run.scheme.varies = true;
    const Problem<T> problem = make_problem<T>(Model(run), test::coefficient_fields(run));
    std::vector<T> state = values_near_one(problem);
    state.resize(problem.state_fields() * problem.shape.cells());
    const auto cpu = make_backend<T>("cpu", "interpreted", problem, 2);
    for (const char* const engine : {"tile", "resident", "streaming", "auto"}) {
      const auto gpu = make_backend<T>("cuda", engine, problem, 2);
      CAPTURE(engine);
      CAPTURE(gpu->description().engine);
      gpu->settle();
      for (Backend<T>* const backend : {cpu.get(), gpu.get()}) {
        backend->set_state(state, 3);
        backend->set_clock({.step = 0.05, .start = 1, .start_step = 3});
        backend->advance(1);
      }
      const int fields = problem.state_fields();
      const double error = largest_error(*gpu, fields);
      CHECK(error == largest_error(*cpu, fields));
      const auto of_cpu = cpu->reduce({fields, 1}, error)().first.value();
      const auto of_gpu = gpu->reduce({fields, 1}, error)().first.value();
      CHECK(of_gpu.index == of_cpu.index);
      CHECK(test::same_bits<T>(of_gpu.around, of_cpu.around));
      for (const double step : {0.02, 0.025}) {
        for (Backend<T>* const backend : {cpu.get(), gpu.get()}) {
          if (step == 0.02) backend->undo_step();
          backend->set_clock({.step = step, .start = 1, .start_step = step == 0.02 ? 3 : 4});
          backend->advance(1);
        }
        CHECK(largest_error(*gpu, fields) == largest_error(*cpu, fields));
        const auto here = gpu->capture(), there = cpu->capture();
        CHECK(here.wait().digest == there.wait().digest);
      }
      std::vector<T> spoilt = state;
      spoilt[1234] = std::numeric_limits<T>::quiet_NaN();
      gpu->set_state(spoilt, 3);
      gpu->advance(1);
      CHECK(std::isnan(largest_error(*gpu, fields)));
      gpu->set_state(state, 3);
      gpu->set_clock({.step = 0.05, .start = 1, .start_step = 3});
      gpu->advance(1);
      CHECK(largest_error(*gpu, fields) == error);
    }
  }
}

// Where operands are neither huge nor tiny, rows are divided without branches.
TEST_CASE_TEMPLATE("divisions on a GPU have the bits of the CPU's, whatever their operands", T,
                   float, double) {
  test::need_cuda();
  using Bits = elementary::Bits<T>;
  const Shape shape{70, 518};
  RunConfig run = test::formula_run(shape, {{"u", "u / v"}, {"v", "v"}});
  run.equation.maps = {"u", "v"};
  const Problem<T> problem = make_problem<T>(Model(run), {});
  const auto cells = static_cast<std::size_t>(shape.cells());
  std::mt19937_64 random(3);
  std::uniform_real_distribution<T> near_one(T(0.5), T(1.5));
  const auto any_bits = [&] { return std::bit_cast<T>(static_cast<Bits>(random())); };
  std::vector<T> state(2 * cells);
  for (std::size_t i = 0; i < cells; ++i) {
    T &u = state[i], &v = state[cells + i];
    do {
      u = std::ldexp(near_one(random), static_cast<int>(random() % 80) - 40);
      v = near_one(random);
      if (random() % 4 == 0) u = any_bits();
      if (random() % 64 == 0) u = T(0) * v;
      if (random() % 64 == 0) v = any_bits();
      if (random() % 512 == 0) v = T(0) * u;
    } while (!std::isfinite(u) || !std::isfinite(v) || (u == 0 && v == 0));
  }
  const auto expected = formula_steps<T>("cpu", "reference", problem, state, {48});
  for (const std::string engine : {"streaming", "resident", "tile"}) {
    CAPTURE(engine);
    CHECK(formula_steps<T>("cuda", engine, problem, state, {48}).digest == expected.digest);
  }
}
