// The view of lapl watch: its content at any size, without escape sequences from files.
#include "app/view/terminal/watch_frame.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "app/view/terminal/drawing.hpp"
#include "tests/text.hpp"

using namespace lapl;
using lapl::test::has;

namespace {

Panel make_panel(Shape shape, std::vector<double> values) {
  return {"field", "step 20", shape, shape, std::move(values), {0, 1}, colormap_named("gray"), {}};
}

WatchState half_way() {
  WatchState state;
  state.run.name = "tutorial";
  state.run.status = "running";
  state.run.host = "node7";
  state.run.engine = "blocked";
  state.run.device = "a processor";
  state.run.precision = "float32";
  state.run.shape = {20, 30};
  state.run.step = 1500;
  state.run.steps = 3000;
  state.run.cells_per_second = 2.5e9;
  state.run.seconds_left = 75;
  state.run.fields = {""};
  for (int i = 0; i < 4; ++i)
    state.run.diagnostics.push_back({500 * i, 125.0 * i, {{0, 1.0 / (1 + i), 0.25, 1, 1}}, 1e9});
  state.run.digests[1500] = "0x0123456789abcdef";
  state.fields = {make_panel({2, 2}, {0, 1, 1, 0})};
  return state;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Columns of a line on a terminal: its characters without escape sequences.
int count_columns(const std::string& line) {
  int columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\033')
      i = line.find('m', i);
    else
      columns += (line[i] & 0xc0) != 0x80 ? 1 : 0;
  }
  return columns;
}

}  // namespace

TEST_CASE("watch frame: fits into a terminal of any size") {
  WatchState state = half_way();
  state.resume = "lapl resume " + std::string(300, 'x');
  state.run.note = "a long note " + std::string(300, 'y');
  for (const std::string& keys : {std::string(), std::string("q: leave")})
    for (const int rows : {1, 2, 3, 4, 5, 6, 8, 11, 12, 15, 24, 40, 100})
      for (const int columns : {1, 2, 7, 19, 20, 39, 40, 63, 64, 79, 80, 120, 300})
        for (const TerminalColors colors :
             {TerminalColors::none, TerminalColors::palette, TerminalColors::full}) {
          state.keys = keys;
          const auto lines = watch_frame(state, rows, columns, colors);
          CHECK(static_cast<int>(lines.size()) <= rows);
          for (const std::string& line : lines) CHECK(count_columns(line) <= columns);
        }
}

TEST_CASE("watch frame: says how far the run is") {
  const std::string text = joined(watch_frame(half_way(), 30, 80, TerminalColors::none));
  CAPTURE(text);
  for (const char* part : {"tutorial", "running on node7", " 50%  step 1500 of 3000",
                           "2.5 GCells/s", "1 min 15 s left", "20 x 30 float32", "min 0",
                           "max 0.25", "mean 0.25", "field, step 20", "0x0123456789abcdef"})
    CHECK_MESSAGE(has(text, part), part);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 30);
  CHECK(!has(text, "\033"));
}

TEST_CASE("watch frame: a run that ended says why, and how to go on") {
  WatchState state = half_way();
  state.run.status = "died";
  state.run.note = "its process is gone";
  state.resume = "lapl resume runs/tutorial";
  const std::string text = joined(watch_frame(state, 24, 80, TerminalColors::none));
  CHECK(has(text, "died"));
  CHECK(has(text, "its process is gone"));
  CHECK(has(text, "go on: lapl resume runs/tutorial"));
  CHECK(!has(text, " left"));
}

TEST_CASE("watch frame: nothing from a file reaches the terminal as a command") {
  WatchState state = half_way();
  state.run.name = "a\033[2Jb\x9b\x31\r\n\u202e\u0301\xff";
  state.run.note = "\033]0;title\a";
  state.run.status = "failed";
  for (const TerminalColors colors : {TerminalColors::none, TerminalColors::full}) {
    const std::string text = joined(watch_frame(state, 24, 80, colors));
    CHECK(has(text, "a?[2Jb?1??"));
    CHECK(has(text, "?]0;title?"));
    for (const char* bad : {"\033[2J", "\033]", "\r", "\a", "\u202e", "\u0301", "\xff"})
      CHECK(!has(text, bad));
  }
}

