#include "kernels/engines.hpp"

#include <array>

namespace lapl {

std::span<const EngineInfo> engine_table() {
  static constexpr std::array<EngineInfo, 6> table = {{
      {"blocked", "cpu", "many steps at a time on tiles that stay in cache, vectorised"},
      {"threaded", "cpu", "one step at a time, rows shared out among threads, vectorised"},
      {"reference", "cpu", "the stage tree, interpreted on one thread: what all others must equal"},
      {"resident", "cuda",
       "one launch for all steps between outputs, for grids that fit on the chip"},
      {"streaming", "cuda", "many steps a launch, rows streamed through registers"},
      {"tile", "cuda", "one step a launch, tiles with halo in shared memory, CUDA graphs"},
  }};
  return table;
}

}  // namespace lapl
