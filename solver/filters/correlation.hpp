// From a filter's config to the sum that the kernels compute.
#pragma once

#include <string>

#include "kernels/filters/filter.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/precision.hpp"

namespace lapl {

/// The filter on inputs of one shape. Named kernels:
///
///   box             every weight 1 / (rows columns)
///   gaussian        exp(-x^2 / (2 sigma^2)) along each axis, divided by its sum; by default as
///                   wide as scipy.ndimage's, 2 floor(4 sigma + 1/2) + 1
///   laplacian       [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
///   sobel_rows      derivative from row to row, [-1, 0, 1]^T [1, 2, 1]; sobel_columns likewise
///
/// mean the same for both kinds. `same` has scipy.ndimage's origin, size / 2; for a one-dimensional
/// list of weights numpy.convolve's. Throws ConfigError, beginning with the filter's name, for
/// weights that are not finite or, where they are to be normalised, add up to 0, and for a window
/// larger than the input in mode valid.
template <class T>
Correlation<T> correlation_of(const FilterConfig& config, Shape input);

/// The same for a run, whose outputs are all of the grid's shape. Throws ConfigError, too, where
/// the result would have another one.
template <class T>
Correlation<T> correlation_on_grid(const FilterConfig& config, Shape grid);

/// Throws what correlation_on_grid throws for any of them at that precision.
void check_on_grid(const std::vector<FilterConfig>& filters, Shape grid, Precision precision);

struct MethodChoice {
  FilterMethod method;
  std::string reason;  ///< for people
};

/// The method that the config names, or the one that should be fastest on that backend ("cpu" or
/// "cuda"). Throws ConfigError for `separable` with weights that are not of rank 1.
template <class T>
MethodChoice choose_method(const FilterConfig& config, const Correlation<T>& correlation,
                           const std::string& backend);

}  // namespace lapl
