#include "app/view/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <utility>

#include "app/view/console_lines.hpp"
#include "app/view/plot/plot_panels.hpp"
#include "app/view/print_text.hpp"
#include "io/json.hpp"
#include "io/run/provenance.hpp"

namespace lapl {
namespace {

constexpr auto between_frames =
    std::chrono::milliseconds(500);  // a frame may take 50 KB, and the terminal be slow
constexpr int most_rows = 22;

// On a terminal a message is folded to its width.
std::string fitted(const std::string& message) {
  return isatty(STDERR_FILENO) ? folded(message, terminal_size(STDERR_FILENO).columns) : message;
}

// The label is coloured on a terminal, unless NO_COLOR is set.
void print_labelled(const char* label, const char* color, const std::string& text) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool coloured = isatty(STDERR_FILENO) && (no_color == nullptr || *no_color == '\0');
  const std::string prefix = fmt::format("lapl: {} ", label);
  std::istringstream lines(printable(text));
  std::string all;
  for (std::string line; std::getline(lines, line);)
    all += (line.starts_with(' ') ? "" : prefix) + line + '\n';
  all = fitted(all);
  const std::string drawn = fmt::format("lapl: {}{}\033[0m ", color, label);
  for (std::size_t at = coloured ? 0 : all.npos; at < all.size(); at = all.find('\n', at) + 1)
    if (all.compare(at, prefix.size(), prefix) == 0) all.replace(at, prefix.size(), drawn);
  draw(stderr, all);
}

}  // namespace

void print_error(const std::string& message) { print_labelled("error:", "\033[31m", message); }
void print_warning(const std::string& text) { print_labelled("warning:", "\033[33m", text); }
void print_note(const std::string& text) {
  draw(stderr, fitted(printable(fmt::format("lapl: {}\n", text))));
}

LiveView::LiveView(RunView run)
    : colors_(terminal_colors(STDERR_FILENO)), size_(terminal_size(STDERR_FILENO)) {
  state_.run = std::move(run);
  state_.list_outputs = false;  // each output is printed as a line above the view
}

void LiveView::stored(const StoredEvent& event, std::vector<Panel> fields) {
  DiagnosticsLine& line = state_.run.diagnostics.emplace_back();
  line.step = event.step;
  line.time = event.time;
  for (const StoredEvent::Field& field : event.fields) line.fields.push_back(field.statistics);
  state_.fields = std::move(fields);
}

bool LiveView::progress(const Progress& progress) {
  state_.run.step = progress.step;
  state_.run.cells_per_second = progress.cells_per_second;
  state_.run.seconds_left = progress.seconds_left;
  return std::chrono::steady_clock::now() - drawn_ >= between_frames;
}

std::string LiveView::draw() {
  drawn_ = std::chrono::steady_clock::now();
  std::string text = erase();
  const TerminalSize size = terminal_size(STDERR_FILENO);
  // If the width has changed, the lines have wrapped, so the whole screen is cleared.
  if (size.columns != size_.columns) text = "\033[2J\033[H";
  size_ = size;
  const std::vector<std::string> lines = watch_frame(
      state_, std::clamp(size.rows - 2, 1, most_rows), std::max(size.columns - 1, 1), colors_);
  for (const std::string& line : lines) text += line + "\n";
  shown_lines_ = static_cast<int>(lines.size());
  return text;
}

std::string LiveView::finished(const std::string& status) {
  state_.run.status = status;
  return draw();
}

std::string LiveView::erase() {
  const int lines = std::exchange(shown_lines_, 0);
  return lines > 0 ? fmt::format("\r\033[{}A\033[J", lines) : "";
}

Console::Console(Options options) : options_(options), terminal_(isatty(STDERR_FILENO)) {}

void Console::begin(const std::filesystem::path& folder, bool first_row_below) {
  first_row_below_ = first_row_below;
  if (!options_.live) return;
  if (!can_redraw(STDERR_FILENO))
    return note("--live needs a terminal on standard error: progress comes in lines instead");
  live_.emplace(read_run_view(folder, host_name()));
}

void Console::note(const std::string& text) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  clear_bar();
  print_note(text);
}

void Console::warning(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  print_warning(text);
}

void Console::stored(const StoredEvent& event) {
  if (options_.quiet) return;
  std::vector<Panel> panels;
  if (live_ && !event.output.empty())
    for (const StoredEvent::Field& field : event.fields) {
      const FieldView drawn = value_count(field.masked) > 0 ? field.masked : field.values;
      panels.push_back(small_panel(field.name, drawn, event.shape, event.step, first_row_below_));
    }
  const std::lock_guard lock(mutex_);
  clear_bar();
  if (options_.json) {
    nlohmann::ordered_json line = {{"event", "stored"}, {"step", event.step}, {"time", event.time}};
    nlohmann::ordered_json fields = nlohmann::ordered_json::object();
    for (const StoredEvent::Field& field : event.fields) {
      const Statistics& s = field.statistics;
      fields[field.name] = {{"min", s.min}, {"max", s.max}, {"mean", s.mean}};
    }
    if (fields.size() == 1)
      line.update(fields.front());
    else if (!fields.empty())
      line["fields"] = fields;
    line["digest"] = digest_text(event.digest);
    line["output"] = event.output;
    line["checkpoint"] = event.checkpoint;
    print_text(stdout, "{}\n", json_text(line));
  } else if (!event.output.empty()) {
    const bool fit = isatty(STDOUT_FILENO) != 0;
    print_text(stdout, "{}\n", output_line(event, fit ? terminal_size(STDOUT_FILENO).columns : 0));
  } else {
    print_text(stdout, "step {:>9}  checkpoint {}\n", event.step, event.checkpoint);
  }
  std::fflush(stdout);
  if (!panels.empty()) live_->stored(event, std::move(panels));
  show_live();
}

void Console::progress(const Progress& progress) {
  if (options_.quiet || options_.json) return;
  using namespace std::chrono_literals;
  const std::lock_guard lock(mutex_);
  if (live_) {
    if (live_->progress(progress) || progress.step == progress.last_step) show_live();
    return;
  }
  if (terminal_) {
    draw(stderr, "\r\033[K" + progress_line(progress, terminal_size(STDERR_FILENO).columns));
    std::fflush(stderr);
    bar_shown_ = true;
  } else if (const auto now = std::chrono::steady_clock::now(); now - last_line_ >= 5s) {
    print_text(stderr, "lapl: {}\n", progress_text(progress));
    last_line_ = now;
  }
}

void Console::summary(const std::string& text, const nlohmann::ordered_json& values) {
  const std::lock_guard lock(mutex_);
  if (live_) {
    draw(stderr, live_->finished(values.at("status").get<std::string>()));
    live_.reset();
  }
  clear_bar();
  if (options_.json)
    print_text(stdout, "{}\n", json_text(values));
  else if (!options_.quiet)
    print_text(stdout, "{}", text);
}

void Console::clear_bar() {
  if (bar_shown_) draw(stderr, "\r\033[K");
  bar_shown_ = false;
  if (live_) draw(stderr, live_->erase());
}

void Console::show_live() {
  if (live_) draw(stderr, live_->draw());
}

}  // namespace lapl
