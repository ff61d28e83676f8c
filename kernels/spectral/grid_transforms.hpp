// The transforms of a grid's values to the modes of its faces and back, axis by axis, on a CPU or a
// GPU.
//
//   columns forward -> (rows forward) -> slowest axis forward
//   slowest axis backward -> (rows backward) -> columns backward
#pragma once

#include <cstdint>

#include "kernels/platform.hpp"

namespace lapl {

/// Leaves values unchanged.
struct Keep {
  LAPL_HOST_DEVICE double operator()(std::int64_t, std::int64_t, double value) const {
    return value;
  }
};

/// On several ranks, values are those of the own slab, and modes those of the own lines along the
/// slowest axis. Rows of values begin `pitch` values apart, rows of modes have no gaps. `Passes`
/// has the transforms of all lines along one axis:
///   exchange()                                a LineExchange
///   forward(axis, values, pitch, modes)       `values` are modes, too, unless the axis is columns
///   backward(axis, modes, values, pitch, make)
///                                             stores make(row, column, value), where rows and
///                                             columns count cells: row * pitch + column
///   through(values, pitch, modes, step)       forward, step, and backward along the slowest axis;
///                                             `modes` is memory for the modes
template <class Passes>
class GridTransforms : public Passes {
 public:
  using Passes::Passes;

  template <class From>
  void forward(const From* from, std::int64_t pitch, double* modes) {
    if (slowest() == 2) return Passes::forward(2, from, pitch, modes);
    forward_but_slowest(from, pitch, modes);
    Passes::forward(slowest(), modes, columns(), modes);
  }
  /// Transforms modes to values; overwrites the modes.
  template <class To, class Make = Keep>
  void backward(double* modes, To* to, std::int64_t pitch, const Make& make = {}) {
    if (slowest() == 2) return Passes::backward(2, modes, to, pitch, make);
    Passes::backward(slowest(), modes, modes, columns(), Keep());
    backward_but_slowest(modes, to, pitch, make);
  }
  /// Transforms `values` to modes, changes the modes by `step`, and transforms them back.
  template <class T, class Step>
  void through(T* values, std::int64_t pitch, double* modes, const Step& step) {
    if (slowest() == 2) return Passes::through(values, pitch, modes, step);
    forward_but_slowest(values, pitch, modes);
    Passes::through(modes, columns(), modes, step);
    backward_but_slowest(modes, values, pitch, Keep());
  }

 private:
  int slowest() { return this->exchange().slowest(); }
  std::int64_t columns() { return this->exchange().grid().columns; }

  template <class From>
  void forward_but_slowest(const From* from, std::int64_t pitch, double* modes) {
    double* const slab = this->exchange().slab(modes);
    Passes::forward(2, from, pitch, slab);
    if (slowest() == 0) Passes::forward(1, slab, columns(), slab);
    this->exchange().to_lines(modes);
  }
  template <class To, class Make>
  void backward_but_slowest(double* modes, To* to, std::int64_t pitch, const Make& make) {
    this->exchange().to_slab(modes);
    double* const slab = this->exchange().slab(modes);
    if (slowest() == 0) Passes::backward(1, slab, slab, columns(), Keep());
    Passes::backward(2, slab, to, pitch, make);
  }
};

}  // namespace lapl
