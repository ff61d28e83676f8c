#include "app/view/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "app/view/console_lines.hpp"
#include "app/view/plot/plot_panels.hpp"
#include "app/view/say.hpp"
#include "io/json.hpp"
#include "io/run/provenance.hpp"

namespace lapl {
namespace {

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
      const FieldView drawn = count_of(field.masked) > 0 ? field.masked : field.values;
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
    say(stdout, "{}\n", json_text(line));
  } else if (!event.output.empty()) {
    const bool fit = isatty(STDOUT_FILENO) != 0;
    say(stdout, "{}\n", output_line(event, fit ? terminal_size(STDOUT_FILENO).columns : 0));
  } else {
    say(stdout, "step {:>9}  checkpoint {}\n", event.step, event.checkpoint);
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
    say(stderr, "lapl: {}\n", progress_text(progress));
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
    say(stdout, "{}\n", json_text(values));
  else if (!options_.quiet)
    say(stdout, "{}", text);
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
