#include "solver/statistics.hpp"

#include "kernels/error.hpp"

namespace lapl {

void require_finite(const Statistics& statistics, std::int64_t step) {
  for (const auto& [name, value] : statistics_columns)
    if (!std::isfinite(statistics.*value))
      throw NumericalError(
          "step {}: {} is not finite: the values, from {} to {}, are too large to be summed up; "
          "nothing of this step was stored",
          step, name, statistics.min, statistics.max);
}

}  // namespace lapl
