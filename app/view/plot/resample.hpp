// Resamples a field to the pixels of a picture.
#pragma once

#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// The field as `pixels.rows` x `pixels.columns` values. Along an axis with fewer pixels than cells
/// a pixel is the mean of the smoothed cells that it covers; partly covered cells count in part.
/// Along another axis it has the value of the cell that contains it.
std::vector<double> resample(FieldView field, Shape shape, Shape pixels);

}  // namespace lapl
