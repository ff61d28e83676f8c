// The double-buffered OpenMP loop that anybody would write first, compiled -O3 -march=native.
#pragma once

#include <cstdint>

namespace lapl {

/// `steps` steps with zero boundary; the result is in `field` (`steps` must be even).
void plain_steps(float* field, float* next, std::int64_t rows, std::int64_t columns, float c,
                 std::int64_t steps);
void plain_steps(double* field, double* next, std::int64_t rows, std::int64_t columns, double c,
                 std::int64_t steps);

}  // namespace lapl
