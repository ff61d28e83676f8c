// The boundary conditions of a problem's faces at a given time. A condition that depends on the
// place is evaluated at each ghost node of its face:
//
//        -1   0   1  ...  columns-1  columns      The first face of the rows has the ghost nodes of
//   -1    .   .   .          .         .          row -1, from column -1 to the number of columns.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/stages/tree_at.hpp"

namespace lapl {

/// The condition of one face at each of its nodes.
template <class T>
struct ConditionsAlongFace {
  Face<T> everywhere;
  std::vector<Face<T>> each;  ///< empty if the condition is the same everywhere
  std::int64_t pitch = 0;     ///< elements of `each` from index i to i + 1

  /// The condition at node (i, j) of the face: i is the index along the slower and j along the
  /// faster of its two axes; both start at -1.
  const Face<T>& at(std::int64_t i, std::int64_t j) const {
    return each.empty() ? everywhere : each[(i + 1) * pitch + j + 1];
  }
};

template <class T>
class FaceConditions {
 public:
  explicit FaceConditions(const Problem<T>& problem)
      : problem_(problem), varying_(varying_faces(problem)) {
    for (int array = 0; array < problem.arrays(); ++array)
      for (int axis = 0; axis < 3; ++axis) {
        const AxisFaces<T>& faces = axis_faces(problem.faces[array], axis);
        conditions_.push_back({faces.first, {}, 0});
        conditions_.push_back({faces.last, {}, 0});
      }
  }

  /// Evaluates the conditions that depend on time; at the first call also those that depend only on
  /// place.
  void set_time(double time) {
    for (const VaryingFace& face : varying_)
      if (!known_ || reads_time(face.condition)) evaluate(face, time);
    known_ = true;
  }

  const ConditionsAlongFace<T>& of(int array, int axis, bool last) const {
    return conditions_[condition_index(array, axis, last)];
  }

 private:
  static int condition_index(int array, int axis, bool last) {
    return 2 * (3 * array + axis) + (last ? 1 : 0);
  }

  void evaluate(const VaryingFace& face, double time) {
    ConditionsAlongFace<T>& condition =
        conditions_[condition_index(face.array, face.axis, face.last)];
    TreeAt<T> tree(problem_, face.condition);
    const auto size = by_axis(problem_.shape);
    const int slow = face.axis == 0 ? 1 : 0, fast = face.axis == 2 ? 1 : 2;
    const auto at = [&](std::int64_t i, std::int64_t j) {
      std::array<std::int64_t, 3> index{};
      index[slow] = i;
      index[fast] = j;
      index[face.axis] = face.last ? size[face.axis] : -1;
      tree.evaluate({index[1], index[2], index[0]}, time,
                    [](const StageOperation&) { return T(0); });
      return Face<T>{tree.result(0), tree.result(1)};
    };
    if (!reads_positions(face.condition)) {
      condition.everywhere = at(0, 0);
      return;
    }
    condition.pitch = size[fast] + 2;
    condition.each.resize((size[slow] + 2) * condition.pitch);
    for (std::int64_t i = -1; i <= size[slow]; ++i)
      for (std::int64_t j = -1; j <= size[fast]; ++j)
        condition.each[(i + 1) * condition.pitch + j + 1] = at(i, j);
  }

  const Problem<T>& problem_;
  std::vector<VaryingFace> varying_;
  std::vector<ConditionsAlongFace<T>> conditions_;
  bool known_ = false;
};

}  // namespace lapl
