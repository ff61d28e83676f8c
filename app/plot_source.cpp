#include "app/plot_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/plot/ticks.hpp"
#include "io/run_folder.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

PlotAxes axes_of(const FileContent& content) {
  PlotAxes axes;
  if (content.kind == "step" || content.kind == "index" || content.kind == "series") {
    axes.spacing = content.spacing;
    axes.unit = "m";
    return axes;
  }
  // The spacing is not in the file. A picture's rows, filtered or not, start at the top.
  axes.x = "column";
  axes.y = "row";
  axes.first_row_below = content.kind == "checkpoint";
  return axes;
}

}  // namespace

PlotSource::PlotSource(const fs::path& path) : path_(path.string()) {
  if (!fs::exists(path)) throw IoError(fmt::format("{}: no such file or folder", path_));
  if (fs::is_directory(path)) {
    add_run(path);
    return;
  }
  const FileContent content = read_content(path);
  for (std::size_t i = 0; i < content.steps.size(); ++i)
    outputs_.push_back({path, i, content.steps[i], content.times[i]});
  if (content.kind == "hdf5") outputs_.push_back({path, 0, std::nullopt, std::nullopt});
  fields_ = content.fields;
  axes_ = axes_of(content);
  if (outputs_.empty() || fields_.empty())
    throw IoError(fmt::format("{}: holds no field to draw", path_));
}

void PlotSource::add_run(const fs::path& folder) {
  if (!RunFolder::holds_run(folder))
    throw IoError(fmt::format("{}: not a run folder (no run.json in it)", path_));
  for (const fs::path& file : list_step_files(folder / "fields"))
    outputs_.push_back({file, 0, step_of_file_name(file.filename().string()), std::nullopt});
  if (outputs_.empty()) throw IoError(fmt::format("{}: the run has no output yet", path_));
  const FileContent content = read_output(outputs_.back().file);
  fields_ = content.fields;
  axes_ = axes_of(content);
}

bool PlotSource::has(const std::string& field) const {
  return std::ranges::find(fields_, field) != fields_.end();
}

const PlotOutput& PlotSource::at_step(std::int64_t step) const {
  if (!outputs_.front().step)
    throw ConfigError(fmt::format("--step {}: {} does not say which steps it holds", step, path_));
  const auto after = std::ranges::find_if(
      outputs_, [&](const PlotOutput& output) { return *output.step >= step; });
  if (after != outputs_.end() && *after->step == step) return *after;
  std::vector<std::int64_t> nearest;
  if (after != outputs_.begin()) nearest.push_back(*(after - 1)->step);
  if (after != outputs_.end()) nearest.push_back(*after->step);
  throw ConfigError(fmt::format("--step {}: {} has no output of that step (nearest: {})", step,
                                path_, fmt::join(nearest, " and ")));
}

void PlotSource::require_field(const std::string& field) const {
  if (!has(field))
    throw ConfigError(fmt::format("--field {}: {} has no such field (it has: {})", field, path_,
                                  fmt::join(fields_, ", ")));
}

std::string describe(const PlotOutput& output) {
  if (!output.step) return output.file.filename().string();
  // The step files of a run are opened only when they are drawn.
  const double time = output.time ? *output.time : read_output(output.file).times.front();
  return fmt::format("step {}, t = {} s", *output.step, number_text(time, 6));
}

}  // namespace lapl
