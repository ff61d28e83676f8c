// lapl export PATH -o OUT: writes outputs to a file for other programs, or to pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <regex>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/file_endings.hpp"
#include "app/commands/plot_options.hpp"
#include "app/signals.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "app/view/plot/indexed_png.hpp"
#include "app/view/plot/plot_frames.hpp"
#include "app/view/print_text.hpp"
#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "io/images/picture_texts.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"
#include "solver/clock.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string path, output, field, steps;
  std::optional<std::int64_t> step;
  PictureOptions pictures;
  CutOptions cuts;
  std::vector<std::string> where;
  bool plain = false;
  bool link = false;
  bool overwrite = false;
  bool quiet = false;
};

std::string endings() {
  return fmt::format("FILE{}, {}; frames/ or frames/%09d.png for pictures",
                     fmt::join(possible_endings(FileKind::series), " or "),
                     fmt::join(possible_endings(FileKind::values), ", "));
}

// Parses FIRST:LAST:EVERY, each of which may be empty. An empty text means all steps.
StepRange parse_steps(const std::string& text) {
  if (text.empty()) return {};
  static const std::regex form("([0-9]*):([0-9]*)(:([0-9]*))?");
  StepRange range;
  std::smatch parts;
  bool good = std::regex_match(text, parts, form);
  const auto read = [&](const std::string& digits, std::int64_t& number) {
    const char* const end = digits.data() + digits.size();
    if (!digits.empty())
      good = good && std::from_chars(digits.data(), end, number).ec == std::errc();
  };
  read(parts.str(1), range.first);
  read(parts.str(2), range.last);
  read(parts.str(4), range.every);
  if (good && range.first <= range.last && range.every >= 1) return range;
  throw ConfigError(
      "--steps {}: expected FIRST:LAST or FIRST:LAST:EVERY in steps, each of which may be left "
      "out, such as 5000: or 0:10000:1000",
      text);
}

StepRange steps_asked(const ExportOptions& options) {
  return options.step ? StepRange{*options.step, *options.step, 1} : parse_steps(options.steps);
}

// The file name for a step or slice: replaces %d, %9d or %09d in the pattern by its number.
fs::path picture_path(std::int64_t step, const std::string& pattern) {
  static const std::regex form("([^%]*)%(0?)([0-9]{0,2})d([^%]*)");
  std::smatch parts;
  if (!std::regex_match(pattern, parts, form) || parts.length(2) + parts.length(3) > 2)
    throw ConfigError("-o {}: expected one place for the step or slice, such as frames/%09d.png",
                      pattern);
  const int width = parts.length(3) > 0 ? std::stoi(parts.str(3)) : 0;
  const std::string number =
      parts.length(2) > 0 ? fmt::format("{:0{}}", step, width) : fmt::format("{:{}}", step, width);
  return parts.str(1) + number + parts.str(4);
}

void refuse_existing(const fs::path& path, const ExportOptions& options) {
  refuse_file_of_run(path);
  if (fs::exists(path) && !options.overwrite)
    throw ConfigError(path.string() + ": exists already (--overwrite replaces it)");
}

