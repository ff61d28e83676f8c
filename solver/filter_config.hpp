// A filter as plain values: what a config says of one convolution or correlation.
// io/config/filter_keys.cpp describes each entry.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/filter.hpp"

namespace lapl {

enum class FilterKind { convolve, correlate };

/// full: wherever the window touches the input. same: an output cell for each input cell. valid:
/// where the window lies inside the input.
enum class FilterMode { full, same, valid };

/// Where the weights come from: numbers of the config or of an HDF5 dataset, or a name.
enum class KernelKind { box, gaussian, laplacian, sobel_rows, sobel_columns, numbers, hdf5 };

struct FilterConfig {
  std::string name = "filtered";
  FilterKind kind = FilterKind::convolve;
  KernelKind kernel = KernelKind::box;
  std::array<std::int64_t, 2> size = {0, 0};  ///< box, gaussian: rows, columns; 0: not given
  std::array<double, 2> sigma = {0, 0};       ///< gaussian: cells, along rows and columns
  Shape shape;                                ///< numbers, hdf5: of the weights
  std::vector<double> weights;                ///< numbers, hdf5: row-major
  bool one_dimensional = false;  ///< numbers in one list: `same` and `valid` as numpy.convolve
  std::string path;              ///< hdf5: absolute path of the file
  std::string dataset = "/kernel";
  bool normalize = false;
  FilterMode mode = FilterMode::same;
  Edge edge = Edge::reflect;
  double constant = 0;
  std::string method = "auto";  ///< auto, direct, separable or fft
};

inline constexpr std::array every_filter_kind = {FilterKind::convolve, FilterKind::correlate};
inline constexpr std::array every_filter_mode = {FilterMode::full, FilterMode::same,
                                                 FilterMode::valid};
inline constexpr std::array every_edge = {Edge::constant, Edge::nearest, Edge::reflect,
                                          Edge::mirror, Edge::wrap};
inline constexpr std::array every_named_kernel = {KernelKind::box, KernelKind::gaussian,
                                                  KernelKind::laplacian, KernelKind::sobel_rows,
                                                  KernelKind::sobel_columns};

const char* name_of(FilterKind kind);
const char* name_of(FilterMode mode);
const char* name_of(Edge edge);
const char* name_of(KernelKind kernel);
const char* name_of(FilterMethod method);

/// One line for people, on a named kernel.
const char* summary_of(KernelKind kernel);

}  // namespace lapl
