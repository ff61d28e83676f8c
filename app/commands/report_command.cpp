// lapl report RUN_DIR: writes a run as one HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/file_endings.hpp"
#include "app/commands/plot_options.hpp"
#include "app/commands/report.hpp"
#include "app/sweep/sweep_sheet.hpp"
#include "app/view/plot/plot_frames.hpp"
#include "app/view/print_text.hpp"
#include "app/view/report/mathml.hpp"
#include "app/view/report/page.hpp"
#include "app/view/report/sweep_page.hpp"
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
constexpr std::size_t most_shown_steps = 60;
// limits of a picture's longer side, in pixels
constexpr double smallest_side = 160, largest_picture = 700;
// If the range of one output is smaller than this fraction of the range of all outputs, it would
// show nothing on a common scale. Each output then gets a scale of its own.
constexpr double least_share = 0.125;

struct ReportOptions {
  std::string folder, output;
  std::vector<std::string> where;
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

std::string commands_text(const std::string& path, const RunView& run) {
  const std::string folder = shell_quoted(path);
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

constexpr const char* generator = "lapl " LAPL_VERSION " (" LAPL_COMMIT ")";

// The page of a run.
struct RunPage {
  std::string html;
  std::size_t shown = 0, outputs = 0;
};

RunPage run_page(const std::string& folder, RunView run, ProbeTable probes, Origin origin,
                 std::size_t most) {
  ReportContent content;
  content.run = std::move(run);
  content.probes = std::move(probes);
  const PlotSource source(folder, origin);
  content.steps = pictured(source, most);
  content.outputs = source.outputs().size();
  if (const std::optional<RunConfig>& config = content.run.config) {
    content.equations = equations_html(*config);
    content.boundaries = boundaries_html(*config, source.axes().first_row_below);
  }
  content.config = resolved_keys(read_start(fs::path(folder) / "config.yaml"));
  content.provenance = read_content(source.outputs().back().file).provenance;
  content.generator = generator;
  content.commands = commands_text(folder, content.run);
  content.citation = citation_text(content.run, generator);
  return {report_page(content), content.steps.size(), content.outputs};
}

ProbeTable probes_in(const fs::path& folder, const RunView& run) {
  return run.config ? read_probes(folder, *run.config) : ProbeTable();
}

void print_page(const ReportOptions& options, const fs::path& path, const std::string& what,
                const std::string& page) {
  if (!options.quiet)
    print_text("{}: {}, {:.1f} MB\n", path.string(), what, static_cast<double>(page.size()) / 1e6);
}

bool has_output(const SweepFolder::Member& member) {
  return !list_step_files(member.folder / "fields").empty();
}

// The sheets of a sweep: of the newest outputs, for each combination of all but the last two keys
// and for each field of the state.
void add_sheets(SweepPage& page, const ReportOptions& options, const SweepFolder& sweep) {
  constexpr std::size_t most_sheets = 24;
  std::vector<std::vector<std::string>> choices(1);
  for (std::size_t key = 0; key + 2 < sweep.keys.size(); ++key) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& choice : choices)
      for (std::size_t value = 0; value < sweep.keys[key].values.size(); ++value) {
        longer.push_back(choice);
        longer.back().push_back(sweep.keys[key].key + "=" + sweep.keys[key].text(value));
      }
    choices = std::move(longer);
  }
  std::size_t all = 0;
  for (const std::vector<std::string>& choice : choices) {
    std::vector<std::string> where = options.where;
    where.insert(where.end(), choice.begin(), choice.end());
    SweepFolder part = read_sweep(sweep.path, where);
    if (std::ranges::none_of(part.members, has_output)) continue;
    const SweepSheet sheet(std::move(part), options.origin);
    const PlotSource& source = sheet.source();
    if (source.content().shape.axes == 3 && !sheet.has_one_grid()) continue;
    const std::optional<Cut> cut = middle_cut(source.content().shape);
    for (const std::string& field : state_fields(source.content())) {
      if (++all > most_sheets) continue;
      const std::vector<View> views = sheet.views(field, cut, SweepSheet::newest());
      SweepPage::Sheet& added = page.sheets.emplace_back();
      added.texts = sheet.texts(views);
      for (const std::string& setting : choice) added.texts.title += "; " + setting;
      Frames frames({views}, source.axes(), std::vector<PlotStyle>(views.size()), 0, {},
                    PictureFormat::png, Framing::shared, sheet.layout(views, {}));
      added.panels = frames.panels(0);
      sheet.label(added.panels, views);
      for (std::size_t i = 0; i < views.size(); ++i) {
        const SweepFolder::Member* const member = sheet.member(i);
        const auto same = [&](const SweepFolder::Member& each) {
          return member && each.name == member->name;
        };
        const auto found = std::ranges::find_if(sweep.members, same);
        added.members.push_back(
            found == sweep.members.end()
                ? nullptr
                : &page.members[static_cast<std::size_t>(found - sweep.members.begin())]);
      }
    }
  }
  page.sheets_remark = all > most_sheets
                           ? fmt::format("The first {} of {} sheets.", most_sheets, all)
                           : "The newest outputs; a picture leads to the page of its run.";
}

