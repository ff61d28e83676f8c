// Turns a filter's config into the weighted sum that the kernels compute.
#pragma once

#include <string>

#include "kernels/filters/filter.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/precision.hpp"

namespace lapl {

/// The filter as a sum over inputs of one shape. The named kernels:
///
///   box             every weight 1 / (rows * columns)
///   gaussian        exp(-x^2 / (2 * sigma^2)) along each axis, divided by its sum; default width
///                   2 * floor(4 * sigma + 1/2) + 1, as in scipy.ndimage
///   laplacian       [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
///   sobel_rows      derivative from row to row, [-1, 0, 1]^T [1, 2, 1]
///   sobel_columns   derivative from column to column, [1, 2, 1]^T [-1, 0, 1]
///
/// They are the same for convolve and correlate. Mode `same` places the window's origin at size / 2
/// as scipy.ndimage does, or as numpy.convolve for a one-dimensional list of weights; `origin`
/// moves it, in mode same alone. Throws ConfigError with the filter's name for weights that are not
/// finite, for a sum of 0 if they are to be normalised or NaN is to be skipped, for an origin
/// outside the window, and in mode valid for a window larger than the input.
template <class T>
Correlation<T> make_correlation(const FilterConfig& config, Shape input);

/// The filter for a run, whose outputs all have the shape of the grid. Also throws ConfigError if
/// the result would have another shape.
template <class T>
Correlation<T> correlation_on_grid(const FilterConfig& config, Shape grid);

/// Checks several filters in this precision; throws what correlation_on_grid throws.
void check_on_grid(const std::vector<FilterConfig>& filters, Shape grid, Precision precision);

/// The weights of a gaussian along one axis, whose sum is 1. `sigma` is in cells; size 0: as many
/// cells as reach four times sigma.
std::vector<double> gaussian_weights(double sigma, std::int64_t size);

/// A method, and why it was chosen.
struct MethodChoice {
  FilterMethod method;
  std::string reason;  ///< for people
};

/// The method that the config names, else the one that should be fastest on `backend` ("cpu" or
/// "cuda"). Throws ConfigError for `separable` if the weights are not of rank 1, and for
/// `fft` if NaN is to be skipped.
template <class T>
MethodChoice choose_method(const FilterConfig& config, const Correlation<T>& correlation,
                           const std::string& backend);

}  // namespace lapl
