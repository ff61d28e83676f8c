// The keys of section initial, and those of section equation that are neither rates nor quantities.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "io/config/config_keys.hpp"
#include "io/config/map_values.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

// clang-format off
// The schema of a list with one number per axis; if `axes` is 0, of one to three numbers.
Schema list_of_axes(const Schema& element, int axes) {
  const auto count = static_cast<std::size_t>(axes);
  return axes == 0 ? list(element, 1, 3) : list(element, count, count);
}
std::string preset_of_axes(const char* element, int axes) {
  return fmt::format("[{}]", fmt::join(std::vector(axes == 0 ? 2 : axes, element), ", "));
}

KeyTable<InitialConfig> make_initial_keys(int axes) {
  KeyTable<InitialConfig> keys = {
      {{.name = "kind", .type = word(names_in(name_table<InitialKind>)), .preset = "fractal",
       .meaning = "initial field"}, store(&InitialConfig::kind)},
      {{.name = "seed", .type = integer(0, largest_seed), .preset = "3966789",
       .meaning = "seed of random numbers: of kinds fractal and formula, as of NumPy's default_rng, "
                  "and of `noise` in rates"},
       store(&InitialConfig::fractal, &FractalParameters::seed)},
      {{.name = "spectral_exponent", .type = real(-10, 10), .preset = "1.7",
       .meaning = "amplitudes fall as radius^-exponent in the spectrum"},
       store(&InitialConfig::fractal, &FractalParameters::spectral_exponent)},
      {{.name = "crop_radius", .type = null_or(positive_real()), .preset = "0.45",
       .unit = "number of rows", .meaning = "the field is 0 beyond it; null: no crop"},
       store(&InitialConfig::fractal, &FractalParameters::crop_radius)},
      {{.name = "percentile", .type = null_or(real(0, 100)), .preset = "70",
       .unit = "percent", .meaning = "values at or below it become 0; null: keep all"},
       store(&InitialConfig::fractal, &FractalParameters::percentile)},
      {{.name = "value", .type = finite_real(), .preset = "1",
       .unit = "field", .meaning = "value of every cell"}, store(&InitialConfig::value)},
      {{.name = "amplitude", .type = finite_real(), .preset = "1",
       .unit = "field", .meaning = "largest value"}, store(&InitialConfig::amplitude)},
      {{.name = "center", .type = list_of_axes(real(0, 1), axes),
       .preset = preset_of_axes("0.5", axes), .unit = "number of planes, rows, columns",
       .meaning = "plane, row and column of the centre: one for each axis"},
       store(&InitialConfig::center)},
      {{.name = "width", .type = positive_real(), .preset = "0.1",
       .unit = "number of rows",
       .meaning = "standard deviation (of columns where there is one row)"},
       store(&InitialConfig::width)},
      {{.name = "tile", .type = integer(1, most_cells), .preset = "8",
       .unit = "cells", .meaning = "edge of a square"}, store(&InitialConfig::tile)},
      {{.name = "mode", .type = list_of_axes(integer(0, most_cells), axes),
       .preset = preset_of_axes("1", axes),
       .meaning = "eigenmode along planes, rows and columns, one for each axis; n cells have 1 "
                  "to n with boundary zero, "
                  "0 to n - 1 with insulated, 0 to n / 2 with periodic"},
       store(&InitialConfig::mode)},
      {{.name = "path", .type = path(),
       .meaning = "file of the field: PNG or TIFF (on three axes a folder of one PNG for each "
                  "plane, by number and name, or a TIFF of as many pages), or for kind hdf5 "
                  "HDF5, netCDF, .npy, .npz, TIFF, text or CSV; relative to the folder of the "
                  "config file"},
       store(&InitialConfig::path)},
      {{.name = "dataset", .type = text(), .preset = "/field",
       .meaning = "dataset in the HDF5 or netCDF file, array of an .npz, column of a table"}, store(&InitialConfig::dataset)},
      {{.name = "record", .type = record_choice(), .preset = "0",
       .meaning = "record of a dataset with a time axis: its number from 0 on, last, or {time: T}"},
       store(&InitialConfig::record)},
      {{.name = "interpolate", .type = null_or(word(names_in(name_table<Interpolation>))),
       .preset = "null",
       .meaning = "values of another grid over the same box are interpolated so along axes with "
                  "fewer cells there, and averaged along those with more; null: another shape is "
                  "an error"}, store(&InitialConfig::interpolate)},
      {{.name = "formula", .type = formula_text(),
       .meaning = "formula of x, y, z, parameters, other initial fields and random "
                  "(docs/formulas.md); `initial: FORMULA` and `initial: {FIELD: FORMULA}` are "
                  "short for it"},
       store(&InitialConfig::formula)},
  };
  for (Key<InitialConfig>& key : keys)
    for (const InitialField& field : name_table<InitialKind>)
      if (std::ranges::count(field.keys, key.name) > 0) key.kinds.emplace_back(field.name);
  return keys;
}
KeyTable<EquationConfig> make_equation_keys() {
  std::string summaries;
  for (const Equation& equation : name_table<EquationKind>)
    summaries += fmt::format("{}{}: {}", summaries.empty() ? "" : "; ", equation.name, equation.summary);
  const std::vector<std::string> diffusion = {enum_name(EquationKind::diffusion)};
  return {
      {{.name = "kind", .type = word(names_in(name_table<EquationKind>)), .preset = "diffusion",
       .meaning = summaries}, store(&EquationConfig::kind)},
      {{.name = "coefficient", .type = null_or(positive_real()), .preset = "null",
       .meaning = "c = D dt / h^2, stable up to 1/2 on one axis, 1/4 on two, 1/6 on three (spacings that "
                  "differ: 1/h^2 is their mean), with time.scheme rkl2 further; give either this or "
                  "equation.diffusivity and time.step", .kinds = diffusion},
       store(&EquationConfig::coefficient)},
      {{.name = "diffusivity", .type = null_or(positive_real()), .preset = "null",
       .unit = "length^2/time", .meaning = "D; needs time.step", .kinds = diffusion},
       store(&EquationConfig::diffusivity)},
  };
}
// clang-format on

}  // namespace

const KeyTable<InitialConfig>& initial_keys(int axes) {
  static const std::array tables = {make_initial_keys(0), make_initial_keys(1),
                                    make_initial_keys(2), make_initial_keys(3)};
  return tables.at(static_cast<std::size_t>(axes));
}

const KeyTable<EquationConfig>& equation_keys() {
  static const KeyTable<EquationConfig> keys = make_equation_keys();
  return keys;
}

}  // namespace lapl
