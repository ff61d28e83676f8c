// The terminal: what it can show, how large it is, and all of it for one program.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "app/view/terminal/text_grid.hpp"

namespace lapl {

/// Colours of the terminal on a file descriptor: none where it is no terminal or a dumb one, or
/// where NO_COLOR is set; 24 bits where COLORTERM says so.
TerminalColors terminal_colors(int descriptor);

/// True if lines can be drawn again in place there.
bool can_redraw(int descriptor);

struct TerminalSize {
  int rows = 24;
  int columns = 80;
};

/// 24 x 80 where the descriptor is no terminal.
TerminalSize terminal_size(int descriptor);

/// The alternate screen of the terminal on stdout, with keys coming one by one. The destructor
/// restores the screen.
class FullScreen {
 public:
  FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;
  ~FullScreen() { leave(); }

  /// Shows these lines in place of those before. Throws IoError where the terminal is gone.
  void draw(const std::vector<std::string>& lines) const;

  /// Waits for a key, a signal or a new size, at most `seconds`. True: q, Ctrl-C, SIGINT,
  /// SIGTERM or SIGHUP asks to leave. Ctrl-Z stops the process, as elsewhere.
  bool asked_to_leave(double seconds);

 private:
  void enter() const;
  void leave() const noexcept;

  std::optional<termios> before_;  // none: no keys, as stdin is no terminal
  bool keys_ = true;
};

}  // namespace lapl
