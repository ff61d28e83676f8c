// Gray-Scott in plain OpenMP loops, as one would write them for one scheme, compiled with -O3
// -march=native: each stage of a step goes once through all cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapl {

/// u' = 0.16 laplacian(u) - u v^2 + 0.06 (1 - u), v' = 0.08 laplacian(v) + u v^2 - 0.122 v on
/// rows x columns cells of size 1.
struct PlainGrayScott {
  std::int64_t rows = 1, columns = 1;
  std::string scheme = "euler";  ///< or rk4, bs23, rkl2 (with 10 stages)
  /// u and v are sin(t) beyond the first and last rows; false: periodic rows. Columns are periodic.
  bool rows_follow_time = false;
  std::vector<float> mask = {};  ///< 0 outside; no flux through its boundary. Empty: no mask
  float dt = 1;
  std::vector<std::vector<float>> arrays = {};  ///< of stages, kept from call to call

  /// Changes u and v, rows of cells, by this many steps from time 0 on.
  void advance(std::vector<float>& state, std::int64_t steps);
};

}  // namespace lapl
