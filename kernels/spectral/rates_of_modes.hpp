// The rates of all modes of a grid (kernels/spectral/linear_rates.hpp), line by line along its
// slowest axis.
#pragma once

#include <array>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {

class RatesOfModes {
 public:
  RatesOfModes(const ModeRate& rate, const Faces<double>& faces, Shape shape)
      : rate_(rate), shape_(shape), slowest_(3 - shape.axes) {
    for (const ModeRate::Term& term : rate_.terms)
      for (int axis = slowest_; axis < 3; ++axis) {
        const AxisModes modes(axis_faces(faces, axis), by_axis(shape)[axis]);
        auto& of_axis = distances_[axis];
        while (std::ssize(of_axis) <= term.turns[axis])
          of_axis.push_back(modes.distances(static_cast<int>(of_axis.size())));
      }
  }

  /// Calls use(mode, rate) for each mode of a line along the slowest axis; `index` counts these
  /// lines. The distance of a term, (product over axes of cos(turns * theta)) - 1, is computed axis
  /// by axis: from d of one axis and m of the others it is (1 + d) * (1 + m) - 1 = d * (1 + m) + m.
  template <class Use>
  void for_line(std::int64_t index, const Use& use) const {
    const std::array<std::int64_t, 3> at = {0, slowest_ == 0 ? index / shape_.columns : 0,
                                            index % shape_.columns};
    const auto& along = distances_[slowest_];
    double of_line = rate_.of_mean;
    std::vector<double> slopes(along.size());  // index: number of turns
    for (const ModeRate::Term& term : rate_.terms) {
      double others = 0;
      for (int axis = slowest_ + 1; axis < 3; ++axis) {
        const double more = distances_[axis][term.turns[axis]][at[axis]];
        others += more + others * more;
      }
      of_line += term.weight * others;
      slopes[term.turns[slowest_]] += term.weight * (1 + others);
    }
    for (std::int64_t mode = 0; mode < by_axis(shape_)[slowest_]; ++mode) {
      double rate = of_line;
      for (std::size_t turns = 1; turns < along.size(); ++turns)
        rate += slopes[turns] * along[turns][mode];
      use(mode, rate);
    }
  }

  /// distances(axis)[turns][mode] is cos(turns * theta) - 1 for the mode's phase theta on the axis
  /// (linear_rates.hpp).
  const std::vector<std::vector<double>>& distances(int axis) const { return distances_[axis]; }

 private:
  ModeRate rate_;
  Shape shape_;
  int slowest_;
  // indices: axis, number of turns, mode
  std::array<std::vector<std::vector<double>>, 3> distances_;
};

}  // namespace lapl