void export_pictures(const ExportOptions& options, const Series& series,
                     const DrawnContent& content, const std::string& field) {
  if (!options.plain) require_drawing();
  const std::string& output = options.output;
  const bool folder = !output.ends_with(".png");
  if (!options.cuts.along.empty() && series.records.size() > 1)
    throw ConfigError("--along {}: shows one output, found {} (choose one with --step)",
                      options.cuts.along, series.records.size());
  const std::string counted = options.cuts.along.empty() ? "step" : options.cuts.along;
  const std::string pattern =
      folder ? (fs::path(output) / (counted + "-%09d.png")).string() : output;
  const PlotAxes axes = plot_axes(content, options.pictures.origin);
  std::vector<PlotOutput> outputs;
  for (const SeriesRecord& record : series.records)
    outputs.push_back({record.file, record.record, record.step, record.time});
  const std::vector<std::vector<View>> views = options.cuts.frames(
      outputs, [&]() -> const PlotOutput& { return outputs.front(); }, {field}, series.shape, axes,
      options.path);
  if (options.plain && views.front().size() > 1)
    throw ConfigError(
        "--plain: {} has a grid of three axes (which slice? --slice, --project or --along)",
        options.path);
  std::vector<std::int64_t> numbers;
  for (const std::vector<View>& shown : views)
    numbers.push_back(options.cuts.along.empty() ? *shown.front().output->step
                                                 : shown.front().cut->index);
  for (const std::int64_t number : numbers) refuse_existing(picture_path(number, pattern), options);
  const fs::path parent = picture_path(0, pattern).parent_path();
  Frames frames(views, axes, panel_styles(options.pictures, views.front().size()), 0, {},
                PictureFormat::png, options.plain ? Framing::plain : Framing::shared);
  if (!parent.empty()) fs::create_directories(parent);
  for (std::size_t i = 0; i < views.size(); ++i) {
    series.before_reading(series.records[options.cuts.along.empty() ? i : 0]);
    const std::vector<Panel> panels = frames.panels(i);
    const Provenance about = texts_of_views(options.path, content, {views[i]});
    replace_file(picture_path(numbers[i], pattern),
                 options.plain ? with_texts(indexed_png(panels.front()), about)
                               : draw_figure(PictureFormat::png, frames.layout(), panels, about));
  }
}

// Throws ConfigError if the output would replace one of the inputs.
void refuse_input(const ExportOptions& options, const Series& series) {
  std::vector<fs::path> inputs = {options.path};
  for (const SeriesRecord& record : series.records) inputs.push_back(record.file);
  for (const fs::path& input : inputs)
    if (std::error_code error; fs::equivalent(options.output, input, error))
      throw ConfigError("-o {}: is part of what is exported", options.output);
}

// Prints progress every few seconds. Throws at a stop signal; temporary files are then removed.
auto progress_printer(const Series& series, bool quiet) {
  return [&series, quiet, shown = Clock::now()](const SeriesRecord& record) mutable {
    if (const std::string reason = stop_signal(); !reason.empty())
      throw IoError("stopped by {} at step {}", reason, record.step);
    if (quiet || Clock::now() - shown < std::chrono::seconds(2)) return;
    shown = Clock::now();
    print_text(stderr, "lapl: step {} of {} to {}\n", record.step, series.records.front().step,
               series.records.back().step);
  };
}

// Members without an output so far stay without one.
SweptSeries open_members(const SweepFolder& sweep, const StepRange& range, bool quiet) {
  SweptSeries opened;
  for (const SweepFolder::Member& member : sweep.members) {
    SweptSeries::Member& added = opened.members.emplace_back();
    added.place = member.place;
    const RunView view = read_member_status(member, host_name());
    added.status = view.status;
    added.digest = view.summary.is_object() ? view.summary.value("digest", "") : "";
    if (list_step_files(member.folder / "fields").empty()) continue;
    added.series = open_series(member.folder, range);
    added.series->before_reading = progress_printer(*added.series, quiet);
  }
  return opened;
}

int export_sweep(const ExportOptions& options, const StepRange& range) {
  if (fs::path(options.output).extension() != ".nc")
    throw ConfigError("-o {}: a sweep goes into one netCDF file (expected .nc)", options.output);
  refuse_existing(options.output, options);
  const SweepFolder sweep = read_sweep(options.path, options.where);
  SweptSeries opened = open_members(sweep, range, options.quiet);
  std::vector<std::string> fields, taken = {sweep_status, sweep_digest, "output"};
  taken.insert(taken.end(), output_parts.begin(), output_parts.end());
  for (const SweptSeries::Member& member : opened.members)
    if (member.series)
      for (const std::string& field : member.series->fields())
        if (std::ranges::count(fields, field) == 0) fields.push_back(field);
  if (!options.field.empty()) {
    if (std::ranges::count(fields, options.field) == 0)
      throw ConfigError("--field {}: {} has no such field (it has: {})", options.field,
                        options.path, fmt::join(fields, ", "));
    fields = {options.field};
  }
  taken.insert(taken.end(), fields.begin(), fields.end());
  std::string sizes;
  for (const SweptKey& key : sweep.keys) {
    opened.keys.push_back({coordinate_name(key, taken), key.key, key.values});
    sizes += fmt::format("{}{} {}", sizes.empty() ? "" : " x ", key.values.size(),
                         opened.keys.back().name);
  }
  const std::size_t members = opened.members.size();
  write_sweep_file(options.output, std::move(opened), fields, history_line(), options.link);
  if (!options.quiet)
    print_text("{}: {} of {} members{}\n", options.output, fmt::join(fields, ", "), members,
               sizes.empty() ? "" : ", " + sizes);
  return 0;
}

