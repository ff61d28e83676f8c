// lapl bench --ranks N: how fast a grid is stepped on 1, 2, 4 ... N ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapl {

/// Measures each shape on so many ranks (strong scaling), and with its slowest axis as many times
/// as long (weak scaling), by `words`: lapl bench with all options but --shape, --ranks and --json.
/// Prints a table, or the measurements as JSON. Throws what a bench that fails says.
int bench_ranks(int most, const std::vector<std::vector<std::int64_t>>& shapes,
                const std::vector<std::string>& words, bool json);

}  // namespace lapl
