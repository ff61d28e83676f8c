#include "app/sweep/sweep_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/view/plot/ticks.hpp"
#include "io/durable/posix_file.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_table.hpp"
#include "io/run/run_view.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// Up to this number, the values of a single key are in one row.
constexpr std::size_t longest_row = 6;

// The outputs of a run; their times are those of diagnostics.csv, so that no output is opened.
std::vector<PlotOutput> outputs_in(const fs::path& folder) {
  std::map<std::int64_t, double> times;
  if (const fs::path table = folder / "diagnostics.csv"; fs::exists(table)) {
    TableReader lines(read_start(table), {"step", "time"});
    while (const auto line = lines.next())
      if (line->size() == 2) {
        const auto step = json_value(line->front()), time = json_value(line->back());
        if (step.is_number_integer() && time.is_number())
          times[step.get<std::int64_t>()] = time.get<double>();
      }
  }
  std::vector<PlotOutput> outputs;
  for (const fs::path& file : list_step_files(folder / "fields")) {
    const std::int64_t step = step_of_file_name(file.filename().string());
    const auto time = times.find(step);
    outputs.push_back(
        {file, 0, step, time == times.end() ? read_output(file).times.front() : time->second});
  }
  return outputs;
}

}  // namespace

SweepSheet::SweepSheet(SweepFolder sweep, Origin origin) : sweep_(std::move(sweep)) {
  const std::vector<SweptKey>& keys = sweep_.keys;
  if (keys.size() > 2) {
    std::string names;
    for (const SweptKey& key : keys) names += (names.empty() ? "" : ", ") + key.name;
    throw ConfigError(
        "{}: {} parameters are swept: {} (expected at most two on a sheet; choose a value of the "
        "others, such as --where {}={})",
        sweep_.path.string(), keys.size(), names, keys.back().name, keys.back().text(0));
  }
  if (keys.size() == 2) {
    rows_ = keys[0].values.size();
    columns_ = keys[1].values.size();
  } else if (keys.size() == 1) {
    const std::size_t count = keys[0].values.size();
    columns_ =
        count <= longest_row
            ? count
            : static_cast<std::size_t>(std::ceil(std::sqrt(1.4 * static_cast<double>(count))));
    rows_ = (count + columns_ - 1) / columns_;
    cells_.resize(count);
  }
  if (keys.size() != 1) cells_.resize(rows_ * columns_);
  const std::string host = host_name();
  Shape first{0, 0};
  for (const SweepFolder::Member& member : sweep_.members) {
    std::size_t place = 0;
    for (std::size_t key = 0; key < keys.size(); ++key)
      place = place * keys[key].values.size() + member.place[key];
    Cell& cell = cells_[place];
    cell.member = &member;
    const RunView run = read_member_status(member, host);
    cell.note = run.status;
    cell.shape = run.shape;
    cell.outputs = outputs_in(member.folder);
    if (cell.outputs.empty()) continue;
    if (!source_) {
      source_.emplace(member.folder, origin);
      first = run.shape;
    }
    if (run.shape.axes != first.axes)
      throw ConfigError(
          "the members have grids of different numbers of axes: {} of {} and {} of {} cells "
          "(expected one; choose members with --where)",
          source_->outputs().front().file.string(), shape_text(first), member.name,
          shape_text(run.shape));
    one_grid_ = one_grid_ && run.shape == first;
  }
  if (!source_) throw IoError("{}: no member has an output yet", sweep_.path.string());
  const auto of_grid = [](const SweptKey& key) { return key.key.starts_with("grid"); };
  one_grid_ = one_grid_ && std::ranges::none_of(keys, of_grid);
}

std::vector<double> SweepSheet::times() const {
  const auto count = [](const Cell& cell) { return cell.outputs.size(); };
  std::vector<double> times;
  for (const PlotOutput& output : std::ranges::max_element(cells_, {}, count)->outputs)
    times.push_back(*output.time);
  return times;
}

SweepSheet::Choice SweepSheet::newest() {
  return [](const std::vector<PlotOutput>& outputs) { return &outputs.back(); };
}

