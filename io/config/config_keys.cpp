// The key table. One row a key; see ConfigKey for the columns.
#include "io/config/config_keys.hpp"

#include <algorithm>

#include "io/config/config_store.hpp"
#include "io/config/config_text.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/engines.hpp"

namespace lapl {
namespace {

constexpr std::int64_t most_steps = std::int64_t{1} << 53;  // exact as a float64 too
constexpr std::int64_t largest_seed = INT64_MAX;

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"auto"};
  for (const EngineInfo& engine : engine_table()) names.emplace_back(engine.name);
  return names;
}

std::vector<ConfigKey> make_key_table() {
  using enum InitialKind;
  return {
      // clang-format off
      {.name = "grid.shape", .type = list(integer(1, most_cells), 2, 2),
       .unit = "cells", .meaning = "numbers of rows and columns; at most 2^40 cells together",
       .put = store(&RunConfig::shape)},
      {.name = "grid.spacing", .type = positive_real(), .preset = "1",
       .unit = "length", .meaning = "distance h between neighbouring nodes",
       .put = store(&RunConfig::spacing)},

      {.name = "boundary.rows", .type = word(names_of(every_boundary)), .preset = "zero",
       .meaning = "condition at the first and the last row",
       .put = store(&Boundaries::rows)},
      {.name = "boundary.columns", .type = word(names_of(every_boundary)), .preset = "zero",
       .meaning = "condition at the first and the last column",
       .put = store(&Boundaries::columns)},

      {.name = "initial.kind", .type = word(names_of(every_kind)), .preset = "fractal",
       .meaning = "initial field",
       .put = store(&InitialConfig::kind)},
      {.name = "initial.seed", .type = integer(0, largest_seed), .preset = "3966789",
       .meaning = "seed of the noise, as of NumPy's default_rng", .kinds = {fractal},
       .put = store(&FractalParameters::seed)},
      {.name = "initial.spectral_exponent", .type = real(-10, 10), .preset = "1.7",
       .meaning = "amplitudes fall as radius^-exponent in the spectrum", .kinds = {fractal},
       .put = store(&FractalParameters::spectral_exponent)},
      {.name = "initial.crop_radius", .type = null_or(positive_real()), .preset = "0.45",
       .unit = "number of rows", .meaning = "the field is 0 beyond it; null: no crop",
       .kinds = {fractal}, .put = store(&FractalParameters::crop_radius)},
      {.name = "initial.percentile", .type = null_or(real(0, 100)), .preset = "70",
       .unit = "percent", .meaning = "values at or below it become 0; null: keep all",
       .kinds = {fractal}, .put = store(&FractalParameters::percentile)},
      {.name = "initial.value", .type = finite_real(), .preset = "1",
       .unit = "field", .meaning = "value of every cell", .kinds = {uniform},
       .put = store(&InitialConfig::value)},
      {.name = "initial.amplitude", .type = finite_real(), .preset = "1",
       .unit = "field", .meaning = "largest value", .kinds = {gaussian, checkerboard, sine},
       .put = store(&InitialConfig::amplitude)},
      {.name = "initial.center", .type = list(real(0, 1), 2, 2), .preset = "[0.5, 0.5]",
       .unit = "number of rows, columns", .meaning = "row and column of the centre",
       .kinds = {gaussian}, .put = store(&InitialConfig::center)},
      {.name = "initial.width", .type = positive_real(), .preset = "0.1",
       .unit = "number of rows", .meaning = "standard deviation (of columns where there is one row)",
       .kinds = {gaussian}, .put = store(&InitialConfig::width)},
      {.name = "initial.tile", .type = integer(1, most_cells), .preset = "8",
       .unit = "cells", .meaning = "edge of a square", .kinds = {checkerboard},
       .put = store(&InitialConfig::tile)},
      {.name = "initial.mode", .type = list(integer(0, most_cells), 2, 2), .preset = "[1, 1]",
       .meaning = "eigenmode along rows and columns; n cells have 1 to n with boundary zero, "
                  "0 to n - 1 with insulated, 0 to n / 2 with periodic",
       .kinds = {sine}, .put = store(&InitialConfig::mode)},
      {.name = "initial.path", .type = path(),
       .meaning = "file of the field: PNG, or HDF5 or .npy; relative to the folder of the config file",
       .kinds = {image, hdf5}, .put = store(&InitialConfig::path)},
      {.name = "initial.dataset", .type = text(), .preset = "/field",
       .meaning = "dataset in the HDF5 file", .kinds = {hdf5},
       .put = store(&InitialConfig::dataset)},

      {.name = "equation.kind", .type = word({"diffusion"}), .preset = "diffusion",
       .meaning = "du/dt = D (d2u/dx2 + d2u/dy2)", .put = store_nothing()},
      {.name = "equation.coefficient",
       .type = null_or(positive_real(largest_stable_coefficient, "the largest stable coefficient")),
       .preset = "null",
       .meaning = "c = D dt / h^2; give either this or equation.diffusivity and time.step",
       .put = store(&RunConfig::coefficient)},
      {.name = "equation.diffusivity", .type = null_or(positive_real()), .preset = "null",
       .unit = "length^2/s", .meaning = "D; needs time.step",
       .put = store(&RunConfig::diffusivity)},

      {.name = "time.steps", .type = integer(0, most_steps),
       .unit = "steps", .meaning = "number of the last step", .put = store(&RunConfig::steps)},
      {.name = "time.step", .type = null_or(positive_real()), .preset = "null",
       .unit = "s", .meaning = "dt; needs equation.diffusivity",
       .put = store(&RunConfig::time_step)},

      {.name = "compute.backend", .type = word({"auto", "cuda", "cpu"}), .preset = "auto",
       .meaning = "where to compute; auto: CUDA where there is a device, else the CPU",
       .put = store(&RunConfig::backend)},
      {.name = "compute.precision", .type = word(names_of(every_precision)), .preset = "float32",
       .meaning = "number type of the field", .put = store(&RunConfig::precision)},
      {.name = "compute.engine", .type = word(engine_names()), .preset = "auto",
       .meaning = "how to step; auto: the fastest for the grid, measured on a GPU",
       .put = store(&RunConfig::engine)},
      {.name = "compute.threads", .type = either(word({"auto"}), integer(1, 1024)),
       .preset = "auto", .unit = "threads",
       .meaning = "CPU threads; auto: one for each core, fewer for small grids",
       .put = store(&RunConfig::threads)},

      {.name = "output.directory", .type = text(), .preset = "runs/<config name>",
       .meaning = "run folder; relative to the current folder",
       .put = store(&RunConfig::directory)},
      {.name = "output.every", .type = integer(1, most_steps), .preset = "2500",
       .unit = "steps", .meaning = "between outputs; step 0 and the last step are always written",
       .put = store(&RunConfig::output_every)},
      {.name = "output.fields", .type = list(word({"field", "laplacian"}), 1, 2),
       .preset = "[field, laplacian]", .meaning = "what an output holds",
       .put = store(&RunConfig::output_fields)},

      {.name = "checkpoint.every", .type = either(integer(1, most_steps), duration()),
       .preset = "2500", .unit = "steps, or a time",
       .meaning = "between checkpoints, in steps or in wall-clock time",
       .put = store(&RunConfig::checkpoint_every)},
      {.name = "checkpoint.keep", .type = integer(1, 1000000), .preset = "3",
       .unit = "files", .meaning = "newest checkpoints that are kept",
       .put = store(&RunConfig::checkpoints_kept)},

      {.name = "filters", .type = filters(), .preset = "[]",
       .meaning = "convolutions of the field; each output holds their results too",
       .put = store(&RunConfig::filters)},

      {.name = "limits.wall_time", .type = null_or(duration()), .preset = "null",
       .unit = "a time", .meaning = "after it: checkpoint, then exit 75; null: no limit",
       .put = store(&RunConfig::wall_time)},
      {.name = "limits.check_finite_every", .type = integer(1, most_steps), .preset = "500",
       .unit = "steps", .meaning = "between checks that every value is finite",
       .put = store(&RunConfig::check_finite_every)},
      {.name = "limits.verify_every", .type = null_or(integer(1, most_steps)), .preset = "null",
       .unit = "steps",
       .meaning = "take the steps since the last time again and compare bits (every step is taken "
                  "twice); null: never",
       .put = store(&RunConfig::verify_every)},
      // clang-format on
  };
}

}  // namespace

bool ConfigKey::belongs_to(InitialKind kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> table = make_key_table();
  return table;
}

const ConfigKey* find_config_key(std::string_view name) {
  const auto& table = config_keys();
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const ConfigKey& key) { return key.name == name; });
  return at == table.end() ? nullptr : &*at;
}

const std::vector<std::string>& config_sections() {
  static const std::vector<std::string> sections = [] {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys()) {
      const bool in_section = key.section() != key.name;
      if (in_section && (names.empty() || names.back() != key.section())) {
        names.emplace_back(key.section());
      }
    }
    return names;
  }();
  return sections;
}

std::string kinds_text(const ConfigKey& key) { return either_of(names_of(key.kinds)); }

}  // namespace lapl
