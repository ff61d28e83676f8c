#include "io/run/run_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "io/hdf5/run_index.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/estimated_step.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

// `path`, or the nearest folder above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path) {
  while (!std::filesystem::exists(path)) path = path.parent_path();
  return path;
}

}  // namespace

Memory RunMemory::all() const {
  return {stepping.host + std::max({initial, file, estimate}) + 16e6, stepping.device};
}

RunMemory memory_of_run(const Model& model, const std::string& backend, Shape shape) {
  const RunConfig& config = model.run;
  RunMemory memory;
  memory.backend = with_precision(config.precision, [&]<class T>() {
    Problem<T> problem = problem_with<T>(config, unread_coefficients(config), model.step);
    problem.shape = shape;
    const std::vector<FilterPlan<T>> filters(config.filters.size());
    return memory_needed(backend, problem, planned_outputs(model, problem, filters));
  });
  const auto cells = static_cast<double>(shape.cells());
  const auto value = static_cast<double>(byte_size(config.precision));
  const double state = value * static_cast<double>(config.fields.size());
  const auto coefficients = static_cast<double>(coefficient_names(config).size());
  memory.stepping = memory.backend;
  memory.stepping.host +=
      cells * (8 * coefficients + (config.verify_every ? state : 0) + (config.steady ? state : 0));
  const bool source = is_spectral(config) &&
                      (config.equation.kind == EquationKind::formula || !config.conditions.empty());
  if (is_spectral(config)) memory.transforms = spectral_memory(backend, shape, source);
  if (is_exponential(config)) {
    const auto rates = exponential_rates(config, model.system, unread_coefficients(config));
    memory.transforms = exponential_memory(backend, *rates, shape);
  }
  memory.stepping.host += memory.transforms.host;
  memory.stepping.device += memory.transforms.device;
  // Numbers of float64 arrays of all cells: initial fields that the first rank stores, the spectrum
  // of a fractal, and the most that the computation of one field needs at a time.
  double whole = 0, spectrum = 0, most = 1;
  for (const std::string& field : config.fields) {
    const InitialKind kind = field_initial(config, field).kind;
    if (kind == InitialKind::formula) most = 5;  // buffers, their copy, result, random values
    if (kind == InitialKind::fractal) spectrum = 1;
    if (kind == InitialKind::fractal || kind == InitialKind::image || kind == InitialKind::hdf5)
      whole += 1;
  }
  whole += spectrum;
  memory.initial = cells * (8 * std::max(whole, most) + state);
  memory.file =
      cells * value * static_cast<double>(config.output_fields.size() + config.filters.size() + 1) +
      120 * static_cast<double>(shape.planes * shape.rows);  // statistics of each row, gathered
  memory.first_coefficients =
      cells * (coefficients * (8 + value + (is_exponential(config) ? 8 : 0)) + (source ? 32 : 0));
  if (config.stability_checks() && !stable_limit(config, model.system)) {
    RunConfig estimated = config;
    estimated.shape = shape;
    estimated.scheme = config.estimated_scheme();
    // The estimate's own memory, and the gathered state in the run's precision and in float64.
    memory.estimate = memory_of_modes(estimated, explicit_part(model.system, config.scheme.kind)) +
                      cells * (state + 8 * state / value);
  }
  // Values that the first rank sends to other ranks have the run's precision.
  memory.first = std::max(cells * (8 * whole + (whole > 0 ? value : 0)), memory.estimate) +
                 memory.first_coefficients;
  return memory;
}

std::string memory_shortage(const Model& model, const std::string& backend, const Ranks& ranks) {
  const Shape shape = model.run.shape;
  const RunMemory memory = memory_of_run(model, backend, shape);
  const double here = static_cast<double>(ranks.on_this_machine()) / ranks.count();
  const double needed = here * memory.stepping.host + memory.initial +
                        (ranks.count() > 1 ? memory.first_coefficients : 0);
  const auto available = static_cast<double>(available_memory());
  if (available == 0 || needed <= available) return {};  // 0 if it is not known
  return fmt::format(
      "the grid of {} cells needs {} of host memory, {} are available (lapl plan says what fits)",
      shape_text(shape), size_text(needed), size_text(available));
}

std::filesystem::path nearest_folder(const std::string& run_folder) {
  std::filesystem::path path = std::filesystem::absolute(run_folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // the path ended with a slash
  return nearest_existing(path.parent_path());
}

namespace {

// The number of outputs that have a field: the first, the last, and those of its own interval.
double outputs_with(const std::string& field, const RunConfig& config, std::int64_t outputs) {
  const Interval* const own = own_interval(config, field);
  if (!own || outputs == 0) return static_cast<double>(outputs);
  const std::int64_t ratio =
      own->time ? std::llround(*own->time / *config.output_time) : own->steps / config.output_every;
  const std::int64_t last = outputs - 1;
  return static_cast<double>(last / ratio + 1 + (last % ratio != 0));
}

}  // namespace

RunDisk disk_of_run(const RunConfig& config, std::optional<std::int64_t> steps) {
  const auto fields = config.output_fields.size() + config.filters.size();
  RunDisk disk;
  const Schedule schedule(config);
  disk.outputs = schedule.outputs(steps);
  const auto& every = config.checkpoint_every.steps;
  if (every) disk.checkpoints = schedule.checkpoints(steps);
  disk.output =
      static_cast<double>(step_file_bytes(config.shape, config.stored, config.precision, fields));
  const auto cells = static_cast<double>(config.shape.cells());
  const auto bytes = [&](Precision precision, std::size_t of) {
    return cells * static_cast<double>(byte_size(precision) * of);
  };
  disk.checkpoint = bytes(config.precision, config.fields.size());
  disk.compressed = config.stored.compression > 0;
  // The oldest checkpoint is removed once the newest is safely on disk, so there is one more for a
  // while.
  const std::int64_t made = every ? disk.checkpoints->least : config.checkpoints_kept + 1;
  const std::int64_t outputs = disk.outputs.least;
  const std::int64_t bundled = outputs - outputs % static_cast<std::int64_t>(RunIndex::bundle_size);
  const auto without = [&](std::size_t some) {
    return static_cast<double>(
        step_file_bytes(config.shape, config.stored, config.precision, some));
  };
  double stored = static_cast<double>(outputs) * without(config.filters.size());
  for (const std::string& field : config.output_fields)
    stored += outputs_with(field, config, outputs) * (without(1) - without(0));
  disk.all = stored +
             static_cast<double>(bundled) *
                 bytes(config.stored.precision.value_or(config.precision), fields) +
             static_cast<double>(std::min(made, config.checkpoints_kept + 1)) * disk.checkpoint;
  try {
    const auto folder = nearest_existing(std::filesystem::absolute(config.directory));
    const auto space = std::filesystem::space(folder);
    if (space.capacity > 0) disk.available = static_cast<double>(space.available);
  } catch (const std::filesystem::filesystem_error&) {  // the run will report it
  }
  // The sizes of compressed outputs are upper bounds, and prove no shortage.
  if (disk.available >= 0 && disk.all > disk.available && !disk.compressed)
    disk.shortage = fmt::format("{}: the run takes {} {} of disk, {} are free", config.directory,
                                disk.outputs.exact ? "about" : "at least", size_text(disk.all),
                                size_text(disk.available));
  return disk;
}

}  // namespace lapl
