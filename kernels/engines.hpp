// The engines by name, as in the key `compute.engine` and in the output of `lapl list`.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace lapl {

struct EngineInfo {
  std::string_view name;
  std::string_view backend;
  std::string_view summary;

  constexpr bool runs_on(std::string_view one) const { return backend == one || backend == "any"; }
};

/// All engines but spectral, including those that this build cannot run. All give the same bits.
inline constexpr auto engine_table = std::to_array<EngineInfo>(
    {{"blocked", "cpu", "many steps at a time on tiles that stay in cache, vectorised"},
     {"threaded", "cpu", "one step at a time, rows divided among threads, vectorised"},
     {"interpreted", "cpu", "any equation, interpreted row by row, one step at a time"},
     {"reference", "cpu", "any equation, interpreted cell by cell: the oracle for all others"},
     {"resident", "cuda",
      "one launch for all steps between outputs, for grids that fit on the chip"},
     {"streaming", "cuda", "many steps a launch, rows streamed through registers"},
     {"tile", "cuda", "any equation, one stage a launch, neighbours through the caches"}});

/// The engine that steps the modes of a field. Its bits differ from those of the other engines, so
/// it is used only if asked for by name (kernels/spectral/linear_rates.hpp) or by a scheme that no
/// other engine steps (kernels/spectral/exponential_rates.hpp).
inline constexpr EngineInfo spectral_engine = {"spectral", "any",
                                               "any number of steps at once, by two transforms; "
                                               "linear equations of one field; its digests differ"};

inline std::vector<EngineInfo> all_engines() {
  std::vector<EngineInfo> all(engine_table.begin(), engine_table.end());
  all.push_back(spectral_engine);
  return all;
}

}  // namespace lapl
