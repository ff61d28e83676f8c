// Properties of a terminal, and its full screen for one program.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "app/view/terminal/text_grid.hpp"

namespace lapl {

/// Colours of the terminal on a file descriptor: none if it is no terminal or a dumb one, or if
/// NO_COLOR is set; 24 bits if COLORTERM says so.
TerminalColors terminal_colors(int descriptor);

/// True if the cursor can go back on this terminal, so that lines can be replaced.
bool can_redraw(int descriptor);

struct TerminalSize {
  int rows = 24;
  int columns = 80;
};

/// 24 x 80 if the descriptor is no terminal.
TerminalSize terminal_size(int descriptor);

/// The alternate screen of the terminal on stdout; keys arrive one by one, without echo. The
/// destructor restores the screen.
class FullScreen {
 public:
  FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen() { leave(); }

  /// Replaces the lines on the screen. Throws IoError if the terminal is gone.
  void draw(const std::vector<std::string>& lines) const;

  /// Waits at most `seconds` for a key, a signal or a new size. Returns true if q, Ctrl-C, SIGINT,
  /// SIGTERM or SIGHUP came. Ctrl-Z suspends the process.
  bool asked_to_leave(double seconds);

 private:
  void enter() const;
  void leave() const noexcept;

  std::optional<termios> before_;  // settings before; none: stdin is no terminal
  bool keys_ = true;
};

}  // namespace lapl