SweepSheet::Choice SweepSheet::at_step(std::int64_t step) {
  return [step](const std::vector<PlotOutput>& outputs) {
    const auto found = std::ranges::find(outputs, std::optional(step), &PlotOutput::step);
    return found == outputs.end() ? nullptr : &*found;
  };
}

SweepSheet::Choice SweepSheet::at_time(double time) {
  return [time](const std::vector<PlotOutput>& outputs) {
    const auto found = std::ranges::find(outputs, std::optional(time), &PlotOutput::time);
    return found == outputs.end() ? nullptr : &*found;
  };
}

SweepSheet::Choice SweepSheet::not_after(double time) {
  return [time](const std::vector<PlotOutput>& outputs) {
    const auto after =
        std::ranges::upper_bound(outputs, std::optional(time), {}, &PlotOutput::time);
    return after == outputs.begin() ? nullptr : &*(after - 1);
  };
}

std::vector<View> SweepSheet::views(const std::string& field, const std::optional<Cut>& cut,
                                    const Choice& choice) const {
  std::vector<View> views;
  for (const Cell& cell : cells_)
    views.push_back({cell.outputs.empty() ? nullptr : choice(cell.outputs), field, cut});
  return views;
}

SheetTexts SweepSheet::texts(const std::vector<View>& views) const {
  SheetTexts texts;
  const PlotOutput* latest = nullptr;
  for (const View& view : views)
    if (view.output && (!latest || *view.output->time > *latest->time)) latest = view.output;
  const bool same = std::ranges::all_of(views, [&](const View& view) {
    return !view.output || (view.output->step == latest->step && view.output->time == latest->time);
  });
  texts.title =
      fmt::format("{}{}, {}{}", views.front().field, cut_text(source_->axes(), views.front().cut),
                  same ? "" : "outputs up to ",
                  latest ? describe(*latest, source_->axes().units.time) : "no output");
  if (!same && !is_wrapped()) texts.title += ", t above each";
  texts.subtitles = is_wrapped() || !same;
  texts.numbers = one_grid_;
  texts.bar = cut_shape(source_->content().shape, views.front().cut).axes > 1;
  texts.columns.resize(columns_);
  texts.rows.resize(rows_);
  const std::vector<SweptKey>& keys = sweep_.keys;
  if (keys.empty()) return texts;
  if (is_wrapped()) {
    texts.title += "; " + keys.front().name;
    return texts;
  }
  texts.across = keys.back().name;
  for (std::size_t i = 0; i < columns_; ++i) texts.columns[i] = keys.back().text(i);
  if (keys.size() == 1) return texts;
  texts.upwards = keys.front().name;
  for (std::size_t i = 0; i < rows_; ++i) texts.rows[i] = keys.front().text(i);
  return texts;
}

FigureLayout SweepSheet::layout(const std::vector<View>& views,
                                std::optional<PictureSize> size) const {
  const std::optional<Cut>& cut = views.front().cut;
  const PlotAxes axes = cut_axes(source_->axes(), cut);
  std::vector<Extent> extents;
  for (const Cell& cell : cells_) {
    const Shape shape = cell.outputs.empty() ? source_->content().shape : cell.shape;
    extents.push_back(plot_extent(cut_shape(shape, cut), axes));
  }
  return sheet_layout(size, texts(views), extents);
}

void SweepSheet::label(std::vector<Panel>& panels, const std::vector<View>& views) const {
  const bool times = texts(views).subtitles && !is_wrapped();
  const auto drawn = std::ranges::find_if(panels, [](const Panel& p) { return !p.pixels.empty(); });
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const PlotOutput* const output = views[i].output;
    if (!output) {
      panels[i].title = cells_[i].outputs.empty() ? cells_[i].note : "no output";
      if (drawn == panels.end()) continue;
      panels[i].shape = drawn->shape;  // for the numbers along its axes
      panels[i].line = drawn->line;
    }
    panels[i].subtitle = times && output ? number_text(*output->time, 4) : "";
    if (is_wrapped()) panels[i].subtitle = sweep_.keys.front().text(i);
  }
}

}  // namespace lapl
