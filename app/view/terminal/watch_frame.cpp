#include "app/view/terminal/watch_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/view/terminal/drawing.hpp"
#include "io/quantities.hpp"

namespace lapl {
namespace {

constexpr Rgb good_ink = 0x5f8700, bad_ink = 0xd70000, halted_ink = 0xd78700;
constexpr int bar_least = 10;          // columns
constexpr int beside_each_other = 64;  // columns from which graph and picture have room for that
constexpr int most_outputs = 5;
constexpr int rows_for_outputs = 15;  // below the head, from which outputs are listed too
constexpr int note_rows = 3;

TextStyle status_style(const std::string& status) {
  if (status == "failed" || status == "died") return {.ink = bad_ink, .bold = true};
  if (status == "stopped") return {.ink = halted_ink, .bold = true};
  return {.ink = good_ink, .bold = true};
}

bool is_under_way(const RunView& run) { return run.status == "running"; }

int draw_title(TextGrid& grid, int row, const RunView& run) {
  std::string status = run.status;
  if (is_under_way(run) && !run.host.empty()) status += " on " + run.host;
  const int wide = text_columns(status);
  int at = grid.text(row, 0, run.name, {.bold = true});
  if (at + 2 + wide > grid.columns()) ++row, at = 0;
  grid.text(row, at == 0 ? 0 : grid.columns() - wide, status, status_style(run.status));
  return row + 1;
}

int draw_bar(TextGrid& grid, int row, const RunView& run) {
  const double part =
      run.steps > 0
          ? std::clamp(static_cast<double>(run.step) / static_cast<double>(run.steps), 0.0, 1.0)
      : run.status == "complete" ? 1
                                 : 0;
  const std::string text =
      fmt::format("{:3.0f}%  step {} of {}", std::floor(100 * part), run.step, run.steps);
  const int wide = grid.columns() - text_columns(text) - 1;
  int at = 0;
  if (wide >= bar_least) {
    const int filled = static_cast<int>(part * wide);
    for (; at < wide; ++at)
      grid.glyph(row, at, at < filled ? U'█' : U'░', {.ink = status_style(run.status).ink});
    ++at;
  }
  grid.text(row, at, text);
  return row + 1;
}

// As many of the parts as fit into a row, in this order.
int draw_facts(TextGrid& grid, int row, const RunView& run) {
  std::vector<std::string> facts;
  if (run.cells_per_second > 0) facts.push_back(cell_rate(run.cells_per_second));
  if (is_under_way(run) && run.cells_per_second > 0 && run.seconds_left > 0)
    facts.push_back(time_left_text(run.seconds_left) + " left");
  if (run.shape.rows > 0) facts.push_back(fmt::format("{} {}", text_of(run.shape), run.precision));
  if (!run.engine.empty()) facts.push_back(run.engine + " on " + run.device);
  int at = 0;
  for (const std::string& fact : facts) {
    const int wide = text_columns(fact) + (at > 0 ? 3 : 0);
    if (at + wide > grid.columns()) break;
    if (at > 0) at = grid.text(row, at, " · ", {.dim = true});
    at = grid.text(row, at, fact);
  }
  return at > 0 ? row + 1 : row;
}

// Text in a few rows, cut off where it has more; as it may be a command, without a mark.
int draw_wrapped(TextGrid& grid, int row, const std::string& text, TextStyle style) {
  const auto wide = static_cast<std::size_t>(grid.columns());
  for (std::size_t at = 0, line = 0; at < text.size() && line < note_rows; at += wide, ++line)
    grid.text(row++, 0, text.substr(at, wide), style);
  return row;
}

int draw_head(TextGrid& grid, const WatchState& state) {
  const RunView& run = state.run;
  int row = draw_title(grid, 0, run);
  row = draw_bar(grid, row, run);
  row = draw_facts(grid, row, run);
  row = draw_wrapped(grid, row, run.note, {.ink = status_style(run.status).ink});
  if (!state.resume.empty()) row = draw_wrapped(grid, row, "go on: " + state.resume, {});
  return row;
}

void draw_graph(TextGrid& grid, TextArea area, const RunView& run) {
  if (run.diagnostics.empty() || area.rows < 1) return;
  const Statistics& last = run.diagnostics.back().statistics;
  int at = area.column;
  const auto entry = [&](const char* name, double value, Rgb ink) {
    const std::string text = fmt::format("{} {:.4g}", name, value);
    if (at + text_columns(text) > area.column + area.columns) return;
    at = grid.text(area.row, at, text, {.ink = ink, .bold = true}) + 2;
  };
  entry("min", last.min, min_ink);
  entry("max", last.max, max_ink);
  entry("mean", last.mean, mean_ink);
  draw_history(grid, {area.row + 1, area.column, area.rows - 1, area.columns}, run.diagnostics);
}

void draw_picture(TextGrid& grid, TextArea area, const WatchState& state, TerminalColors colors) {
  if (area.rows < 2) return;
  const auto title = [&](const std::string& text) {
    grid.text(area.row, area.column, text.substr(0, static_cast<std::size_t>(area.columns)),
              {.dim = true});
  };
  if (!state.field) return title(state.field_note);
  title(state.field->title + ", " + state.field->subtitle);
  draw_thumbnail(grid, {area.row + 1, area.column, area.rows - 1, area.columns}, *state.field,
                 colors);
}

void draw_outputs(TextGrid& grid, TextArea area, const RunView& run) {
  grid.text(area.row, area.column,
            fmt::format("{:>10}  {:>11} {:>11} {:>11} {:>11}  {}", "step", "time", "min", "max",
                        "mean", "digest"),
            {.dim = true});
  auto line = run.diagnostics.rbegin();
  for (int row = 1; row < area.rows && line != run.diagnostics.rend(); ++row, ++line) {
    grid.text(area.row + row, area.column,
              fmt::format("{:>10}  {:>11.6g} {:>11.4g} {:>11.4g} {:>11.4g}  {}", line->step,
                          line->time, line->statistics.min, line->statistics.max,
                          line->statistics.mean, run.digest_at(line->step)));
  }
}

}  // namespace

std::vector<std::string> watch_frame(const WatchState& state, int rows, int columns,
                                     TerminalColors colors) {
  TextGrid grid(rows, columns);
  const RunView& run = state.run;
  int top = draw_head(grid, state) + 1;
  int bottom = rows;
  if (!state.keys.empty()) grid.text(--bottom, 0, state.keys, {.dim = true});
  if (state.list_outputs && bottom - top >= rows_for_outputs && !run.diagnostics.empty()) {
    const int listed = std::min<int>(most_outputs, static_cast<int>(run.diagnostics.size()));
    bottom -= listed + 1;
    draw_outputs(grid, {bottom, 0, listed + 1, columns}, run);
    --bottom;
  }
  const int body = bottom - top;
  if (columns >= beside_each_other) {
    const int half = columns / 2;
    draw_graph(grid, {top, 0, body, half - 1}, run);
    draw_picture(grid, {top, half + 1, body, columns - half - 1}, state, colors);
  } else {
    // Below each other where both have room; else the picture alone.
    const int graph = body >= rows_for_outputs ? body / 3 : 0;
    draw_graph(grid, {top, 0, graph, columns}, run);
    draw_picture(grid, {top + graph, 0, body - graph, columns}, state, colors);
  }
  std::vector<std::string> lines = grid.lines(colors);
  if (state.keys.empty())
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace lapl