TEST_CASE(
    "watch frame: the picture is drawn in half blocks of 24 bits, of 256 colours, or in shades") {
  const Panel panel = make_panel({2, 2}, {0, 1, 1, 0});  // the first row is the lower one
  const auto drawn = [&](TerminalColors colors) {
    TextGrid grid(1, 2);
    draw_thumbnail(grid, {0, 0, 1, 2}, panel, colors);
    return grid.lines(colors).at(0);
  };
  CHECK(drawn(TerminalColors::full) ==
        "\033[0;38;2;255;255;255;48;2;0;0;0m▀\033[0;38;2;0;0;0;48;2;255;255;255m▀\033[0m");
  CHECK(drawn(TerminalColors::palette) ==
        "\033[0;38;5;231;48;5;16m▀\033[0;38;5;16;48;5;231m▀\033[0m");
  CHECK(drawn(TerminalColors::none) == "▒▒");
}

TEST_CASE("watch frame: the graph's lines go where the values go") {
  std::vector<DiagnosticsLine> history;
  for (int i = 0; i <= 10; ++i) history.push_back({i, 0, {{0, 10.0 - i, 5, 0, 0}}, 0});
  TextGrid grid(4, 20);
  draw_history(grid, {0, 0, 4, 20}, history, 0);
  const auto lines = grid.lines(TerminalColors::none);
  CHECK(lines[0].starts_with("       10 ⠙⠲"));  // the largest value falls from the top left corner
  CHECK(lines[1].starts_with("          ⠤⠤"));  // the mean stays in the middle
  // the least value ends at the bottom, where both meet
  CHECK(lines[2].starts_with("        0 ⣀⣀"));
  CHECK(lines[2].ends_with("⣤"));
  CHECK(lines[3] == "          step 0  10");
}

TEST_CASE("watch frame: a field of one axis is a line, with a gap where a value is not finite") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto drawn = [](std::vector<double> values) {
    const Shape shape{1, static_cast<std::int64_t>(values.size()), 1, 1};
    Panel panel = make_panel(shape, std::move(values));
    panel.line = true;
    WatchState state;
    state.fields = {std::move(panel)};
    return joined(watch_frame(state, 8, 24, TerminalColors::none));
  };
  const std::string line = drawn({0, 1, 2, 3});
  CAPTURE(line);
  CHECK(has(line, "\n        3 "));
  CHECK(has(line, "\n        0 ⣀"));
  CHECK(has(line, "\n          column 0     3"));
  CHECK(drawn({0, 1, 2, nan}) != drawn({0, 1, 2, 2}));
  CHECK(!drawn({nan}).empty());
  std::vector<double> peak(500);
  peak[251] = 1;  // between two columns of dots
  CHECK(has(drawn(peak), "⡇"));
}

TEST_CASE("watch frame: several fields have a row each, or the one that is asked for") {
  WatchState state = half_way();
  state.run.fields = {"u", "v"};
  for (DiagnosticsLine& line : state.run.diagnostics) line.fields.resize(2, {0, 7, 3, 0, 0});
  state.fields = {make_panel({2, 2}, {0, 1, 1, 0}), make_panel({2, 2}, {0, 1, 1, 0})};
  state.fields[0].title = "u";
  state.fields[1].title = "v";
  const std::string both = joined(watch_frame(state, 40, 140, TerminalColors::none));
  for (const char* text : {"u  min 0", "v  min 0", "max 7", "u, step 20", "v, step 20", "u_mean"})
    CHECK_MESSAGE(has(both, text), text);
  state.only = "v";
  const std::string one = joined(watch_frame(state, 24, 80, TerminalColors::none));
  CHECK(has(one, "v, step 20"));
  CHECK_FALSE(has(one, "u, step 20"));
}

TEST_CASE("watch frame: values that are not finite, and a single output, do no harm") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  WatchState state = half_way();
  state.run.diagnostics = {{0, 0, {{nan, inf, nan, nan, nan}}, 0}};
  state.fields = {make_panel({2, 2}, {nan, nan, nan, inf})};
  CHECK(!watch_frame(state, 24, 80, TerminalColors::none).empty());
  state.run.diagnostics = {{0, 0, {{1, 1, 1, 1, 1}}, 0}};
  CHECK(!watch_frame(state, 24, 80, TerminalColors::full).empty());
  state.run = {};
  state.fields.clear();
  CHECK(!watch_frame(state, 24, 80, TerminalColors::full).empty());
}
