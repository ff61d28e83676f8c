#include "app/commands/run_disk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/temporary_folder.hpp"
#include "io/hdf5/run_index.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/size_text.hpp"
#include "solver/schedule.hpp"

namespace lapl {

RunDisk disk_of_run(const RunConfig& config) {
  const std::size_t value_size = size_of(config.precision);
  const auto fields = config.output_fields.size() + config.filters.size();
  RunDisk disk;
  disk.outputs = Schedule(config).outputs();
  disk.output = static_cast<double>(step_file_bytes(config.shape, value_size, fields));
  disk.checkpoint = static_cast<double>(config.shape.cells()) * static_cast<double>(value_size);
  // One more than are kept, while the oldest waits for the newest to be safe.
  const auto& every = config.checkpoint_every.steps;
  const std::int64_t made = every ? config.steps / *every + 2 : config.checkpoints_kept + 1;
  const std::int64_t bundled =
      disk.outputs - disk.outputs % static_cast<std::int64_t>(RunIndex::bundle_size);
  disk.all = static_cast<double>(disk.outputs) * disk.output +
             static_cast<double>(bundled) * static_cast<double>(fields) * disk.checkpoint +
             static_cast<double>(std::min(made, config.checkpoints_kept + 1)) * disk.checkpoint;
  try {
    const auto folder = nearest_existing(std::filesystem::absolute(config.directory));
    const auto space = std::filesystem::space(folder);
    if (space.capacity > 0) disk.available = static_cast<double>(space.available);
  } catch (const std::filesystem::filesystem_error&) {  // storing will say what is wrong there
  }
  return disk;
}

std::string disk_shortage(const RunConfig& config, const RunDisk& disk) {
  if (disk.available < 0 || disk.all <= disk.available) return {};
  return fmt::format("{}: the run takes about {} of disk, {} are free", config.directory,
                     size_text(disk.all), size_text(disk.available));
}

}  // namespace lapl
