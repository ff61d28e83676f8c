// A field in the pixels of a picture.
#pragma once

#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// The field in `pixels.rows` x `pixels.columns` values: along an axis with fewer pixels than cells
/// each is the mean of the cells that it covers, in parts where it cuts them, each smoothed with
/// its two neighbours; along one with as many pixels or more, the value of the cell that it lies
/// in.
std::vector<double> resample(FieldView field, Shape shape, Shape pixels);

}  // namespace lapl
