// The console of a run. On stderr: a progress bar if that is a terminal, or else a line every few
// seconds. On stdout: one line for each output, and the summary.
#pragma once

#include <chrono>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "app/view/terminal/terminal.hpp"
#include "app/view/terminal/watch_frame.hpp"
#include "io/run/run_writer.hpp"

namespace lapl {

/// Prints "lapl: error: ..." to stderr, red on a terminal unless NO_COLOR is set.
void print_error(const std::string& message);
/// Prints "lapl: warning: ..." in the same way.
void print_warning(const std::string& text);
/// Prints "lapl: ..." to stderr. All three fold lines to the width of a terminal.
void print_note(const std::string& text);

/// The view of lapl watch below the lines that a run prints, drawn from the fields in memory.
/// Functions that draw return the text for a terminal; the caller writes it to stderr.
class LiveView {
 public:
  explicit LiveView(RunView run);

  void stored(const StoredEvent& event, std::vector<Panel> fields);

  /// Notes the progress. True if the view was last drawn long enough ago to be drawn again.
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

class Console {
 public:
  struct Options {
    bool quiet = false;  ///< only errors and warnings
    bool json = false;   ///< each line on stdout is a JSON object
    bool live = false;   ///< the view of lapl watch instead of the progress bar
  };

  explicit Console(Options options);
  ~Console() { clear_bar(); }

  /// Called when the run in this folder begins. `first_row_below`: pictures show the first row of
  /// the grid at the bottom.
  void begin(const std::filesystem::path& folder, bool first_row_below);

  /// Prints a remark to stderr.
  void note(const std::string& text);

  /// Prints a warning to stderr, even if the console is quiet.
  void warning(const std::string& text);

  /// Prints an output or a checkpoint that is on disk.
  void stored(const StoredEvent& event);

  void progress(const Progress& progress);

  /// Prints the end of a run: `text`, or with --json `values`.
  void summary(const std::string& text, const nlohmann::ordered_json& values);

 private:
  void clear_bar();
  void show_live();

  Options options_;
  bool terminal_;
  bool bar_shown_ = false;
  bool first_row_below_ = true;
  std::optional<LiveView> live_;
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // stored() is called from the storing thread
};

}  // namespace lapl
