// Compares engine blocked with plain loops (plain_schemes.hpp) for schemes, sizes, a mask and a
// condition that follows the time. It compares the results, then both take turns; prints medians.
//
//   build/bin/lapl_scheme_speed [SIDE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "benchmarks/plain_schemes.hpp"
#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"

namespace {

using namespace lapl;

struct Case {
  const char* name;
  PlainGrayScott plain;
  std::string grid, boundary, scheme;
};

double median_seconds(const std::function<void()>& run, std::vector<double>& all) {
  const auto start = std::chrono::steady_clock::now();
  run();
  all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  std::ranges::sort(all);
  return all[all.size() / 2];
}

bool measure(Case of) {
  const std::string text = fmt::format(
      "grid: {{{}}}\nboundary: {}\n"
      "equation: {{u: '0.16 * laplacian(u) - u * v^2 + 0.06 * (1 - u)', "
      "v: '0.08 * laplacian(v) + u * v^2 - 0.122 * v'}}\n"
      "initial: random\ntime: {{step: 1, steps: 1, {}}}\ncompute: {{precision: float32}}\n",
      of.grid, of.boundary, of.scheme);
  const RunConfig run = parse_config(text, "c.yaml", ".", {}).run;
  const CoefficientFields coefficients = load_coefficients(run);
  const auto backend =
      make_backend<float>("cpu", "blocked", make_problem<float>(Model(run), coefficients), 0);
  backend->settle();
  set_initial_state(*backend, run, coefficients, load_initial_fields(run));
  std::vector<float> state = copy_of_state(*backend);
  constexpr std::int64_t first = 20;
  backend->advance(first);
  of.plain.advance(state, first);
  const std::vector<float> found = copy_of_state(*backend);
  double difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    difference = std::max<double>(difference, std::abs(found[i] - state[i]));
  if (!(difference < 1e-4)) {
    fmt::print("{}: differs from the plain loops by {:.2g}\n", of.name, difference);
    return false;
  }
  const double cells = static_cast<double>(run.shape.cells());
  const int stages = of.plain.scheme == "rkl2" ? 10 : of.plain.scheme == "euler" ? 1 : 4;
  const auto steps = std::max<std::int64_t>(4, static_cast<std::int64_t>(4e8 / cells / stages));
  std::vector<double> ours, plain;
  double seconds = 0, of_plain = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    seconds = median_seconds([&] { backend->advance(steps); }, ours);
    of_plain = median_seconds([&] { of.plain.advance(state, steps); }, plain);
  }
  const double updates = 1e-9 * cells * static_cast<double>(steps);
  fmt::print("{:<24} {:>13} plain {:6.3f} GCells/s, blocked {:6.3f}, {:.2f} times\n", of.name,
             shape_text(run.shape), updates / of_plain, updates / seconds, of_plain / seconds);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 2048;
  const std::string square = fmt::format("shape: [{0}, {0}]", n), periodic = "periodic";
  bool agrees = true;
  for (const char* const scheme : {"euler", "rk4", "bs23"})
    agrees &=
        measure({scheme, {n, n, scheme}, square, periodic, fmt::format("scheme: {}", scheme)});
  agrees &=
      measure({"rkl2, 10 stages", {n, n, "rkl2"}, square, periodic, "scheme: rkl2, stages: 10"});
  agrees &= measure({"euler, odd columns",
                     {n - 1, n - 1, "euler"},
                     fmt::format("shape: [{0}, {0}]", n - 1),
                     periodic,
                     "scheme: euler"});
  agrees &= measure({"euler, sin(t) beyond rows",
                     {n, n, "euler", true},
                     square,
                     "{x: periodic, y: {value: sin(t)}}",
                     "scheme: euler"});
  PlainGrayScott masked{n, n, "euler"};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      masked.mask.push_back((i / 32 + j / 32) % 4 == 0 ? 0.f : 1.f);
  agrees &= measure({"euler, a mask", masked,
                     square + ", mask: {formula: 'mod(floor(x / 32) + floor(y / 32), 4) != 0'}",
                     "{x: periodic, y: periodic, mask: insulated}", "scheme: euler"});
  return agrees ? 0 : 1;
}
