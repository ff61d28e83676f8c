// Initial fields. Where a field is given by a formula, docs/numerics.md has it too.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/names.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// rows * columns values, row by row.
using Formula = std::vector<double> (*)(const RunConfig&);

/// `value` in every cell.
std::vector<double> uniform_field(const RunConfig& config);
/// amplitude exp(-r^2 / (2 w^2)) about `center`, w = width rows, or width columns where there is
/// one row.
std::vector<double> gaussian_field(const RunConfig& config);
/// +amplitude and -amplitude on squares of `tile` cells; cell (0, 0) is positive.
std::vector<double> checkerboard_field(const RunConfig& config);
/// amplitude times the product of the boundaries' eigenmodes (eigenmode below).
std::vector<double> sine_field(const RunConfig& config);

/// Made by fill_fractal (kernels/fractal.hpp), where the state is.
struct OnBackend {};
/// Read by io/initial_source.hpp.
enum class FieldFile { picture, dataset };

/// A kind of initial field.
struct InitialField {
  InitialKind value;
  const char* name;
  const char* summary;                   ///< one line for people
  std::array<std::string_view, 4> keys;  ///< those of section initial that it reads
  std::variant<OnBackend, Formula, FieldFile> made;
};

// clang-format off
template <>
inline constexpr auto name_table<InitialKind> = std::to_array<InitialField>({
    {InitialKind::fractal, "fractal", "noise with a power-law spectrum, cropped, thresholded",
     {"seed", "spectral_exponent", "crop_radius", "percentile"}, OnBackend()},
    {InitialKind::uniform, "uniform", "one value in every cell", {"value"}, uniform_field},
    {InitialKind::gaussian, "gaussian", "a bell-shaped bump",
     {"amplitude", "center", "width"}, gaussian_field},
    {InitialKind::checkerboard, "checkerboard", "squares of alternating sign",
     {"amplitude", "tile"}, checkerboard_field},
    {InitialKind::sine, "sine", "an eigenmode of the boundary, which keeps its shape",
     {"amplitude", "mode"}, sine_field},
    {InitialKind::image, "image", "a PNG picture, grey values from 0 to 1",
     {"path"}, FieldFile::picture},
    {InitialKind::hdf5, "hdf5", "a dataset of any HDF5 file",
     {"path", "dataset"}, FieldFile::dataset}});
// clang-format on

/// How the config's initial field is made.
const std::variant<OnBackend, Formula, FieldFile>& initial_field_of(const RunConfig& config);

/// rows * columns values of a kind that has a formula.
std::vector<double> formula_field(const RunConfig& config);

/// Value at node `index` of eigenmode `mode` of the second difference on `size` nodes:
///   zero       sin((index + 1) theta),    theta = pi mode / (size + 1)
///   insulated  cos((index + 1/2) theta),  theta = pi mode / size
///   periodic   cos(index theta),          theta = 2 pi mode / size
double eigenmode(Boundary boundary, std::int64_t mode, std::int64_t index, std::int64_t size);

/// Sets the backend's state to the config's initial field, rounded once from float64. `loaded`
/// stands for the values of a formula: it must be there for kinds that io/ reads from a file.
template <class T>
void set_initial_state(Backend<T>& backend, const RunConfig& config,
                       std::optional<std::vector<double>> loaded);

}  // namespace lapl
