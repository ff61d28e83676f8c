// lapl plot PATH: draws a picture or a movie of a run or a file.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/file_endings.hpp"
#include "app/commands/plot_graphs.hpp"
#include "app/commands/plot_lines.hpp"
#include "app/commands/plot_options.hpp"
#include "app/commands/plot_surface.hpp"
#include "app/sweep/sweep_sheet.hpp"
#include "app/view/plot/complex_views.hpp"
#include "app/view/plot/plot_frames.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config_number.hpp"
#include "io/durable/durable_file.hpp"
#include "io/images/movie.hpp"
#include "io/images/picture_texts.hpp"
#include "io/run/provenance.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// A movie takes movie_seconds, if its frames per second then lie within the two limits.
constexpr int movie_seconds = 8, slowest_movie = 2, fastest_movie = 25;

struct PlotOptions {
  std::string path, output, size, steps, times;
  std::vector<std::string> fields, graphs, where;
  std::optional<std::int64_t> step;
  PictureOptions pictures;
  CutOptions cuts;
  LineOptions lines;
  SurfaceOptions surface;
  bool movie = false, space_time = false;
  bool own_limits = false;
  bool quiet = false;

  bool has_lists() const { return !steps.empty() || !times.empty(); }
};

// The default name is that of the run or file, in the current folder.
fs::path output_path(const PlotOptions& options) {
  if (!options.output.empty()) return options.output;
  fs::path source = fs::canonical(options.path);
  const std::string name =
      fs::is_directory(source) ? source.filename().string() : source.stem().string();
  if (!options.movie && options.cuts.along.empty()) return name + ".png";
  return name + (ffmpeg_found() ? ".mp4" : "-movie.png");
}

PictureFormat picture_format(const fs::path& path) {
  return require_ending(path, FileKind::picture, "picture",
                        path.extension() == ".mp4" ? "; .mp4 with --movie" : "")
      .picture;
}

// The fields given by --field, or else every field of the state.
std::vector<std::string> chosen_fields(const PlotSource& source, const PlotOptions& options) {
  if (options.fields.empty()) return state_fields(source.content());
  std::vector<std::string> fields;
  for (const std::string& name : options.fields)
    std::ranges::copy(shown_fields(source.content(), name, options.path),
                      std::back_inserter(fields));
  return fields;
}

const PlotOutput& chosen_output(const PlotSource& source, const PlotOptions& options) {
  return options.step ? source.at_step(*options.step) : source.outputs().back();
}

// A number of the list of an option.
template <class Number>
Number number_in(const char* option, const std::string& list, const std::string& word,
                 const std::optional<Number>& number) {
  if (number) return *number;
  throw ConfigError("{} {}: found {} (expected numbers with commas between them)", option, list,
                    word);
}

// The outputs of a picture: those asked for, or else the first and the last that have the fields.
std::vector<PlotOutput> chosen_outputs(const PlotSource& source, const PlotOptions& options,
                                       const std::vector<std::string>& fields) {
  std::vector<PlotOutput> outputs;
  for (const std::string& word : comma_separated(options.steps))
    outputs.push_back(
        source.at_step(number_in("--steps", options.steps, word, read_number(word).integer)));
  for (const std::string& word : comma_separated(options.times))
    outputs.push_back(
        source.at_time(number_in("--times", options.times, word, read_number(word).real)));
  if (!outputs.empty()) return outputs;
  if (options.step) return {source.at_step(*options.step)};
  const std::vector<PlotOutput> with = source.outputs_with(fields);
  return with.size() > 1 ? std::vector{with.front(), with.back()} : with;
}

// The panels of a picture, a row for each field. After a single field comes its Laplacian, if it is
// stored and nothing else was asked for.
std::vector<View> chosen_views(const PlotSource& source, const PlotOptions& options,
                               const std::vector<std::string>& fields,
                               const std::vector<PlotOutput>& outputs,
                               const std::optional<Cut>& cut) {
  std::vector<View> views;
  for (const std::string& field : fields)
    for (const PlotOutput& output : outputs) views.push_back({&output, field, cut});
  if (options.fields.empty() && fields.size() == 1 && !options.has_lists() && !options.surface &&
      !options.pictures.log && fields.front() != laplacian_name &&
      std::ranges::count(source.fields(), laplacian_name) > 0)
    views.push_back({&outputs.back(), std::string(laplacian_name), cut});
  return views;
}

