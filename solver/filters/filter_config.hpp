// The config of one convolution or correlation as plain values; io/filters/filter_keys.cpp
// describes its keys.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/filters/filter.hpp"
#include "solver/names.hpp"

namespace lapl {

enum class FilterKind { convolve, correlate };

/// The cells of the output. full: all places at which the window overlaps the input; same: one for
/// each input cell; valid: all places at which the window lies inside the input.
enum class FilterMode { full, same, valid };

/// NaN in the input: it spreads to all cells whose window has it, or it is left out.
enum class NanCells { spread, skip };

/// The source of the weights: numbers in the config, an HDF5 dataset, or a named kernel.
enum class KernelKind { numbers, hdf5, box, gaussian, laplacian, sobel_rows, sobel_columns };

/// A kind of kernel. If the weights do not depend on the config, the row has them.
struct KernelRow {
  KernelKind value;
  const char* name;
  const char* summary = "";
  std::array<int, 2> shape = {};        ///< rows, columns of `weights`; 0: not in this row
  std::array<double, 25> weights = {};  ///< row-major
};

/// One filter. The comment on a member begins with the kernels that read it, if not all do.
struct FilterConfig {
  std::string name = "filtered";
  FilterKind kind = FilterKind::convolve;
  KernelKind kernel = KernelKind::box;
  std::array<std::int64_t, 2> size = {0, 0};  ///< box, gaussian: rows, columns; 0: not given
  std::array<double, 2> sigma = {0, 0};       ///< gaussian: cells, along rows and columns
  Shape shape;                                ///< numbers, hdf5: shape of the weights
  std::vector<double> weights;                ///< numbers, hdf5: row-major
  /// the weights are a plain list, so `same` and `valid` follow numpy.convolve
  bool one_dimensional = false;
  std::string path;  ///< hdf5: absolute path of the file
  std::string dataset = "/kernel";
  bool normalize = false;
  FilterMode mode = FilterMode::same;
  Edge edge = Edge::reflect;
  double constant = 0;
  std::array<std::int64_t, 2> origin = {0, 0};  ///< shift of the window's centre, as in SciPy
  NanCells nan = NanCells::spread;
  std::string method = "auto";  ///< auto, direct, separable or fft
  std::string field;            ///< the field of the run to filter; empty: the first
};

// clang-format off
template <>
inline constexpr auto name_table<FilterKind> = std::to_array<Named<FilterKind>>({
    {FilterKind::convolve, "convolve"}, {FilterKind::correlate, "correlate"}});
template <>
inline constexpr auto name_table<FilterMode> = std::to_array<Named<FilterMode>>({
    {FilterMode::full, "full"}, {FilterMode::same, "same"}, {FilterMode::valid, "valid"}});
template <>
inline constexpr auto name_table<NanCells> = std::to_array<Named<NanCells>>({
    {NanCells::spread, "spread"}, {NanCells::skip, "skip"}});
template <>
inline constexpr auto name_table<Edge> = std::to_array<Named<Edge>>({
    {Edge::constant, "constant"}, {Edge::nearest, "nearest"}, {Edge::reflect, "reflect"},
    {Edge::mirror, "mirror"}, {Edge::wrap, "wrap"}});
template <>
inline constexpr auto name_table<FilterMethod> = std::to_array<Named<FilterMethod>>({
    {FilterMethod::direct, "direct"}, {FilterMethod::separable, "separable"},
    {FilterMethod::fft, "fft"}});
template <>
inline constexpr auto name_table<KernelKind> = std::to_array<KernelRow>({
    {KernelKind::numbers, "numbers"}, {KernelKind::hdf5, "hdf5"},
    {KernelKind::box, "box", "mean over a window"},
    {KernelKind::gaussian, "gaussian", "smooth mean with bell-shaped weights"},
    {KernelKind::laplacian, "laplacian", "sum of the four neighbours less four times the cell",
     {3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0}},
    {KernelKind::sobel_rows, "sobel_rows", "slope along a column, from row to row",
     {3, 3}, {-1, -2, -1, 0, 0, 0, 1, 2, 1}},
    {KernelKind::sobel_columns, "sobel_columns", "slope along a row, from column to column",
     {3, 3}, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}});
// clang-format on

/// The kernels that a config names: all rows after numbers and hdf5.
inline constexpr auto named_kernels = std::span(name_table<KernelKind>).subspan<2>();

}  // namespace lapl
