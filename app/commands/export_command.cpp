// lapl export FILE|RUN_DIR -o OUT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/commands/plot_options.hpp"
#include "app/signals.hpp"
#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/plot_frames.hpp"
#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "io/provenance.hpp"
#include "kernels/error.hpp"
#include "solver/clock.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string path, output, field, steps;
  std::optional<std::int64_t> step;
  PictureOptions pictures;
  bool plain = false;
  bool overwrite = false;
  bool quiet = false;
};

constexpr const char* endings =
    "FILE.nc or .vtkhdf, .npy, .raw, .csv; frames/ or frames/%09d.png for pictures";

// FIRST:LAST:EVERY, each of which may be left out.
StepRange parse_steps(const std::string& text) {
  std::array<std::optional<std::int64_t>, 3> numbers;
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool good = true; good;) {
    if (at != end && *at != ':') {
      const auto [next, error] = std::from_chars(at, end, numbers[count].emplace());
      if (error != std::errc() || *numbers[count] < 0) break;
      at = next;
    }
    ++count;
    if (at == end) {
      const StepRange all;
      const StepRange range = {numbers[0].value_or(all.first), numbers[1].value_or(all.last),
                               numbers[2].value_or(all.every)};
      if (count < 2 || range.first > range.last || range.every < 1) break;
      return range;
    }
    good = *at++ == ':' && count < numbers.size();
  }
  throw ConfigError(fmt::format(
      "--steps {}: expected FIRST:LAST or FIRST:LAST:EVERY in steps, each of which may be left "
      "out, such as 5000: or 0:10000:1000",
      text));
}

StepRange range_of(const ExportOptions& options) {
  if (options.step) return {*options.step, *options.step, 1};
  return options.steps.empty() ? StepRange{} : parse_steps(options.steps);
}

// The picture of a step: %d, %9d or %09d in the pattern stands for its number.
class PicturePattern {
 public:
  explicit PicturePattern(const std::string& text) {
    const auto fail = [&] {
      throw ConfigError(
          fmt::format("-o {}: expected one place for the step, such as frames/%09d.png", text));
    };
    const auto percent = text.find('%');
    const auto letter = text.find_first_not_of("0123456789", percent + 1);
    if (percent == std::string::npos || letter == std::string::npos || text[letter] != 'd' ||
        letter - percent > 3 || text.find('%', letter) != std::string::npos)
      fail();
    const std::string width = text.substr(percent + 1, letter - percent - 1);
    before_ = text.substr(0, percent);
    after_ = text.substr(letter + 1);
    zeros_ = width.starts_with('0');
    width_ = width.empty() ? 0 : std::stoi(width);
  }

  fs::path of(std::int64_t step) const {
    const std::string number =
        zeros_ ? fmt::format("{:0{}}", step, width_) : fmt::format("{:{}}", step, width_);
    return before_ + number + after_;
  }

 private:
  std::string before_, after_;
  bool zeros_ = false;
  int width_ = 0;
};

void refuse_existing(const fs::path& path, const ExportOptions& options) {
  if (fs::exists(path) && !options.overwrite)
    throw ConfigError(path.string() + ": exists already (--overwrite replaces it)");
}

void export_pictures(const ExportOptions& options, const Series& series, const std::string& field) {
  if (!options.plain) require_drawing();
  const std::string& output = options.output;
  const bool folder = !output.ends_with(".png");
  const PicturePattern pattern(folder ? (fs::path(output) / "step-%09d.png").string() : output);
  std::vector<PlotOutput> outputs;
  for (const SeriesRecord& record : series.records) {
    outputs.push_back({record.file, record.record, record.step, record.time});
    refuse_existing(pattern.of(record.step), options);
  }
  const PlotAxes axes =
      axes_of(read_with_provenance(series.records.back().file), options.pictures.origin);
  const PlotStyle style = styles_of(options.pictures, 1).front();
  const Frames frames(outputs, axes, field, style, {}, options.plain);
  const fs::path parent = pattern.of(0).parent_path();
  if (!parent.empty()) fs::create_directories(parent);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    series.before_reading(series.records[i]);
    const std::vector<Panel> panels = frames.panels(outputs[i]);
    replace_file(pattern.of(series.records[i].step),
                 options.plain
                     ? indexed_png(panels.front())
                     : draw_figure(PictureFormat::png, frames.size(), frames.layout(), panels));
  }
}

// An export must not replace what it reads, nor the index of the run.
void refuse_input(const ExportOptions& options, const Series& series) {
  std::vector<fs::path> inputs = {options.path, fs::path(options.path) / "fields.nc"};
  for (const SeriesRecord& record : series.records) inputs.push_back(record.file);
  for (const fs::path& input : inputs)
    if (std::error_code error; fs::equivalent(options.output, input, error))
      throw ConfigError(fmt::format("-o {}: is part of what is exported", options.output));
}