// One frame for each output, or with --along one frame for each slice of one output.
std::vector<std::vector<View>> chosen_frames(const PlotSource& source, const PlotOptions& options,
                                             const std::vector<std::string>& fields,
                                             std::span<const PlotOutput> outputs) {
  return options.cuts.frames(
      outputs, [&]() -> const PlotOutput& { return chosen_output(source, options); }, fields,
      source.content().shape, source.axes(), options.path);
}

// The style of each panel, with the lines over it.
std::vector<PlotStyle> chosen_styles(const PlotSource& source, const PlotOptions& options,
                                     std::size_t panels) {
  std::vector<PlotStyle> styles = panel_styles(options.pictures, panels);
  const std::vector<LineChoice> lines = options.lines.choices(source.content(), options.path);
  for (PlotStyle& style : styles) style.lines = lines;
  return styles;
}

int panel_rows(std::size_t fields) { return fields > 1 ? static_cast<int>(fields) : 0; }

// The panels of the last frame, with the graphs of all frames of a grid of one axis.
std::vector<Panel> with_graphs(Frames& frames, std::size_t count) {
  std::vector<Panel> panels = frames.panels(count - 1);
  if (count == 1) return panels;
  for (Panel& panel : panels) panel.subtitle.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Panel> of_frame = frames.panels(i);
    for (std::size_t field = 0; field < panels.size(); ++field)
      panels[field].graphs.push_back(
          {std::move(of_frame[field].subtitle), std::move(of_frame[field].pixels)});
  }
  return panels;
}

void write_picture(const PlotOptions& options, const fs::path& path, PictureFormat format,
                   const Picture& picture) {
  replace_file(path, draw_figure(format, picture.layout, picture.panels, picture.about));
  const PictureSize size = picture.layout.size;
  if (!options.quiet) print_text("{}: {} x {}\n", path.string(), size.width, size.height);
}

// Draws a picture: on three axes without a given cut, the middle slices of each field at one
// output; on one axis or a line the graphs of all outputs of a field in one panel; else the panels
// of chosen_views.
void draw_picture(const PlotSource& source, const PlotOptions& options, const fs::path& path) {
  const PictureFormat format = picture_format(path);
  const std::vector<std::string> fields = chosen_fields(source, options);
  const std::vector<PlotOutput> outputs = chosen_outputs(source, options, fields);
  const Shape shape = source.content().shape;
  const bool slices = shape.axes == 3 && options.cuts.none() && !options.surface;
  const bool graphs = (shape.axes == 1 || !options.cuts.line.empty()) && !options.own_limits;
  std::vector<std::vector<View>> views;
  if (slices || graphs)
    views = chosen_frames(source, options, fields,
                          std::span(outputs).last(slices ? 1 : outputs.size()));
  else
    views.push_back(chosen_views(source, options, fields, outputs,
                                 options.cuts.cuts(shape, source.axes(), options.path).front()));
  options.surface.show(views, source, options.path);
  Frames frames(views, source.axes(), chosen_styles(source, options, views.front().size()),
                graphs ? 0 : panel_rows(fields.size()), parse_size(options.size), format,
                options.own_limits ? Framing::alone : Framing::shared);
  write_picture(options, path, format,
                {frames.layout(), with_graphs(frames, views.size()),
                 texts_of_views(options.path, source.content(), views)});
}

// Throws ConfigError if the movie cannot be made.
void require_movie(const fs::path& path) {
  require_ending(path, FileKind::movie, "movie");
  if (path.extension() == ".mp4" && !ffmpeg_found())
    throw ConfigError("{}: MP4 needs ffmpeg, which is not installed; .png makes an animated PNG",
                      path.string());
}

// Writes a movie of `count` frames, of which `frame` returns the layout and the panels.
void write_movie(
    const PlotOptions& options, const fs::path& path, std::size_t frames,
    const std::function<std::pair<FigureLayout, std::vector<Panel>>(std::size_t)>& frame,
    const Provenance& about) {
  const bool mp4 = path.extension() == ".mp4";
  const int count = static_cast<int>(frames);
  const int rate = std::clamp(count / movie_seconds, slowest_movie, fastest_movie);
  std::optional<FfmpegMovie> movie;
  AnimatedPng animation(count, rate);
  PictureSize size;
  for (std::size_t i = 0; i < frames; ++i) {
    const auto [layout, panels] = frame(i);
    size = layout.size;
    if (mp4 && !movie) movie.emplace(path, size, rate);
    if (mp4)
      movie->add(draw_pixels(layout, panels));
    else
      animation.add(draw_figure(PictureFormat::png, layout, panels, {}));
  }
  if (mp4)
    movie->finish();
  else
    replace_file(path, with_texts(animation.finished(), about));
  if (!options.quiet)
    print_text("{}: {} x {}, {} frames, {} a second\n", path.string(), size.width, size.height,
               count, rate);
}

