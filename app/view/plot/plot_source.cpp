#include "app/view/plot/plot_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/view/plot/complex_views.hpp"
#include "app/view/plot/ticks.hpp"
#include "io/config/config.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/initial_parts.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace fs = std::filesystem;

bool is_drawn_as_picture(const RunConfig& config) {
  if (config.mask && config.mask->kind == ParameterConfig::Kind::image) return true;
  return std::ranges::any_of(config.fields, [&](const std::string& field) {
    return field_initial(config, field).kind == InitialKind::image;
  });
}

DrawnContent::DrawnContent(FileContent content)
    : FileContent(std::move(content)), is_picture(kind == "hdf5") {
  try {
    const RunConfig config =
        parse_config(provenance_text(provenance, "config"), "its config", ".", {}).run;
    fields_of_config = config.fields;
    if (!config.field_intervals.empty()) datasets_of_config = config.output_fields;
    is_picture = is_picture || is_drawn_as_picture(config);
    for (const std::string& field : config.fields) labels[field] = field_labels(config, field);
    for (const std::string& field : config.complex_fields) {
      const auto is_stored = [&](const auto& part) { return std::ranges::count(fields, part) > 0; };
      if (!std::ranges::all_of(part_names(field), is_stored)) continue;
      complex_fields.push_back(field);
      add_complex_labels(labels, config, field);
    }
  } catch (const ConfigError&) {  // no config that this version can read
  }
  for (const auto& [name, unit] : field_units) labels[name].unit = unit;
}

std::vector<std::string> state_fields(const DrawnContent& content) {
  std::vector<std::string> fields = content.fields_of_config;
  std::erase_if(fields, [&](const std::string& name) {
    return std::ranges::count(content.fields, name) == 0;
  });
  if (fields.empty()) fields.push_back(content.fields.front());
  return fields;
}

std::string chosen_field(const DrawnContent& content, const std::string& asked,
                         const std::string& path, const char* option) {
  if (asked.empty()) return state_fields(content).front();
  if (std::ranges::count(content.fields, asked) > 0) return asked;
  throw ConfigError("{} {}: {} has no such field (it has: {})", option, asked, path,
                    fmt::join(content.fields, ", "));
}

DrawnContent read_with_provenance(const fs::path& path) {
  FileContent content = read_content(path);
  if (content.kind == "index" && content.provenance.empty() && !content.steps.empty()) try {
      const fs::path newest = path.parent_path() / "fields" / step_file_name(content.steps.back());
      content.provenance = read_output(newest).provenance;
    } catch (const IoError&) {  // it is damaged, or the index was moved away: no provenance
    }
  return DrawnContent(std::move(content));
}

PlotAxes plot_axes(const DrawnContent& content, Origin origin) {
  PlotAxes axes;
  if (content.kind == "step" || content.kind == "index" || content.kind == "series") {
    PlotAxis* const by_axis[] = {&axes.z, &axes.y, &axes.x};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      by_axis[axis]->spacing = content.spacing.by_axis[axis];
      by_axis[axis]->origin = content.spacing.origin[axis];
    }
    axes.has_positions = true;
    axes.units = content.units;
  } else {  // the file does not store the spacing
    axes.x.name = "column";
    axes.y.name = "row";
    axes.z.name = "plane";
  }
  axes.labels = content.labels;
  axes.first_row_below =
      origin == Origin::automatic ? !content.is_picture : origin == Origin::lower;
  return axes;
}