// Says how far it is, every few seconds; ends at a signal, so that no temporary file is left.
auto progress_of(const Series& series, bool quiet) {
  return [&series, quiet, shown = Clock::now()](const SeriesRecord& record) mutable {
    if (const std::string reason = stop_signal(); !reason.empty())
      throw IoError(fmt::format("stopped by {} at step {}", reason, record.step));
    if (quiet || Clock::now() - shown < std::chrono::seconds(2)) return;
    shown = Clock::now();
    fmt::print(stderr, "lapl: step {} of {} to {}\n", record.step, series.records.front().step,
               series.records.back().step);
  };
}

int export_command(const ExportOptions& options) {
  const fs::path output = options.output;
  const std::string ending = output.extension().string();
  const bool whole = ending == ".nc" || ending == ".vtkhdf";
  const bool folder = options.output.ends_with('/') || fs::is_directory(output);
  const bool pictures = folder || ending == ".png";
  if (!pictures && !whole && ending != ".npy" && ending != ".raw" && ending != ".csv")
    throw ConfigError(
        fmt::format("-o {}: unknown ending \"{}\" ({})", options.output, ending, endings));
  if (!pictures && (options.plain || options.pictures != PictureOptions{}))
    throw ConfigError(fmt::format(
        "-o {}: is no picture, as --plain, --colormap, --limits, --percentiles, --of-cells and "
        "--origin need (expected frames/ or frames/%09d.png)",
        options.output));
  if (!pictures) refuse_existing(output, options);
  if (ending == ".raw") refuse_existing(xdmf_path(output), options);

  catch_stop_signals();
  Series series = open_series(options.path, range_of(options));
  series.before_reading = progress_of(series, options.quiet);
  refuse_input(options, series);
  std::vector<std::string> fields = series.fields();
  const auto has = [&](const char* name) {
    return std::ranges::find(fields, name) != fields.end();
  };
  if (fields.empty()) throw IoError(options.path + ": holds no field");
  if (!options.field.empty() && !has(options.field.c_str()))
    throw ConfigError(fmt::format("--field {}: {} has no such field (it has: {})", options.field,
                                  options.path, fmt::join(fields, ", ")));
  const std::string field = !options.field.empty() ? options.field
                            : has("field")         ? "field"
                                                   : fields.front();
  if (!options.field.empty() || !whole) fields = {field};

  if (whole)
    write_series_file(output, series, fields, history_line());
  else if (ending == ".npy")
    write_npy(output, series, field);
  else if (ending == ".raw")
    write_raw(output, series, field);
  else if (ending == ".csv")
    write_csv(output, series, field);
  else
    export_pictures(options, series, field);
  if (!options.quiet) {
    const std::size_t count = series.records.size();
    fmt::print("{}: {} of {} output{}, {} x {}, {}\n", options.output, fmt::join(fields, ", "),
               count, count == 1 ? "" : "s", series.shape.rows, series.shape.columns,
               name_of(series.precision));
  }
  return 0;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "export", "Write the outputs of a run to one file for other programs, or to pictures");
  const auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("PATH", options->path,
                   "Run folder (also while the run goes on), fields.nc, output or exported file")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   fmt::format("The ending is the format: {}", endings))
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--field", options->field,
                   "One dataset; default: all in .nc and .vtkhdf, else field")
      ->type_name("NAME");
  auto* step = command->add_option("--step", options->step, "The output of this step alone")
                   ->type_name("STEP");
  command
      ->add_option("--steps", options->steps,
                   "In steps, both ends included; each may be left out, :EVERY too")
      ->type_name("FIRST:LAST:EVERY")
      ->excludes(step);
  command->add_flag("--plain", options->plain,
                    "Pictures of the field alone, a pixel a cell, without axes and colour bar");
  add_picture_options(*command, options->pictures);
  command->add_flag("--overwrite", options->overwrite, "Replace what is there");
  command->add_flag("--quiet", options->quiet, "Print errors alone");
  command->footer(
      "Examples:\n"
      "  lapl export runs/tutorial -o tutorial.nc\n"
      "  lapl export runs/tutorial -o last.npy --step 10000\n"
      "  lapl export runs/tutorial -o frames/%09d.png --field laplacian --steps 0::5000\n"
      "  lapl export runs/tutorial -o pixels/ --plain --colormap gray --limits 0 1");
  command->callback(
      [options, &action] { action = [options] { return export_command(*options); }; });
}

}  // namespace lapl