// Draws all frames with the same limits, which include the values of every frame.
void draw_movie(const PlotSource& source, const PlotOptions& options, const fs::path& path) {
  require_movie(path);
  const std::vector<std::string> fields = chosen_fields(source, options);
  const std::vector<PlotOutput> outputs = source.outputs_with(fields);
  std::vector<std::vector<View>> views = chosen_frames(source, options, fields, outputs);
  options.surface.show(views, source, options.path);
  const std::size_t panels = views.front().size();
  Frames frames(views, source.axes(), chosen_styles(source, options, panels),
                panels > fields.size() ? panel_rows(fields.size()) : 0, parse_size(options.size));
  write_movie(
      options, path, views.size(),
      [&](std::size_t i) { return std::pair(frames.layout(), frames.panels(i)); },
      texts_of_views(options.path, source.content(), views));
}

// The choice of an output of each member of a sweep.
SweepSheet::Choice sheet_choice(const PlotOptions& options) {
  if (options.step) return SweepSheet::at_step(*options.step);
  const std::vector<std::string> times = comma_separated(options.times);
  if (!options.steps.empty() || times.size() > 1)
    throw ConfigError(
        "{} {}: a sheet shows one output of each member (expected --step STEP, or "
        "--times with one time)",
        options.steps.empty() ? "--times" : "--steps",
        options.steps.empty() ? options.times : options.steps);
  if (times.empty()) return SweepSheet::newest();
  return SweepSheet::at_time(
      number_in("--times", options.times, times.front(), read_number(times.front()).real));
}

// Draws the members of a sweep as a sheet, or a movie of it.
void draw_sweep(const PlotOptions& options) {
  const SweepSheet sheet(read_sweep(options.path, options.where), options.pictures.origin);
  const PlotSource& source = sheet.source();
  const std::vector<std::string> fields = chosen_fields(source, options);
  if ((fields.size() > 1 && !options.fields.empty()) || options.own_limits || options.space_time ||
      options.surface || !options.cuts.along.empty())
    throw ConfigError(
        "{}: of a sweep, a sheet shows one field with one scale (expected no "
        "--own-limits, no --along, no --iso, no --space-time and one --field)",
        options.path);
  const std::string& field = fields.front();
  const Shape shape = source.content().shape;
  if ((shape.axes == 3 || !options.cuts.line.empty()) && !sheet.has_one_grid())
    throw ConfigError("{}: the members have different grids, of which {} (choose with --where)",
                      options.path,
                      shape.axes == 3 ? "a sheet shows one slice" : "--line reads one place");
  const std::optional<Cut> cut =
      options.cuts.none() ? middle_cut(shape)
                          : options.cuts.cuts(shape, source.axes(), options.path).front();
  const fs::path path = output_path(options);
  const PictureFormat format = options.movie ? PictureFormat::png : picture_format(path);
  if (options.movie) require_movie(path);
  std::vector<std::vector<View>> views;
  if (options.movie)
    for (const double time : sheet.times())
      views.push_back(sheet.views(field, cut, SweepSheet::not_after(time)));
  else
    views.push_back(sheet.views(field, cut, sheet_choice(options)));
  for (const std::vector<View>& frame : views)
    if (std::ranges::none_of(frame, [](const View& view) { return view.output != nullptr; }))
      throw ConfigError("{}: no member has this output", options.path);
  const std::optional<PictureSize> size = parse_size(options.size);
  const auto has_subtitles = [&](const auto& frame) { return sheet.texts(frame).subtitles; };
  const auto largest = std::ranges::find_if(views, has_subtitles);
  Frames frames(views, source.axes(), chosen_styles(source, options, views.front().size()), 0, size,
                format, Framing::shared,
                sheet.layout(largest == views.end() ? views.back() : *largest, size));
  const auto frame = [&](std::size_t i) {
    std::pair drawn(frames.layout(), frames.panels(i));
    drawn.first.texts.front().text = sheet.texts(views[i]).title;
    sheet.label(drawn.second, views[i]);
    return drawn;
  };
  const Provenance about = picture_provenance(options.path, "", {});
  if (options.movie) return write_movie(options, path, views.size(), frame, about);
  const auto [layout, panels] = frame(0);
  write_picture(options, path, format, {layout, panels, about});
}