PlotSource::PlotSource(const fs::path& path, Origin origin) : path_(path.string()) {
  if (!fs::exists(path)) throw IoError("{}: no such file or folder", path_);
  DrawnContent& content = content_;
  if (fs::is_directory(path)) {
    if (!RunFolder::has_run(path)) throw IoError("{}: not a run folder (no run.json in it)", path_);
    for (const fs::path& file : list_step_files(path / "fields"))
      outputs_.push_back({file, 0, step_of_file_name(file.filename().string()), std::nullopt});
    if (outputs_.empty()) throw IoError("{}: the run has no output yet", path_);
    for (std::size_t i = outputs_.size(); i-- > 0;) {
      content = DrawnContent(read_output(outputs_[i].file));
      if (std::ranges::all_of(content.datasets_of_config, [&](const std::string& name) {
            return std::ranges::count(content.fields, name) > 0;
          }))
        break;
    }
  } else {
    content = read_with_provenance(path);
    for (std::size_t i = 0; i < content.steps.size(); ++i)
      outputs_.push_back({path, i, content.steps[i], content.times[i]});
    if (content.kind == "hdf5") outputs_.push_back({path, 0, std::nullopt, std::nullopt});
    if (outputs_.empty() || content.fields.empty())
      throw IoError("{}: holds no field to draw", path_);
  }
  axes_ = plot_axes(content, origin);
}

// Opens the file of a run only here, because most step files are never drawn.
double time_at(const PlotOutput& output) {
  return output.time ? *output.time : read_output(output.file).times.front();
}

namespace {

// The output with this number, of outputs whose numbers grow.
template <class Number, class NumberAt>
const PlotOutput& output_with(const std::vector<PlotOutput>& outputs, const std::string& path,
                              const char* what, Number number, const NumberAt& number_at) {
  if (!outputs.front().step)
    throw ConfigError("--{} {}: {} does not say which steps it holds", what, number, path);
  const auto after = std::ranges::lower_bound(outputs, number, {}, number_at);
  std::vector<Number> nearest;
  if (after != outputs.begin()) nearest.push_back(number_at(*(after - 1)));
  if (after != outputs.end()) nearest.push_back(number_at(*after));
  if (after != outputs.end() && nearest.back() == number) return *after;
  throw ConfigError("--{} {}: {} has no output of that {} (nearest: {})", what, number, path, what,
                    fmt::join(nearest, " and "));
}

}  // namespace

std::vector<PlotOutput> PlotSource::outputs_with(const std::vector<std::string>& fields) const {
  if (content_.kind != "step" || content_.datasets_of_config.empty()) return outputs_;
  std::vector<PlotOutput> with;
  for (const PlotOutput& output : outputs_) {
    const FileContent content = read_output(output.file);
    if (std::ranges::all_of(fields, [&](const std::string& field) {
          return std::ranges::all_of(datasets_shown(field), [&](const std::string& dataset) {
            return std::ranges::count(content.fields, dataset) > 0;
          });
        }))
      with.push_back(output);
  }
  return with;
}

const PlotOutput& PlotSource::at_step(std::int64_t step) const {
  return output_with(outputs_, path_, "step", step,
                     [](const PlotOutput& output) { return *output.step; });
}

const PlotOutput& PlotSource::at_time(double time) const {
  return output_with(outputs_, path_, "time", time, time_at);
}

Provenance texts_of_views(const std::string& source, const FileContent& content,
                          const std::vector<std::vector<View>>& frames) {
  std::map<std::int64_t, const PlotOutput*> drawn;
  for (const std::vector<View>& views : frames)
    for (const View& view : views) drawn.emplace(view.output->step.value_or(-1), view.output);
  const auto& [last_step, last] = *drawn.rbegin();
  const bool is_newest = !last->step || content.steps.back() == last_step;
  Provenance provenance = content.provenance;
  if (drawn.size() == 1 && !is_newest && RunFolder::has_run(source))
    provenance = read_output(last->file).provenance;
  else if (drawn.size() > 1 || !is_newest)
    std::erase_if(provenance, [](const auto& text) { return text.first == "state_digest"; });
  std::string steps;
  for (const auto& [step, output] : drawn)
    if (output->step) steps += (steps.empty() ? "" : ", ") + std::to_string(step);
  return picture_provenance(source, steps, provenance);
}

std::string describe(const PlotOutput& output, const std::string& time_unit) {
  if (!output.step) return output.file.filename().string();
  return with_unit(fmt::format("step {}, t = {}", *output.step, number_text(time_at(output), 6)),
                   time_unit);
}

}  // namespace lapl
