// lapl report RUN_DIR: writes a run as one HTML page.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/file_endings.hpp"
#include "app/commands/plot_options.hpp"
#include "app/commands/report.hpp"
#include "app/view/plot/plot_frames.hpp"
#include "app/view/print_text.hpp"
#include "io/durable/durable_file.hpp"
#include "io/durable/posix_file.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_folder.hpp"
#include "lapl_version.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// Pixels of all pictures of a page, at most. A pixel takes about half a byte, so they take 3 MB.
constexpr double most_pixels = 6e6;
// limits of a picture's longer side, in pixels
constexpr double smallest_side = 160, largest_picture = 700;
// If the range of one output is smaller than this fraction of the range of all outputs, it would
// show nothing on a common scale. Each output then gets a scale of its own.
constexpr double least_share = 0.125;

struct ReportOptions {
  std::string folder, output;
  Origin origin = Origin::automatic;
  bool quiet = false;
};

// At most `most` outputs, evenly spaced, including the first and the last.
std::vector<PlotOutput> chosen_outputs(const std::vector<PlotOutput>& outputs, std::size_t most) {
  if (outputs.size() <= most) return outputs;
  std::vector<PlotOutput> chosen;
  if (most == 1) return {outputs.back()};
  for (std::size_t i = 0; i < most; ++i)
    chosen.push_back(outputs[(i * (outputs.size() - 1) + (most - 1) / 2) / (most - 1)]);
  return chosen;
}

// A field at all steps that contain it.
struct FieldSeries {
  std::string name;
  std::vector<std::pair<std::size_t, DrawnField>> drawn;  // index of the step, pixels
};

void add_panels(FieldSeries&& series, std::vector<ReportStep>& steps, const PlotAxes& axes) {
  Limits all{1, 0};
  bool signs = false, shared = true;
  for (const auto& [at, field] : series.drawn) {
    all = united(all, field.range);
    signs = signs || field.signs;
  }
  for (const auto& [at, field] : series.drawn)
    shared = shared && field.range.high - field.range.low >= least_share * (all.high - all.low);
  for (auto& [at, field] : series.drawn) {
    field.signs = signs;
    if (shared) field.range = all;
    const char* const subtitle = shared ? "" : "(scale of this output alone)";
    steps[at].panels.push_back(make_panel(std::move(field), subtitle, {}, axes));
  }
}

std::vector<ReportStep> pictured(const PlotSource& source, std::size_t most) {
  const auto fields = static_cast<double>(source.fields().size());
  const auto room =
      static_cast<std::size_t>(most_pixels / (smallest_side * smallest_side * fields));
  const std::vector<PlotOutput> outputs =
      chosen_outputs(source.outputs(), std::min(std::max<std::size_t>(room, 2), most));
  const double pictures = fields * static_cast<double>(outputs.size());
  const auto side = static_cast<std::int64_t>(
      std::clamp(std::sqrt(most_pixels / pictures), smallest_side, largest_picture));

  std::vector<ReportStep> steps;
  std::vector<FieldSeries> all;
  ViewReader reader;
  const std::optional<Cut> cut = middle_cut(source.content().shape);
  const Shape shown = cut_shape(source.content().shape, cut);
  for (const std::string& name : source.fields()) all.push_back({name, {}});
  for (const PlotOutput& output : outputs) {
    const FileContent content = read_output(output.file);
    for (FieldSeries& series : all)
      if (std::ranges::find(content.fields, series.name) != content.fields.end())
        series.drawn.emplace_back(
            steps.size(), reader.drawn({&output, series.name, cut}, box_within(shown, side), {}));
    steps.push_back({*output.step, content.times.front(), {}});
  }
  for (FieldSeries& series : all) {
    for (auto& [step, field] : series.drawn) field.cut = cut_text(source.axes(), cut);
    add_panels(std::move(series), steps, cut_axes(source.axes(), cut));
  }
  return steps;
}

std::string commands_text(const fs::path& run_folder, const RunView& run) {
  const std::string folder = shell_quoted(run_folder.string());
  return fmt::format(
      "lapl inspect {0}               # verifies the files, says what they hold\n"
      "lapl plot {0}                  # pictures, as PNG, SVG or PDF; movies\n"
      "lapl resume {0} --set time.steps={1}\n"
      "lapl run {0}/config.yaml --output again    # the same run anew: the digests are equal\n"
      "python3 -c 'import sys, xarray; print(xarray.open_dataset(sys.argv[1]))' {0}/fields.nc\n",
      folder, 2 * std::max<std::int64_t>(run.steps, 1));
}

std::string citation_text(const RunView& run, const std::string& generator) {
  const std::string digest = run.digest_at(run.step);
  return fmt::format("{}: run {}, started {}, {} cells, {}, step {}{}.", generator, run.name,
                     run.started, shape_text(run.shape), run.precision, run.step,
                     digest.empty() ? "" : ", state digest " + digest);
}

int report_command(const ReportOptions& options) {
  const fs::path folder = options.folder;
  const std::string name = read_run_view(folder, host_name()).name;
  const fs::path path = options.output.empty() ? name + ".html" : options.output;
  if (path.extension() != ".htm") require_ending(path, FileKind::page, "page");
  const ReportContent content = report_content(folder, options.origin, most_report_steps);
  const std::string page = report_page(content);
  replace_file(path, page);
  if (!options.quiet)
    print_text("{}: {} of {} outputs, {:.1f} MB\n", path.string(), content.steps.size(),
               content.outputs, static_cast<double>(page.size()) / 1e6);
  return 0;
}

}  // namespace

ReportContent report_content(const fs::path& folder, Origin origin, std::size_t most) {
  ReportContent content;
  content.run = read_run_view(folder, host_name());
  const PlotSource source(folder, origin);
  content.steps = pictured(source, most);
  content.outputs = source.outputs().size();
  content.config = resolved_keys(read_start(folder / "config.yaml"));
  content.provenance = read_content(source.outputs().back().file).provenance;
  content.generator = "lapl " LAPL_VERSION " (" LAPL_COMMIT ")";
  content.commands = commands_text(folder, content.run);
  content.citation = citation_text(content.run, content.generator);
  return content;
}

void add_report_command(CommandLine& line) {
  Command command = line.add(
      "report", "Write a run as one page for a browser: pictures, graphs, config, provenance");
  ReportOptions& options = command.calls(report_command);
  command.positional("RUN_DIR", &options.folder, "Run folder", {.required = true});
  command.option("-o,--output FILE", &options.output,
                 "The page, .html. An existing file is replaced. Default: named after RUN_DIR");
  add_origin_option(command, options.origin);
  add_quiet_option(command, options.quiet);
  command.footer(
      R"(The page needs no other file and no network, so it can be mailed or put into an archive.
It has pictures of up to 60 outputs, evenly chosen, and on three axes of the middle plane.
#step=N in its address chooses one.

Examples:
  lapl report runs/tutorial -o tutorial.html
  lapl report runs/other -o other.html)");
}

}  // namespace lapl