int plot_command(const PlotOptions& options) {
  require_drawing();
  if (!options.graphs.empty()) {
    const fs::path path = output_path(options);
    const PictureFormat format = picture_format(path);
    const std::optional<PictureSize> size = parse_size(options.size);
    write_picture(options, path, format,
                  graph_picture(options.path, options.graphs, options.pictures, size));
    return 0;
  }
  if (is_sweep(options.path)) return draw_sweep(options), 0;
  refuse_where(options.where, options.path);
  const PlotSource source(options.path, options.pictures.origin);
  if (options.has_lists() &&
      (options.movie || !options.cuts.along.empty() ||
       (source.content().shape.axes == 3 && options.cuts.none() && !options.surface)))
    throw ConfigError(
        "{} {}: goes with pictures alone, on three axes with --slice, --project or --iso",
        options.steps.empty() ? "--times" : "--steps",
        options.steps.empty() ? options.times : options.steps);
  if (options.movie && options.step && options.cuts.along.empty())
    throw ConfigError("--movie --step {}: a movie of one output goes --along an axis",
                      *options.step);
  if (options.space_time) {
    const fs::path path = output_path(options);
    const PictureFormat format = picture_format(path);
    const Shape shape = source.content().shape;
    const std::optional<Cut> line =
        options.cuts.none() ? std::nullopt
                            : options.cuts.cuts(shape, source.axes(), options.path).front();
    const std::optional<PictureSize> size = parse_size(options.size);
    write_picture(options, path, format,
                  space_time_picture(source, options.path, chosen_fields(source, options), line,
                                     options.pictures, size, format));
  } else if (options.movie || !options.cuts.along.empty())
    draw_movie(source, options, output_path(options));
  else
    draw_picture(source, options, output_path(options));
  return 0;
}

}  // namespace

void add_plot_command(CommandLine& line) {
  Command command = line.add(
      "plot", "Draw a run or a file: the first and last fields, the Laplacian, a slice, a movie");
  PlotOptions& options = command.calls(plot_command);
  command.positional("PATH", &options.path,
                     "Run folder, folder of a sweep, output, checkpoint or other HDF5 file",
                     {.required = true});
  command.option("-o,--output FILE", &options.output,
                 "Picture (.png, .svg, .pdf) or movie (.mp4, .png). An existing file is replaced. "
                 "Default: named after PATH");
  command.option("--step STEP", &options.step, "The output of this step alone");
  command.option("--steps STEP,...", &options.steps, "The outputs of these steps side by side",
                 {.excludes = {"--step"}});
  command.option("--times,--time TIME,...", &options.times,
                 "The outputs at these times side by side", {.excludes = {"--step", "--steps"}});
  command.option("--field NAME", &options.fields,
                 "A dataset, such as laplacian or a filter's; abs(psi), phase(psi), real(psi) or "
                 "imag(psi) of a complex field psi, where psi means the first two (repeatable)",
                 {.repeatable = true});
  add_where_option(command, options.where);
  add_cut_options(command, options.cuts);
  add_line_option(command, options.cuts);
  add_picture_options(command, options.pictures);
  add_line_options(command, options.lines);
  command.option("--size WIDTHxHEIGHT", &options.size, "In pixels (points for SVG and PDF)");
  command.flag("--own-limits", &options.own_limits,
               "Limits for each panel, not the same for all panels of a field; on one axis a panel "
               "for each output, not a graph",
               {.excludes = {"--limits"}});
  command.flag("--movie", &options.movie,
               "A movie: one frame for each output, or for each slice with --along, with the same "
               "colour limits in all frames. MP4 if ffmpeg is installed, else an animated PNG",
               {.excludes = {"--own-limits"}});
  command.flag("--space-time", &options.space_time,
               "Of one axis, or with --line, a map of the values along it, over the time upwards",
               {.excludes = {"--step", "--steps", "--times", "--slice", "--project", "--along",
                             "--own-limits", "--movie"}});
  add_graph_option(command, options.graphs);
  add_surface_options(command, options.surface);
  add_quiet_option(command, options.quiet);
  command.footer(R"(A sweep is drawn as a sheet: a panel for each member, all with one scale.

Examples:
  lapl plot runs/sweep --where seed=1 --step 2500 -o sheet.png
  lapl plot runs/tutorial --steps 0,2500 --field laplacian --percentiles 1 99
  lapl plot runs/cube --slice z=0.5 --colormap magma --contours 8 -o z.png
  lapl plot runs/tutorial --movie --colormap inferno -o tutorial.mp4)");
}

}  // namespace lapl
