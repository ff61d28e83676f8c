#include "solver/equation/mask_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

using Indices = std::array<std::int64_t, 3>;

class MaskFaces {
 public:
  MaskFaces(const RunConfig& run, const std::vector<double>& mask)
      : size_(by_axis(run.shape)),
        spacing_(run.spacing.by_axis),
        axes_(run.shape.axes),
        mask_(mask),
        smooth_(mask) {
    const std::array boundaries = by_axis(run.boundaries);
    std::int64_t least = 0;
    for (std::size_t axis = first(); axis < 3; ++axis) {
      wraps_[axis] = boundaries[axis] == Boundary::periodic;
      if (size_[axis] > 1) least = least == 0 ? size_[axis] : std::min(least, size_[axis]);
    }
    const auto root = std::lround(std::sqrt(static_cast<double>(least)) / 2);
    for (std::size_t axis = first(); axis < 3; ++axis) smooth(axis, std::clamp(root, 3L, 12L));
  }

  std::vector<double> weights(std::size_t axis) const {
    std::vector<double> found(mask_.size(), 1);
    for (std::int64_t index = 0; index < std::ssize(mask_); ++index) {
      if (mask_[index] == 0) continue;
      const Indices at = indices(index);
      double sum = 0;
      int faces = 0;
      for (const int outward : {-1, 1})
        if (is_face(at, axis, outward)) {
          sum += weight(at, axis, outward);
          ++faces;
        }
      if (faces > 0) found[index] = sum / faces;
    }
    return found;
  }

 private:
  std::size_t first() const { return static_cast<std::size_t>(3 - axes_); }

  Indices indices(std::int64_t index) const {
    return {index / (size_[1] * size_[2]), index / size_[2] % size_[1], index % size_[2]};
  }
  // The index of a cell; beyond a side, that of the cell at the side, or around a periodic axis.
  std::int64_t index(Indices at) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      at[axis] = wraps_[axis] ? ((at[axis] % size_[axis]) + size_[axis]) % size_[axis]
                              : std::clamp<std::int64_t>(at[axis], 0, size_[axis] - 1);
    return (at[0] * size_[1] + at[1]) * size_[2] + at[2];
  }
  static Indices moved(Indices at, std::size_t axis, std::int64_t by) {
    at[axis] += by;
    return at;
  }
  bool inside(const Indices& at) const { return mask_[index(at)] != 0; }
  bool is_face(const Indices& at, std::size_t axis, int outward) const {
    return inside(at) && !inside(moved(at, axis, outward));
  }

  // Smooths along an axis with the weights (1 - (d / (radius + 1))^2)^2 at a distance of d cells.
  void smooth(std::size_t axis, std::int64_t radius) {
    std::vector<double> kernel;
    double sum = 0;
    for (std::int64_t d = -radius; d <= radius; ++d) {
      const double part = static_cast<double>(d) / static_cast<double>(radius + 1);
      sum += kernel.emplace_back((1 - part * part) * (1 - part * part));
    }
    const std::vector<double> from = smooth_;
    for (std::int64_t cell = 0; cell < std::ssize(from); ++cell) {
      const Indices at = indices(cell);
      double made = 0;
      for (std::int64_t d = -radius; d <= radius; ++d)
        made += kernel[static_cast<std::size_t>(d + radius)] * from[index(moved(at, axis, d))];
      smooth_[cell] = made / sum;
    }
  }

  double slope(const Indices& at, std::size_t axis) const {
    return (smooth_[index(moved(at, axis, 1))] - smooth_[index(moved(at, axis, -1))]) /
           (2 * spacing_[axis]);
  }

  double weight(const Indices& at, std::size_t axis, int outward) const {
    bool straight = true;
    double squares = 0;
    const Indices beyond = moved(at, axis, outward);
    const double across = (smooth_[index(beyond)] - smooth_[index(at)]) / spacing_[axis];
    for (std::size_t along = first(); along < 3; ++along) {
      if (along == axis) continue;
      straight = straight && is_straight(at, axis, outward, along);
      const double part = (slope(at, along) + slope(beyond, along)) / 2;
      squares += part * part;
    }
    if (straight || squares == 0) return 1;
    return std::max(std::abs(across) / std::sqrt(across * across + squares), 0x1p-10);
  }

  // True if the row of faces through this one, along the axis `along`, is part of a straight wall:
  // it ends, in both directions, at corners of two faces or more or at sides of the grid. A single
  // face between a turn outwards and one inwards is a step of a steep staircase.
  bool is_straight(const Indices& at, std::size_t axis, int outward, std::size_t along) const {
    std::int64_t faces = 1;
    int turns = 0;  // outwards less inwards
    bool both = true;
    for (const int step : {-1, 1}) {
      Indices end = at;
      std::int64_t count = 0;
      while (count < size_[along] && is_face(moved(end, along, step), axis, outward)) {
        end = moved(end, along, step);
        ++count;
      }
      faces += count;
      if (count == size_[along] || is_at_end(end, along, step)) {
        both = false;
        continue;
      }
      // The wall turns outwards beside `next`, or inwards before it. If it turns by one cell only,
      // the face belongs to a staircase.
      const Indices next = moved(end, along, step);
      const bool out = inside(next);
      turns += out ? 1 : -1;
      if (out ? !inside(moved(next, axis, 2 * outward)) : inside(moved(next, axis, -outward)))
        return false;
    }
    return !(both && faces == 1 && turns == 0);
  }
  bool is_at_end(const Indices& at, std::size_t axis, int step) const {
    return !wraps_[axis] && at[axis] == (step > 0 ? size_[axis] - 1 : 0);
  }

  const Indices size_;
  const std::array<double, 3> spacing_;
  const int axes_;
  std::array<bool, 3> wraps_ = {};
  const std::vector<double>& mask_;
  std::vector<double> smooth_;
};

}  // namespace

void add_mask_weights(const RunConfig& run, CoefficientFields& fields) {
  if (!has_weights(run)) return;
  const MaskFaces faces(run, fields.at(mask_name));
  for (int axis = 3 - run.shape.axes; axis < 3; ++axis)
    fields[weight_name(axis)] = faces.weights(static_cast<std::size_t>(axis));
}

}  // namespace lapl
