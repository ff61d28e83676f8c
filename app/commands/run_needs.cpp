#include "app/commands/run_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "app/parent_folder.hpp"
#include "io/hdf5/run_index.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/initial_field.hpp"
#include "solver/outputs.hpp"
#include "solver/problem.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

// Fields of float64 that are had whole at once, and what one of them takes while it is made.
double whole_fields(const RunConfig& config) {
  double whole = 0, spectrum = 0;
  for (const std::string& field : config.fields) {
    const InitialKind kind = initial_of(config, field).kind;
    const bool fractal = kind == InitialKind::fractal;
    whole += fractal || kind == InitialKind::image || kind == InitialKind::hdf5 ? 1 : 0;
    spectrum = std::max(spectrum, fractal ? 1.0 : 0.0);
  }
  return whole + spectrum;
}

// Beside the backend's, in bytes.
double initial_memory(const RunConfig& config, double cells) {
  double most = 1;  // arrays of float64, of one field at a time
  for (const std::string& field : config.fields) {
    constexpr double of_formula = 5;  // two buffers, their copy, the result and what is random
    if (initial_of(config, field).kind == InitialKind::formula) most = of_formula;
  }
  return cells * (8 * std::max(whole_fields(config), most) +
                  static_cast<double>(config.fields.size() * size_of(config.precision)));
}

// The backend's memory, and that of copies kept between steps.
Memory stepping_memory(const Model& model, const std::string& backend, Shape shape) {
  const RunConfig& config = model.run;
  const std::size_t value_size = size_of(config.precision);
  Memory memory = backend_memory(model, backend, shape);
  const double cells = static_cast<double>(shape.cells());
  memory.host += cells * 8 * static_cast<double>(coefficient_names(config).size());
  if (is_spectral(config)) {
    const bool source = config.equation.kind == EquationKind::formula || !config.laws.empty();
    const Memory beside = spectral_memory(backend, shape, source);
    memory.host += beside.host;
    memory.device += beside.device;
  }
  for (const bool keeps_a_copy : {config.verify_every.has_value(), config.steady.has_value()})
    memory.host +=
        !keeps_a_copy ? 0 : cells * static_cast<double>(value_size * config.fields.size());
  return memory;
}

// On the first of several ranks, as they are loaded and as they are handed out.
double whole_coefficients(const RunConfig& config) {
  return static_cast<double>(config.shape.cells()) *
         static_cast<double>(coefficient_names(config).size()) *
         static_cast<double>(8 + size_of(config.precision));
}

}  // namespace

Memory backend_memory(const Model& model, const std::string& backend, Shape shape) {
  return with_precision(model.run.precision, [&]<class T>() {
    Problem<T> problem = problem_of<T>(model, unread_coefficients(model.run));
    problem.shape = shape;
    const std::vector<FilterPlan<T>> filters(model.run.filters.size());
    return memory_needed(backend, problem, plans_of(model, problem, filters));
  });
}

Memory memory_of_run(const Model& model, const std::string& backend, Shape shape) {
  const RunConfig& config = model.run;
  Memory memory = stepping_memory(model, backend, shape);
  const auto value_size = static_cast<double>(size_of(config.precision));
  const double cells = static_cast<double>(shape.cells());
  const auto fields = config.output_fields.size() + config.filters.size();
  const double file = cells * value_size * static_cast<double>(fields + 1);
  memory.host += std::max(initial_memory(config, cells), file) + 16e6;
  return memory;
}

void require_host_memory(const Model& model, const std::string& backend, const Ranks& ranks) {
  const RunConfig& config = model.run;
  const Shape shape = config.shape;
  const double cells = static_cast<double>(shape.cells());
  const double here = static_cast<double>(ranks.on_this_machine()) / ranks.count();
  const double needed = here * stepping_memory(model, backend, shape).host +
                        initial_memory(config, cells) +
                        (ranks.count() > 1 ? whole_coefficients(config) : 0);
  const auto available = static_cast<double>(available_memory());
  if (available != 0 && needed > available)
    throw DeviceError(
        "the grid of {} cells needs {} of host memory, {} are available (lapl plan says what fits)",
        text_of(shape), size_text(needed), size_text(available));
}

double memory_of_first_rank(const RunConfig& config) {
  const double whole = whole_fields(config);
  const double handed_out = whole > 0 ? static_cast<double>(size_of(config.precision)) : 0;
  return static_cast<double>(config.shape.cells()) * (8 * whole + handed_out) +
         whole_coefficients(config);
}

RunDisk disk_of_run(const RunConfig& config) {
  const std::size_t value_size = size_of(config.precision);
  const auto fields = config.output_fields.size() + config.filters.size();
  RunDisk disk;
  disk.outputs = Schedule(config).outputs();
  const auto& every = config.checkpoint_every.steps;
  if (every) disk.checkpoints = Schedule(config).checkpoints();
  disk.output = static_cast<double>(step_file_bytes(config.shape, value_size, fields));
  const double dataset =
      static_cast<double>(config.shape.cells()) * static_cast<double>(value_size);
  disk.checkpoint = dataset * static_cast<double>(config.fields.size());
  // One more than are kept, while the oldest waits for the newest to be safe.
  const std::int64_t made = every ? config.steps / *every + 2 : config.checkpoints_kept + 1;
  const std::int64_t bundled =
      disk.outputs - disk.outputs % static_cast<std::int64_t>(RunIndex::bundle_size);
  disk.all = static_cast<double>(disk.outputs) * disk.output +
             static_cast<double>(bundled) * static_cast<double>(fields) * dataset +
             static_cast<double>(std::min(made, config.checkpoints_kept + 1)) * disk.checkpoint;
  try {
    const auto folder = nearest_existing(std::filesystem::absolute(config.directory));
    const auto space = std::filesystem::space(folder);
    if (space.capacity > 0) disk.available = static_cast<double>(space.available);
  } catch (const std::filesystem::filesystem_error&) {  // storing will say what is wrong there
  }
  if (disk.available >= 0 && disk.all > disk.available)
    disk.shortage = fmt::format("{}: the run takes about {} of disk, {} are free", config.directory,
                                size_text(disk.all), size_text(disk.available));
  return disk;
}

}  // namespace lapl
