// The arrays of a problem during a step: where each is read, and where a stage writes.
//
//   fields         current ---- a stage computes it ---> next      (then next becomes current)
//   coefficients   those of the problem, never written
//   the others     one buffer each, written before they are read
#pragma once

#include <vector>

#include "kernels/grid/double_buffer.hpp"
#include "kernels/problem.hpp"

namespace lapl {

template <class T>
class StepArrays {
 public:
  /// Each call of start() supplies the memory of the last `lent` arrays.
  explicit StepArrays(const Problem<T>& problem, int lent = 0) : problem_(problem) {
    const int given = problem.step_fields + static_cast<int>(problem.coefficients.size());
    made_.assign(problem.arrays() - given - lent, std::vector<T>(problem.shape.cells()));
  }

  /// Begins a step: all fields are read from `buffers.current` until a stage has computed them.
  void start(const DoubleBuffer<T>& buffers, T* lent = nullptr) {
    buffers_ = buffers;
    lent_ = lent;
    read_.clear();
    for (int field = 0; field < problem_.step_fields; ++field)
      read_.push_back(buffers.current + field * problem_.shape.cells());
    for (const auto& coefficient : problem_.coefficients) read_.push_back(coefficient->data());
    for (int array = static_cast<int>(read_.size()); array < problem_.arrays(); ++array)
      read_.push_back(write(array));
  }
  const T* read(int array) const { return read_[array]; }

  T* write(int array) {
    if (array < problem_.step_fields) return buffers_.next + array * problem_.shape.cells();
    const std::size_t made = array - problem_.step_fields - problem_.coefficients.size();
    if (made < made_.size()) return made_[made].data();
    return lent_ + (made - made_.size()) * problem_.shape.cells();
  }
  /// Ends a stage: from now on, reads of its targets give its results.
  void finish(const Stage& stage) {
    for (const int target : stage.targets) read_[target] = write(target);
  }

 private:
  const Problem<T>& problem_;
  DoubleBuffer<T> buffers_;
  std::vector<std::vector<T>> made_;
  T* lent_ = nullptr;
  std::vector<const T*> read_;
};

}  // namespace lapl
