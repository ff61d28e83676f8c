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
#include "solver/exponential_problem.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

// Memory that a run takes in addition to its backend, in bytes per cell.
struct CellBytes {
  double stepping = 0;            // coefficient fields, and copies of the state kept between steps
  double initial = 0;             // creating the initial state
  double whole = 0;               // in `initial`: float64 fields that one rank holds whole
  double whole_coefficients = 0;  // coefficient fields on the first of several ranks
  double file = 0;                // writing an output
};

CellBytes cell_bytes(const RunConfig& config) {
  const auto value = static_cast<double>(size_of(config.precision));
  const double state = value * static_cast<double>(config.fields.size());
  const auto coefficients = static_cast<double>(coefficient_names(config).size());
  double whole = 0, spectrum = 0, most = 1;  // float64 arrays; `most`: for one field
  for (const std::string& field : config.fields) {
    const InitialKind kind = initial_of(config, field).kind;
    if (kind == InitialKind::formula) most = 5;  // buffers, their copy, result, random values
    if (kind == InitialKind::fractal) spectrum = 1;
    if (kind == InitialKind::fractal || kind == InitialKind::image || kind == InitialKind::hdf5)
      whole += 1;
  }
  whole += spectrum;
  const auto outputs = static_cast<double>(config.output_fields.size() + config.filters.size());
  return {.stepping =
              8 * coefficients + (config.verify_every ? state : 0) + (config.steady ? state : 0),
          .initial = 8 * std::max(whole, most) + state,
          .whole = 8 * whole,
          .whole_coefficients = coefficients * (8 + value),
          .file = value * (outputs + 1)};
}

double cells_of(Shape shape) { return static_cast<double>(shape.cells()); }

Memory stepping_memory(const Model& model, const std::string& backend, Shape shape) {
  const RunConfig& config = model.run;
  Memory memory = backend_memory(model, backend, shape);
  memory.host += cells_of(shape) * cell_bytes(config).stepping;
  if (is_spectral(config)) {
    const bool source = config.equation.kind == EquationKind::formula || !config.laws.empty();
    const Memory beside = spectral_memory(backend, shape, source);
    memory.host += beside.host;
    memory.device += beside.device;
  }
  if (is_exponential(config)) {
    const auto rates = exponential_rates(config, unread_coefficients(config));
    const Memory beside = exponential_memory(backend, *rates, shape);
    memory.host += beside.host;
    memory.device += beside.device;
  }
  return memory;
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
  const CellBytes bytes = cell_bytes(model.run);
  Memory memory = stepping_memory(model, backend, shape);
  memory.host += cells_of(shape) * std::max(bytes.initial, bytes.file) + 16e6;
  return memory;
}

namespace {

struct HostMemory {
  double needed = 0;     // on this machine, in bytes
  double available = 0;  // 0 if it is not known
};

HostMemory host_memory(const Model& model, const std::string& backend, const Ranks& ranks) {
  const Shape shape = model.run.shape;
  const CellBytes bytes = cell_bytes(model.run);
  const double here = static_cast<double>(ranks.on_this_machine()) / ranks.count();
  const double needed =
      here * stepping_memory(model, backend, shape).host +
      cells_of(shape) * (bytes.initial + (ranks.count() > 1 ? bytes.whole_coefficients : 0));
  return {needed, static_cast<double>(available_memory())};
}

}  // namespace

bool has_host_memory(const Model& model, const std::string& backend, const Ranks& ranks) {
  const HostMemory memory = host_memory(model, backend, ranks);
  return memory.available == 0 || memory.needed <= memory.available;
}

void require_host_memory(const Model& model, const std::string& backend, const Ranks& ranks) {
  const HostMemory memory = host_memory(model, backend, ranks);
  if (memory.available != 0 && memory.needed > memory.available)
    throw DeviceError(
        "the grid of {} cells needs {} of host memory, {} are available (lapl plan says what fits)",
        text_of(model.run.shape), size_text(memory.needed), size_text(memory.available));
}

double memory_of_first_rank(const RunConfig& config) {
  const CellBytes bytes = cell_bytes(config);
  const double handed_out = bytes.whole > 0 ? static_cast<double>(size_of(config.precision)) : 0;
  return cells_of(config.shape) * (bytes.whole + handed_out + bytes.whole_coefficients);
}

RunDisk disk_of_run(const RunConfig& config) {
  const std::size_t value_size = size_of(config.precision);
  const auto fields = config.output_fields.size() + config.filters.size();
  RunDisk disk;
  disk.outputs = Schedule(config).outputs();
  const auto& every = config.checkpoint_every.steps;
  if (every) disk.checkpoints = Schedule(config).checkpoints();
  disk.output = static_cast<double>(step_file_bytes(config.shape, value_size, fields));
  const double dataset = cells_of(config.shape) * static_cast<double>(value_size);
  disk.checkpoint = dataset * static_cast<double>(config.fields.size());
  // Before the oldest checkpoint is removed, the newest must be safely on disk.
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
  } catch (const std::filesystem::filesystem_error&) {  // the run will report it
  }
  if (disk.available >= 0 && disk.all > disk.available)
    disk.shortage = fmt::format("{}: the run takes about {} of disk, {} are free", config.directory,
                                size_text(disk.all), size_text(disk.available));
  return disk;
}

}  // namespace lapl
