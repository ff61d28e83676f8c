// Initial fields; docs/numerics.md gives their formulas.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/initial_parts.hpp"
#include "solver/make_problem.hpp"
#include "solver/names.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Computes the values of the rows `rows`, row by row, from RunConfig::initial.
using FieldMaker = std::vector<double> (*)(const RunConfig&, RowRange);

/// `value` in every cell.
std::vector<double> uniform_field(const RunConfig& config, RowRange rows);
/// amplitude * exp(-r^2 / (2 * w^2)) around `center`, with w = width * rows, or width * columns if
/// there is one row.
std::vector<double> gaussian_field(const RunConfig& config, RowRange rows);
/// +amplitude and -amplitude on squares of `tile` cells; cell (0, 0) is positive.
std::vector<double> checkerboard_field(const RunConfig& config, RowRange rows);
/// amplitude times the product over the axes of the boundary's eigenmode (eigenmode below).
std::vector<double> sine_field(const RunConfig& config, RowRange rows);

/// A field that fractal_field (kernels/fields/fractal.hpp) computes.
struct Fractal {};
/// A field that io/readers/initial_source.hpp reads from files.
enum class FieldFile { picture, dataset };
/// A field that values_of_formula (solver/make_problem.hpp) computes.
struct FromFormula {};

/// A kind of initial field: a row of the table.
struct InitialField {
  InitialKind value;
  const char* name;
  const char* summary;                   ///< one line for people
  std::array<std::string_view, 5> keys;  ///< the keys of section initial that apply to it
  std::variant<Fractal, FieldMaker, FieldFile, FromFormula> made;
};

// clang-format off
template <>
inline constexpr auto name_table<InitialKind> = std::to_array<InitialField>({
    {InitialKind::fractal, "fractal", "noise with a power-law spectrum, cut off at a threshold",
     {"seed", "spectral_exponent", "crop_radius", "percentile"}, Fractal()},
    {InitialKind::uniform, "uniform", "one value in every cell", {"value", "seed"}, uniform_field},
    {InitialKind::gaussian, "gaussian", "a bell-shaped bump",
     {"amplitude", "center", "width", "seed"}, gaussian_field},
    {InitialKind::checkerboard, "checkerboard", "squares, or cubes, of alternating sign",
     {"amplitude", "tile", "seed"}, checkerboard_field},
    {InitialKind::sine, "sine", "an eigenmode of the boundary: it decays and keeps its shape",
     {"amplitude", "mode", "seed"}, sine_field},
    {InitialKind::image, "image", "a PNG or TIFF picture, or one for each plane: grey values from 0 to 1",
     {"path", "seed"}, FieldFile::picture},
    {InitialKind::hdf5, "hdf5", "a dataset of any HDF5 or netCDF file, .npy, .npz, TIFF, text or CSV",
     {"path", "dataset", "record", "interpolate", "seed"}, FieldFile::dataset},
    {InitialKind::formula, "formula", "a formula of x, y, z, parameters, other initial fields and random",
     {"formula", "seed"}, FromFormula()}});
// clang-format on

/// Value at node `index` of eigenmode `mode` of the second difference on `size` nodes:
/// - zero: sin((index + 1) * theta), theta = pi * mode / (size + 1);
/// - insulated: cos((index + 1/2) * theta), theta = pi * mode / size;
/// - periodic: cos(index * theta), theta = 2 * pi * mode / size.
double eigenmode(Boundary boundary, std::int64_t mode, std::int64_t index, std::int64_t size);

/// Initial fields that one process stores whole, by name: fields that io/ reads from files, and
/// fractals.
using WholeFields = std::map<std::string, std::vector<double>, std::less<>>;

/// The fractals among the config's initial fields.
WholeFields fractal_fields(const RunConfig& config);

/// Computes each part of the initial state that `whole` lacks and adds it, so that several backends
/// can share it.
void add_computed_fields(WholeFields& whole, const RunConfig& config,
                         const CoefficientFields& coefficients);

/// The initial state in `rows`: the config's fields, one after the other, rounded once from
/// float64, with the values of conditions `at: node` at their nodes. `whole` must have the fields
/// that io/ reads from files; all others are computed if it lacks them. Only the first rank needs
/// `whole` and the values of `coefficients`; each rank computes all other fields for its own rows.
/// Collective.
template <class T>
std::vector<T> initial_state(const RunConfig& config, const CoefficientFields& coefficients,
                             const WholeFields& whole, Ranks& ranks, RowRange rows);
/// Sets the backend's state to the initial state.
template <class T>
void set_initial_state(Backend<T>& backend, const RunConfig& config,
                       const CoefficientFields& coefficients, const WholeFields& whole);

}  // namespace lapl
