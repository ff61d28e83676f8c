// The view of lapl watch drawn in place below what a run prints, from memory.
#pragma once

#include <chrono>
#include <string>

#include "app/view/terminal/terminal.hpp"
#include "app/view/terminal/watch_frame.hpp"
#include "io/run/run_writer.hpp"

namespace lapl {

/// Text that draws it on the terminal on stderr; the caller writes it.
class LiveView {
 public:
  explicit LiveView(RunView run);

  void stored(const StoredEvent& event, std::vector<Panel> fields);

  /// True if the view was drawn long enough ago to be drawn again.
  bool progress(const Progress& progress);

  /// The view, in place of the one drawn before.
  std::string draw();

  /// The same for the last time.
  std::string finished(const std::string& status);

  /// Takes the view away.
  std::string erase();

 private:
  WatchState state_;
  TerminalColors colors_;
  TerminalSize size_;
  int shown_lines_ = 0;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace lapl
