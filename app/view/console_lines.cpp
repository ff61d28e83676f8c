#include "app/view/console_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "io/readers/quantities.hpp"

namespace lapl {
namespace {

constexpr int longest_bar = 24, shortest_bar = 4;

// A part of a line; parts with the largest rank are left out first if there is no room.
struct LinePart {
  std::string text;
  int rank;
};

std::string joined(std::vector<LinePart> parts, std::size_t room) {
  std::string line;
  for (;;) {
    line.clear();
    for (const LinePart& part : parts) line += part.text;
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.size() <= room || parts.size() == 1) return line.substr(0, room);
    parts.erase(std::ranges::max_element(parts, {}, &LinePart::rank));
  }
}

double done_fraction(const Progress& progress) {
  return static_cast<double>(progress.step) / static_cast<double>(progress.last_step);
}

std::vector<LinePart> progress_parts(const Progress& progress) {
  return {{fmt::format("{:3.0f}%", 100 * done_fraction(progress)), 0},
          {fmt::format("  step {} of {}", progress.step, progress.last_step), 2},
          {"  " + cell_rate(progress.cells_per_second), 3},
          {fmt::format("  {} left", time_left_text(progress.seconds_left)), 1}};
}

std::string time_text(const StoredEvent& event) {
  return with_unit(fmt::format("{:.6g}", event.time), event.time_unit);
}

// The range of each field; the last fields are left out first if there is no room.
std::string several_fields_line(const StoredEvent& event, int columns) {
  std::vector<LinePart> parts = {{fmt::format("step {:>9} ", event.step), 0},
                                 {fmt::format(" time {:<10}", time_text(event)), 2}};
  int rank = 3;
  for (const StoredEvent::Field& field : event.fields)
    parts.push_back({fmt::format(" {} {:.4g} to {:.4g} ", field.name, field.statistics.min,
                                 field.statistics.max),
                     rank++});
  parts.push_back({" digest " + digest_text(event.digest), 1});
  return joined(parts, columns == 0 ? std::string::npos : static_cast<std::size_t>(columns));
}

}  // namespace

std::string progress_text(const Progress& progress) {
  return joined(progress_parts(progress), std::string::npos);
}

std::string progress_line(const Progress& progress, int columns) {
  const int room = std::max(columns - 1, 1);  // leaves a column for the cursor
  const std::string text = joined(progress_parts(progress), static_cast<std::size_t>(room));
  const int width = std::min(longest_bar, room - static_cast<int>(text.size()) - 3);
  if (width < shortest_bar) return text;
  const auto filled = static_cast<int>(done_fraction(progress) * width);
  return fmt::format("[{:=>{}}{:>{}}] {}", "", filled, "", width - filled, text);
}

std::string output_line(const StoredEvent& event, int columns) {
  if (event.fields.size() > 1) return several_fields_line(event, columns);
  const Statistics& s = event.fields.front().statistics;
  const std::string digest = digest_text(event.digest);
  const std::string full =
      fmt::format("step {:>9}  time {:<10} min {:<12.6g} max {:<12.6g} mean {:<12.6g} digest {}",
                  event.step, time_text(event), s.min, s.max, s.mean, digest);
  const auto room = static_cast<std::size_t>(columns);
  if (columns == 0 || full.size() <= room) return full;
  return joined({{fmt::format("step {:>9} ", event.step), 0},
                 {fmt::format(" time {:<7}", time_text(event)), 5},
                 {fmt::format(" min {:<9.4g}", s.min), 2},
                 {fmt::format(" max {:<9.4g}", s.max), 1},
                 {fmt::format(" mean {:<9.4g}", s.mean), 3},
                 {" " + digest, 4}},
                room);
}

std::string folded(const std::string& message, int columns) {
  constexpr std::size_t indent = 2;
  const auto room = static_cast<std::size_t>(columns);
  std::string result;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line); result += line + '\n') {
    if (line.starts_with(' ')) continue;
    while (line.size() > room) {
      auto at = line.rfind(' ', room);
      if (at == line.npos || at < indent) at = line.find(' ', room);
      if (at == line.npos) break;
      result += line.substr(0, at) + '\n';
      line = std::string(indent, ' ') + line.substr(at + 1);
    }
  }
  return result;
}

}  // namespace lapl