int report_sweep(const ReportOptions& options) {
  const SweepFolder sweep = read_sweep(options.folder, options.where);
  SweepPage page;
  page.name = fs::canonical(options.folder).filename().string();
  page.generator = generator;
  const fs::path path = options.output.empty() ? page.name + ".html" : options.output;
  if (path.extension() != ".htm") require_ending(path, FileKind::page, "page");
  const fs::path pages = path.parent_path() / (path.stem().string() + "-members");
  for (const SweptKey& key : sweep.keys) page.keys.push_back(key.key);
  std::map<std::string, std::size_t> counts;
  fs::create_directories(pages);
  for (const SweepFolder::Member& member : sweep.members) {
    SweepPage::Member& added = page.members.emplace_back();
    added.label = sweep.values_text(member);
    for (std::size_t key = 0; key < sweep.keys.size(); ++key)
      added.values.push_back(sweep.keys[key].text(member.place[key]));
    added.run = read_member_status(member, host_name());
    if (RunFolder::has_run(member.folder)) {
      added.run = read_run_view(member.folder, host_name());
      added.probes = probes_in(member.folder, added.run);
      if (has_output(member)) {
        const fs::path own = pages / (member.name + ".html");
        replace_file(own, run_page(member.folder.string(), added.run, added.probes, options.origin,
                                   most_shown_steps)
                              .html);
        added.page = (pages.filename() / own.filename()).string();
      }
    }
    ++counts[added.run.status];
  }
  for (const auto& [status, count] : counts)
    page.counts += fmt::format("{}{} {}", page.counts.empty() ? "" : ", ", count, status);
  add_sheets(page, options, sweep);
  const std::string html = sweep_page(page);
  replace_file(path, html);
  print_page(options, path,
             fmt::format("{} members, their pages in {}", page.members.size(), pages.string()),
             html);
  return 0;
}

int report_command(const ReportOptions& options) {
  if (is_sweep(options.folder)) return report_sweep(options);
  refuse_where(options.where, options.folder);
  RunView run = read_run_view(options.folder, host_name());
  const fs::path path = options.output.empty() ? run.name + ".html" : options.output;
  if (path.extension() != ".htm") require_ending(path, FileKind::page, "page");
  ProbeTable probes = probes_in(options.folder, run);
  const RunPage page =
      run_page(options.folder, std::move(run), std::move(probes), options.origin, most_shown_steps);
  replace_file(path, page.html);
  print_page(options, path, fmt::format("{} of {} outputs", page.shown, page.outputs), page.html);
  return 0;
}

}  // namespace

std::string newest_report(const fs::path& folder, Origin origin) {
  RunView run = read_run_view(folder, host_name());
  ProbeTable probes = probes_in(folder, run);
  return run_page(folder.string(), std::move(run), std::move(probes), origin, 1).html;
}

void add_report_command(CommandLine& line) {
  Command command = line.add(
      "report", "Write a run as one page for a browser: pictures, graphs, config, provenance");
  ReportOptions& options = command.calls(report_command);
  command.positional("RUN_DIR", &options.folder, "Run folder, or folder of a sweep",
                     {.required = true});
  command.option("-o,--output FILE", &options.output,
                 "The page, .html. An existing file is replaced. Default: named after RUN_DIR");
  add_where_option(command, options.where);
  add_origin_option(command, options.origin);
  add_quiet_option(command, options.quiet);
  command.footer(
      R"(The page needs no other file and no network, so it can be mailed or put into an archive.
It has pictures of up to 60 outputs, evenly chosen, and on three axes of the middle plane.
#step=N in its address chooses one. The page of a sweep has its table, a sheet, and graphs of all
members; their own pages are in a folder beside it.

Examples:
  lapl report runs/tutorial -o tutorial.html
  lapl report runs/sweep -o sweep.html)");
}

}  // namespace lapl
