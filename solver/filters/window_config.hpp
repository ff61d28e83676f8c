// The windows of section kernels, which formulas name in convolve(NAME, e).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/filters/filter.hpp"
#include "solver/equation/formula.hpp"
#include "solver/names.hpp"

namespace lapl {

struct RunConfig;

/// A kind of window; r is the distance from the middle in cells, and `edge` the width of a soft
/// edge.
enum class WindowKind { numbers, hdf5, box, gaussian, disc, ring, formula };
template <>
inline constexpr auto name_table<WindowKind> =
    std::to_array<Named<WindowKind>>({{WindowKind::numbers, "numbers"},
                                      {WindowKind::hdf5, "hdf5"},
                                      {WindowKind::box, "box"},
                                      {WindowKind::gaussian, "gaussian"},
                                      {WindowKind::disc, "disc"},
                                      {WindowKind::ring, "ring"},
                                      {WindowKind::formula, "formula"}});

/// The largest size of a window along an axis, by the number of axes.
inline constexpr std::array<std::int64_t, 4> most_cells_of_window = {0, 2047, 127, 31};

/// A window of section kernels. The comment on a member begins with the kinds that read it.
struct WindowConfig {
  WindowKind kind = WindowKind::numbers;
  std::vector<std::int64_t> size;         ///< box, gaussian, formula: cells, of all axes or of each
  std::vector<double> sigma;              ///< gaussian: in cells, of all axes or of each
  double radius = 0;                      ///< disc, ring: in cells
  double inner = 0;                       ///< ring: radius of the hole, in cells
  double edge = 1;                        ///< disc, ring: in cells
  FormulaText formula;                    ///< formula: of the offset x, y, z in units of length
  Shape shape;                            ///< numbers, hdf5
  std::vector<double> weights;            ///< numbers, hdf5: row-major
  std::string path, dataset = "/kernel";  ///< hdf5
  bool normalize = false;
  bool by_fft = false;
};

/// The weights of a window on the grid of a run. Throws ConfigError if it is too large, has an even
/// size or no finite weights.
ConvolutionWindow convolution_window(const WindowConfig& config, const RunConfig& run);

/// The window that moves values by a number of cells, of planes, rows and columns: the result in a
/// cell is the value so many cells further.
ConvolutionWindow shift_window(const std::array<int, 3>& by, int axes);

}  // namespace lapl