int export_command(const ExportOptions& options) {
  const fs::path output = options.output;
  const std::string ending = output.extension().string();
  const bool whole = find_ending(output, FileKind::series) != nullptr;
  const FileEnding* const values = find_ending(output, FileKind::values);
  const bool folder = options.output.ends_with('/') || fs::is_directory(output);
  const bool pictures = folder || ending == ".png";
  if (!pictures && !whole && !values)
    throw ConfigError("-o {}: unknown ending \"{}\" ({})", options.output, ending, endings());
  if (!pictures && (options.plain || !options.cuts.none() || options.pictures != PictureOptions{}))
    throw ConfigError(
        "-o {}: is no picture, as --plain, --slice, --project, --along, --colormap, --limits, "
        "--percentiles, --of-cells and --origin need (expected frames/ or frames/%09d.png)",
        options.output);
  if (is_sweep(options.path)) {
    catch_stop_signals();
    return export_sweep(options, steps_asked(options));
  }
  refuse_where(options.where, options.path);
  if (options.link)
    throw ConfigError("--link: {} is no sweep (the index fields.nc of a run links its outputs)",
                      options.path);
  if (!pictures) refuse_existing(output, options);
  if (ending == ".raw") refuse_existing(xdmf_path(output), options);

  catch_stop_signals();
  Series series = open_series(options.path, steps_asked(options));
  series.before_reading = progress_printer(series, options.quiet);
  refuse_input(options, series);
  std::vector<std::string> fields = series.fields();
  if (fields.empty()) throw IoError(options.path + ": holds no field");
  DrawnContent content = read_with_provenance(series.records.back().file);
  content.fields = fields;
  const std::string field = chosen_field(content, options.field, options.path);
  if (!options.field.empty() || !whole) fields = {field};

  if (whole)
    write_series_file(output, series, fields, history_line());
  else if (values)
    values->write(output, series, field);
  else
    export_pictures(options, series, content, field);
  if (!options.quiet) {
    const std::size_t count = series.records.size();
    print_text("{}: {} of {} output{}, {}, {}\n", options.output, fmt::join(fields, ", "), count,
               count == 1 ? "" : "s", shape_text(series.shape), enum_name(series.precision));
  }
  return 0;
}

}  // namespace

void add_export_command(CommandLine& line) {
  Command command = line.add(
      "export", "Write the outputs of a run to one file for other programs, or to pictures");
  ExportOptions& options = command.calls(export_command);
  command.positional(
      "PATH", &options.path,
      "Run folder (even while the run goes on), folder of a sweep, fields.nc, output "
      "or exported file",
      {.required = true});
  command.option("-o,--output FILE", &options.output, "The ending is the format: " + endings(),
                 {.required = true});
  command.option("--field NAME", &options.field,
                 "One dataset; default: all in .nc and .vtkhdf, else the first field");
  command.option("--step STEP", &options.step, "The output of this step alone");
  command.option("--steps FIRST:LAST:EVERY", &options.steps,
                 "Range of steps, both ends included; each part may be left out, and so may :EVERY",
                 {.excludes = {"--step"}});
  add_where_option(command, options.where);
  command.flag("--link", &options.link,
               "Of a sweep, links to the members' files in place of copies; they move together");
  command.flag("--plain", &options.plain,
               "Pictures of the field alone, a pixel a cell, without axes and colour bar");
  add_cut_options(command, options.cuts);
  add_picture_options(command, options.pictures);
  command.flag("--overwrite", &options.overwrite, "Replace what is there");
  add_quiet_option(command, options.quiet);
  command.footer(R"(Examples:
  lapl export runs/tutorial -o tutorial.nc
  lapl export runs/cube -o slices/ --step 10000 --along z
  lapl export runs/sweep -o sweep.nc --field field
  lapl export runs/tutorial -o pixels/ --plain --colormap gray --limits 0 1)");
}

}  // namespace lapl
