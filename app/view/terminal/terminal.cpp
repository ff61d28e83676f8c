#include "app/view/terminal/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "kernels/error.hpp"

namespace lapl {
namespace {

// Opens the alternate screen, hides the cursor and clears the screen.
constexpr const char* enter_sequence = "\033[?1049h\033[?25l\033[2J";
constexpr const char* leave_sequence = "\033[0m\033[?25h\033[?1049l";
constexpr char control_c = 3, control_z = 26;

volatile std::sig_atomic_t signalled = 0;

void on_leave(int) { signalled = 1; }
void on_resize(int) {}  // its only effect: ends ppoll

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(count);
  }
  return true;
}

}  // namespace

bool can_redraw(int descriptor) {
  return isatty(descriptor) != 0 && environment("TERM") != "dumb" && environment("TERM") != "";
}

TerminalColors terminal_colors(int descriptor) {
  if (!can_redraw(descriptor) || environment("NO_COLOR") != "") return TerminalColors::none;
  const std::string_view kind = environment("COLORTERM");
  return kind == "truecolor" || kind == "24bit" ? TerminalColors::full : TerminalColors::palette;
}

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

FullScreen::FullScreen() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) {
    action.sa_handler = signal == SIGWINCH ? on_resize : on_leave;
    sigaction(signal, &action, nullptr);
    sigaddset(&set, signal);
  }
  // Blocked except in ppoll, so that a signal just before ppoll still ends its wait.
  sigprocmask(SIG_BLOCK, &set, nullptr);
  if (termios settings; tcgetattr(STDIN_FILENO, &settings) == 0) before_ = settings;
  keys_ = before_.has_value();
  enter();
}

void FullScreen::enter() const {
  if (before_) {
    termios settings = *before_;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings);
  }
  write_all(enter_sequence);
}

void FullScreen::leave() const noexcept {
  write_all(leave_sequence);
  if (before_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &*before_);
}

void FullScreen::draw(const std::vector<std::string>& lines) const {
  std::string text = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i)
    // \033[K first: after a full line it would clear the last character
    text += (i > 0 ? "\n\033[K" : "\033[K") + lines[i];
  if (!write_all(text + "\033[J"))
    throw IoError(std::string("terminal: cannot write: ") + std::strerror(errno));
}

bool FullScreen::asked_to_leave(double seconds) {
  pollfd input{keys_ ? STDIN_FILENO : -1, POLLIN, 0};
  const auto whole = static_cast<time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  sigset_t set;
  sigemptyset(&set);
  const int ready = ppoll(&input, 1, &limit, &set);
  if (signalled != 0) return true;
  char key = 0;
  if (ready > 0 && ::read(STDIN_FILENO, &key, 1) != 1)
    keys_ = false;  // end of stdin: from now on only signals
  if (key == control_z) {
    leave();
    raise(SIGSTOP);
    enter();
  }
  return key == 'q' || key == 'Q' || key == control_c;
}

}  // namespace lapl
