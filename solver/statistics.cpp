#include "solver/statistics.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "kernels/error.hpp"

namespace lapl {

void require_finite(const Statistics& statistics, std::int64_t step) {
  const auto& [min, max, mean, mass, l2] = statistics;
  for (const auto& [name, value] : {std::pair("mean", mean), {"mass", mass}, {"l2", l2}})
    if (!std::isfinite(value))
      throw NumericalError(
          fmt::format("step {}: {} is not finite: the values, from {} to {}, are too large to be "
                      "summed up; nothing of this step was stored",
                      step, name, min, max));
}

}  // namespace lapl
