#include "app/view/live_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace lapl {
namespace {

using namespace std::chrono_literals;

constexpr auto between_frames = 500ms;  // a frame may take 50 KB, and the terminal be slow
constexpr int most_rows = 22;

}  // namespace

LiveView::LiveView(RunView run)
    : colors_(terminal_colors(STDERR_FILENO)), size_(terminal_size(STDERR_FILENO)) {
  state_.run = std::move(run);
  state_.list_outputs = false;  // each is printed as a line above the view
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
  // If the width has changed, the lines have wrapped and their places are unknown.
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

}  // namespace lapl
