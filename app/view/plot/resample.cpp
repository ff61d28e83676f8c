#include "app/view/plot/resample.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/backend.hpp"

namespace lapl {
namespace {

// The cells that contribute to a pixel along one axis.
struct Cover {
  std::int64_t first = 0;
  std::vector<double> weights;  // weights of the cells from `first` on; their sum is 1
};

// Reflects indices beyond an end at the first or the last cell.
std::int64_t mirrored(std::int64_t cell, std::int64_t cells) {
  if (cell < 0) cell = -cell;
  return cell < cells ? cell : 2 * (cells - 1) - cell;
}

// The mean of the cells under the pixel, each first smoothed with its neighbours by 1/4, 1/2, 1/4.
// This removes patterns that alternate from cell to cell, such as the checkerboard that does not
// decay at coefficient 1/4. Means over fractions of cells would turn them into large patterns.
Cover mean_cover(std::int64_t pixel, std::int64_t cells, double cells_per_pixel) {
  const double start = static_cast<double>(pixel) * cells_per_pixel;
  const double end = static_cast<double>(pixel + 1) * cells_per_pixel;
  const auto first = static_cast<std::int64_t>(start);
  const auto last = std::clamp(static_cast<std::int64_t>(std::ceil(end)) - 1, first, cells - 1);
  Cover cover{std::max<std::int64_t>(first - 1, 0), {}};
  cover.weights.resize(std::min(last + 1, cells - 1) - cover.first + 1);
  for (auto cell = first; cell <= last; ++cell) {
    const double part =
        std::min(end, static_cast<double>(cell + 1)) - std::max(start, static_cast<double>(cell));
    for (const int shift : {-1, 0, 1})
      cover.weights[mirrored(cell + shift, cells) - cover.first] +=
          part / cells_per_pixel * (shift == 0 ? 0.5 : 0.25);
  }
  return cover;
}

std::vector<Cover> covers(std::int64_t cells, std::int64_t pixels) {
  std::vector<Cover> list;
  const double cells_per_pixel = static_cast<double>(cells) / static_cast<double>(pixels);
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
    list.push_back(pixels >= cells ? Cover{(2 * pixel + 1) * cells / (2 * pixels), {1}}
                                   : mean_cover(pixel, cells, cells_per_pixel));
  return list;
}

template <class T>
std::vector<double> resample_as(std::span<const T> field, Shape shape, Shape pixels) {
  const std::vector<Cover> rows = covers(shape.rows, pixels.rows);
  const std::vector<Cover> columns = covers(shape.columns, pixels.columns);
  std::vector<double> result(pixels.cells());
  const int threads = useful_threads(pixels);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t y = 0; y < pixels.rows; ++y) {
    double* line = result.data() + y * pixels.columns;
    const Cover& band = rows[y];
    for (std::size_t r = 0; r < band.weights.size(); ++r) {
      const T* values = field.data() + (band.first + static_cast<std::int64_t>(r)) * shape.columns;
      for (std::int64_t x = 0; x < pixels.columns; ++x) {
        const Cover& cover = columns[x];
        double sum = 0;
        for (std::size_t c = 0; c < cover.weights.size(); ++c)
          sum += static_cast<double>(values[cover.first + static_cast<std::int64_t>(c)]) *
                 cover.weights[c];
        line[x] += band.weights[r] * sum;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<double> resample(FieldView field, Shape shape, Shape pixels) {
  return std::visit([&](auto values) { return resample_as(values, shape, pixels); }, field);
}

}  // namespace lapl
