#include "app/view/terminal/watch_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "app/view/terminal/drawing.hpp"
#include "io/readers/quantities.hpp"
#include "solver/diagnostics.hpp"

namespace lapl {
namespace {

constexpr Rgb good_ink = 0x5f8700, bad_ink = 0xd70000, halted_ink = 0xd78700;
constexpr int bar_least = 10;          // least columns of the progress bar
constexpr int beside_each_other = 64;  // least columns for graph and picture next to each other
constexpr int most_outputs = 5;
constexpr int rows_for_outputs = 15;  // least rows below the head to list outputs too
constexpr int note_rows = 3;
constexpr int rows_of_field = 6;  // least rows of each of several fields

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

// The part of a run that is done, from 0 to 1.
double done_part(const RunView& run) {
  if (run.steps <= 0) return run.status == "complete" ? 1 : 0;
  return std::clamp(static_cast<double>(run.step) / static_cast<double>(run.steps), 0.0, 1.0);
}

// A bar `wide` columns long, if that is long enough. Returns the column after it.
int draw_part(TextGrid& grid, int row, int at, int wide, double part, const std::string& status) {
  if (wide < bar_least) return at;
  const int filled = static_cast<int>(part * wide);
  for (int i = 0; i < wide; ++i)
    grid.glyph(row, at + i, i < filled ? U'█' : U'░', {.ink = status_style(status).ink});
  return at + wide + 1;
}

int draw_bar(TextGrid& grid, int row, double part, const std::string& status,
             const std::string& words) {
  const std::string text = fmt::format("{:3.0f}%  {}", std::floor(100 * part), words);
  const int wide = grid.columns() - text_columns(text) - 1;
  grid.text(row, draw_part(grid, row, 0, wide, part, status), text);
  return row + 1;
}

// Draws as many facts as fit into a row.
int draw_facts(TextGrid& grid, int row, const RunView& run) {
  int at = 0;
  for (const std::string& fact : run_facts(run)) {
    const int wide = text_columns(fact) + (at > 0 ? 3 : 0);
    if (at + wide > grid.columns()) break;
    if (at > 0) at = grid.text(row, at, " · ", {.dim = true});
    at = grid.text(row, at, fact);
  }
  return at > 0 ? row + 1 : row;
}

// Draws text in at most note_rows rows. A cut text has no ellipsis, because it may be a command.
int draw_wrapped(TextGrid& grid, int row, const std::string& text, TextStyle style) {
  const auto wide = static_cast<std::size_t>(grid.columns());
  for (std::size_t at = 0, line = 0; at < text.size() && line < note_rows; at += wide, ++line)
    grid.text(row++, 0, text.substr(at, wide), style);
  return row;
}

int draw_head(TextGrid& grid, const WatchState& state) {
  const RunView& run = state.run;
  int row = draw_title(grid, 0, run);
  row = draw_bar(grid, row, done_part(run), run.status,
                 fmt::format("step {} of {}", run.step, run.steps));
  row = draw_facts(grid, row, run);
  row = draw_wrapped(grid, row, run.note, {.ink = status_style(run.status).ink});
  if (!state.resume.empty()) row = draw_wrapped(grid, row, "go on: " + state.resume, {});
  return row;
}

// `name`: the name of the field if there are several.
void draw_graph(TextGrid& grid, TextArea area, const RunView& run, std::size_t field,
                const std::string& name) {
  if (run.diagnostics.empty() || area.rows < 1) return;
  const Statistics& last = run.diagnostics.back().fields[field];
  int at = area.column;
  const auto word = [&](const std::string& text, TextStyle style) {
    if (at + text_columns(text) > area.column + area.columns) return;
    at = grid.text(area.row, at, text, style) + 2;
  };
  if (!name.empty()) word(name, {.bold = true});
  const auto entry = [&](const char* what, double value, Rgb ink) {
    word(fmt::format("{} {:.4g}", what, value), {.ink = ink, .bold = true});
  };
  entry("min", last.min, min_ink);
  entry("max", last.max, max_ink);
  entry("mean", last.mean, mean_ink);
  draw_history(grid, {area.row + 1, area.column, area.rows - 1, area.columns}, run.diagnostics,
               field);
}

void draw_picture(TextGrid& grid, TextArea area, const WatchState& state, const Panel* panel,
                  TerminalColors colors) {
  if (area.rows < 2) return;
  const auto title = [&](const std::string& text) {
    grid.text(area.row, area.column, text.substr(0, static_cast<std::size_t>(area.columns)),
              {.dim = true});
  };
  if (!panel) return title(state.field_note);
  title(panel->title + ", " + panel->subtitle);
  const TextArea content{area.row + 1, area.column, area.rows - 1, area.columns};
  if (panel->line)
    draw_values(grid, content, *panel);
  else
    draw_thumbnail(grid, content, *panel, colors);
}

// A row of the view: the graph or the picture of a field, or both.
struct WatchRow {
  std::string name;  // empty if the run has one field
  std::optional<std::size_t> field;
  const Panel* panel = nullptr;
};

// The chosen fields; fields with diagnostics come first.
std::vector<WatchRow> watch_rows(const WatchState& state) {
  const RunView& run = state.run;
  std::vector<WatchRow> rows;
  const bool one = run.fields.size() < 2;
  const auto shows = [&](const std::string& name) {
    return state.only.empty() || state.only == name;
  };
  for (std::size_t i = 0; i < run.fields.size(); ++i)
    if (one || shows(run.fields[i])) rows.push_back({one ? "" : run.fields[i], i, nullptr});
  for (const Panel& panel : state.fields) {
    const auto of = std::ranges::find_if(
        rows, [&](const WatchRow& row) { return !row.panel && (one || row.name == panel.title); });
    if (of != rows.end())
      of->panel = &panel;
    else if (shows(panel.title))
      rows.push_back({panel.title, std::nullopt, &panel});
  }
  if (rows.empty()) rows.emplace_back();
  return rows;
}

void draw_row(TextGrid& grid, TextArea area, const WatchState& state, const WatchRow& row,
              TerminalColors colors) {
  if (area.columns >= beside_each_other) {
    const int half = area.columns / 2;
    if (row.field)
      draw_graph(grid, {area.row, 0, area.rows, half - 1}, state.run, *row.field, row.name);
    draw_picture(grid, {area.row, half + 1, area.rows, area.columns - half - 1}, state, row.panel,
                 colors);
    return;
  }
  // Graph above picture if both have room, else only the picture.
  const int graph = area.rows >= rows_for_outputs ? area.rows / 3 : 0;
  if (row.field)
    draw_graph(grid, {area.row, 0, graph, area.columns}, state.run, *row.field, row.name);
  draw_picture(grid, {area.row + graph, 0, area.rows - graph, area.columns}, state, row.panel,
               colors);
}

// Draws min, max and mean of as many fields as have room.
void draw_outputs(TextGrid& grid, TextArea area, const RunView& run) {
  constexpr std::size_t fixed_columns = 43, field_columns = 36;  // including the digest
  const auto room = static_cast<std::size_t>(area.columns);
  const std::size_t fields = std::clamp<std::size_t>(
      room > fixed_columns ? (room - fixed_columns) / field_columns : 0, 1, run.fields.size());
  std::string head = fmt::format("{:>10}  {:>11}", "step", "time");
  for (std::size_t field = 0; field < fields; ++field)
    for (const char* what : {"min", "max", "mean"})
      head += fmt::format(" {:>11}", column_prefix(run.fields, run.fields[field]) + what);
  grid.text(area.row, area.column, head + "  digest", {.dim = true});
  auto line = run.diagnostics.rbegin();
  for (int row = 1; row < area.rows && line != run.diagnostics.rend(); ++row, ++line) {
    std::string text = fmt::format("{:>10}  {:>11.6g}", line->step, line->time);
    for (std::size_t field = 0; field < fields; ++field) {
      const Statistics& s = line->fields[field];
      text += fmt::format(" {:>11.4g} {:>11.4g} {:>11.4g}", s.min, s.max, s.mean);
    }
    grid.text(area.row + row, area.column, text + "  " + run.digest_at(line->step));
  }
}

// The lines of a view; without a text about keys in the last row, none of the empty ones below.
std::vector<std::string> frame_lines(const TextGrid& grid, TerminalColors colors,
                                     const std::string& keys) {
  std::vector<std::string> lines = grid.lines(colors);
  if (keys.empty())
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::vector<std::string> run_facts(const RunView& run) {
  std::vector<std::string> facts;
  if (run.cells_per_second > 0) facts.push_back(cell_rate(run.cells_per_second));
  if (is_under_way(run) && run.cells_per_second > 0 && run.seconds_left > 0)
    facts.push_back(time_left_text(run.seconds_left) + " left");
  if (run.shape.rows > 0)
    facts.push_back(fmt::format("{} {}", shape_text(run.shape), run.precision));
  if (!run.engine.empty()) facts.push_back(run.engine + " on " + run.device);
  return facts;
}

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
  const std::vector<WatchRow> fields = watch_rows(state);
  const int shown = std::clamp((bottom - top) / rows_of_field, 1, static_cast<int>(fields.size()));
  const int each = (bottom - top) / shown;
  for (int i = 0; i < shown; ++i)
    draw_row(grid, {top + i * each, 0, each, columns}, state, fields[i], colors);
  return frame_lines(grid, colors, state.keys);
}

namespace {

constexpr std::array member_order = {"failed",   "died",    "stopped", "running",
                                     "starting", "waiting", "complete"};

std::size_t status_place(const std::string& status) {
  return static_cast<std::size_t>(std::ranges::find(member_order, status) - member_order.begin());
}

// How many of the members have each status: "3 running, 9 complete".
std::string counts_text(std::span<const RunView* const> members) {
  std::string text;
  for (const char* status : member_order)
    if (const auto count = std::ranges::count(members, status, &RunView::status); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  return text;
}

void draw_member(TextGrid& grid, int row, const RunView& run, int names) {
  constexpr int bar = 20, status_columns = 10;
  grid.text(row, 0, run.name);
  int at = grid.text(row, names + 1, run.status, status_style(run.status));
  at = draw_part(grid, row, names + 1 + status_columns, bar, done_part(run), run.status);
  std::string words = fmt::format("{:3.0f}%", std::floor(100 * done_part(run)));
  if (run.steps > 0) words += fmt::format("  step {} of {}", run.step, run.steps);
  if (is_under_way(run) && run.seconds_left > 0)
    words += fmt::format(" · {} left", time_left_text(run.seconds_left));
  if (!run.note.empty()) words += " · " + run.note;
  grid.text(row, at, words);
}

}  // namespace

std::vector<std::string> sweep_frame(const SweepState& state, int rows, int columns,
                                     TerminalColors colors) {
  TextGrid grid(rows, columns);
  std::vector<const RunView*> members;
  double done = 0;
  int names = 0;
  for (const RunView& run : state.members) {
    members.push_back(&run);
    done += done_part(run);
    names = std::max(names, text_columns(run.name));
  }
  std::ranges::stable_sort(members, {},
                           [](const RunView* run) { return status_place(run->status); });
  RunView whole;
  whole.name = state.name;
  const auto has = [&](const char* status) {
    return std::ranges::count(members, status, &RunView::status) > 0;
  };
  whole.status = has("running")                 ? "running"
                 : has("failed") || has("died") ? "failed"
                 : has("stopped")               ? "stopped"
                 : has("waiting")               ? "waiting"
                                                : "complete";
  int row = draw_title(grid, 0, whole);
  row = draw_bar(grid, row, done / static_cast<double>(std::max<std::size_t>(members.size(), 1)),
                 whole.status, fmt::format("{} members", members.size()));
  grid.text(row, 0, counts_text(members));
  row += 2;
  const int bottom = rows - (state.keys.empty() ? 0 : 1);
  names = std::min(names, columns / 2);
  const auto room = static_cast<std::size_t>(std::max(bottom - row, 0));
  const std::size_t shown =
      members.size() <= room ? members.size() : std::max<std::size_t>(room, 1) - 1;
  for (std::size_t i = 0; i < shown; ++i) draw_member(grid, row++, *members[i], names);
  if (shown < members.size())
    grid.text(row, 0,
              fmt::format("and {} more: {}", members.size() - shown,
                          counts_text(std::span(members).subspan(shown))),
              {.dim = true});
  if (!state.keys.empty()) grid.text(rows - 1, 0, state.keys, {.dim = true});
  return frame_lines(grid, colors, state.keys);
}

}  // namespace lapl
