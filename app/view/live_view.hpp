// The view of lapl watch below the lines that a run prints, drawn from the fields in memory.
#pragma once

#include <chrono>
#include <string>

#include "app/view/terminal/terminal.hpp"
#include "app/view/terminal/watch_frame.hpp"
#include "io/run/run_writer.hpp"

namespace lapl {

/// Returns text that draws the view on a terminal; the caller writes it to stderr.
class LiveView {
 public:
  explicit LiveView(RunView run);

  void stored(const StoredEvent& event, std::vector<Panel> fields);

  /// True if the view was last drawn long enough ago to be drawn again.
  bool progress(const Progress& progress);

  /// Replaces the view that was drawn before.
  std::string draw();

  /// Draws the view for the last time.
  std::string finished(const std::string& status);

  /// Removes the view.
  std::string erase();

 private:
  WatchState state_;
  TerminalColors colors_;
  TerminalSize size_;
  int shown_lines_ = 0;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace lapl
