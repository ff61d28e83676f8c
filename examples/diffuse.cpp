// A fractal field, a thousand steps, and what came out: what `lapl run configs/tutorial-small.yaml`
// does, with the same digest.
#include <fmt/format.h>

#include "kernels/backend.hpp"
#include "kernels/grid.hpp"
#include "solver/statistics.hpp"

int main() {
  const lapl::Problem<float> problem{.shape = {48, 64}, .boundaries = {}, .coefficient = 0.25F};
  const auto backend = lapl::make_backend("cpu", "auto", problem, 0);
  backend->set_fractal({});
  backend->advance(1000);
  backend->capture(false);
  const lapl::Captured<float> last = backend->captured();
  const double mean = lapl::statistics_of(last.field, problem.shape, 1).mean;
  fmt::print("mean {:.6g} digest {:#018x}\n", mean, last.digest);
}
