// lapl watch and lapl run --live from the outside, on a terminal if that matters.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

constexpr const char* enter_screen = "\033[?1049h";
constexpr const char* leave_screen = "\033[?25h\033[?1049l";

/// Runs lapl on a new pseudo-terminal.
class OnTerminal {
 public:
  OnTerminal(const std::vector<std::string>& arguments, unsigned short rows,
             unsigned short columns) {
    const winsize size{rows, columns, 0, 0};
    int looked[2];
    REQUIRE(pipe2(looked, O_CLOEXEC) == 0);
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      close(looked[1]);
      char end = 0;
      if (read(looked[0], &end, 1) != 0) _exit(127);
      setenv("TERM", "xterm-256color", 1);
      setenv("COLORTERM", "truecolor", 1);
      unsetenv("NO_COLOR");
      std::string program = lapl_program();
      std::vector<char*> argv = {program.data()};
      for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    close(looked[0]);
    first_modes = modes();
    close(looked[1]);  // lets the program start
  }
  ~OnTerminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(terminal_);
  }
  OnTerminal(const OnTerminal&) = delete;

  /// Reads until `part` has appeared since the last call, or the program has ended.
  bool wait_for(const std::string& part) {
    const std::size_t from = read_;
    for (;;) {
      if (const auto at = shown.find(part, from); at != std::string::npos) {
        read_ = at + part.size();
        return true;
      }
      pollfd input{terminal_, POLLIN, 0};
      char bytes[65536];
      if (poll(&input, 1, -1) <= 0) return false;
      const ssize_t count = read(terminal_, bytes, sizeof bytes);
      if (count <= 0) return false;
      shown.append(bytes, static_cast<std::size_t>(count));
    }
  }
  /// Reads to the end and returns the exit code.
  int finish() {
    wait_for(std::string(1, '\0'));
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void type(char key) const { REQUIRE(write(terminal_, &key, 1) == 1); }
  void send(int signal) const { kill(child_, signal); }
  void resize(unsigned short rows, unsigned short columns) const {
    const winsize size{rows, columns, 0, 0};
    ioctl(terminal_, TIOCSWINSZ, &size);
  }
  tcflag_t modes() const {
    termios settings{};
    tcgetattr(terminal_, &settings);
    return settings.c_lflag;
  }

  std::string shown;
  tcflag_t first_modes = 0;  ///< terminal modes before the program starts

 private:
  int terminal_ = -1;
  pid_t child_ = 0;
  std::size_t read_ = 0;
};

void finished_run() {
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
}

std::vector<std::string> listing(const fs::path& folder) {
  std::vector<std::string> list;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    list.push_back(entry.path().string() + " " +
                   std::to_string(entry.last_write_time().time_since_epoch().count()));
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

TEST_CASE("watch: without a terminal one plain view is printed, and the run folder is unchanged") {
  const Sandbox sandbox;
  finished_run();
  const auto before = listing("out");
  const Outcome watch = run_lapl({"watch", "out"});
  CAPTURE(watch.out);
  CAPTURE(watch.err);
  CHECK(watch.code == 0);
  CHECK(has(watch.out, "complete"));
  CHECK(has(watch.out, "100%  step 60 of 60"));
  CHECK(has(watch.out, "field, step 60"));
  CHECK(!has(watch.out, "\033"));
  CHECK(listing("out") == before);
}

TEST_CASE("watch: a damaged output is named in place of its picture") {
  const Sandbox sandbox;
  finished_run();
  write_text("out/fields/step-000000060.nc", "no longer what it was");
  const Outcome watch = run_lapl({"watch", "out", "--once"});
  CHECK(watch.code == 0);
  CHECK(has(watch.out, "step-000000060.nc"));
  CHECK(has(watch.out, "100%"));
}

TEST_CASE("watch: a folder without a run is an error") {
  const Sandbox sandbox;
  CHECK(run_lapl({"watch", "none"}).code == 4);
  CHECK(run_lapl({"watch", "."}).code == 4);
  CHECK(run_lapl({"watch", "none", "--interval", "0"}).code == 2);
}

TEST_CASE("watch: q leaves the screen as it was") {
  const Sandbox sandbox;
  finished_run();
  OnTerminal watch({"watch", "out"}, 24, 80);
  REQUIRE(watch.wait_for("q: leave"));
  CHECK(watch.shown.starts_with(enter_screen));
  CHECK(watch.modes() != watch.first_modes);
  REQUIRE(watch.wait_for("▀"));  // a background thread reads the picture
  watch.type('q');
  CHECK(watch.finish() == 0);
  CHECK(watch.shown.ends_with(leave_screen));
  CHECK(watch.modes() == watch.first_modes);
}

TEST_CASE("watch: Ctrl-C, SIGTERM and SIGHUP leave the screen as it was") {
  const Sandbox sandbox;
  finished_run();
  for (const int signal : {0, SIGTERM, SIGHUP, SIGINT}) {
    OnTerminal watch({"watch", "out"}, 24, 80);
    REQUIRE(watch.wait_for("q: leave"));
    if (signal == 0)
      watch.type(3);
    else
      watch.send(signal);
    CHECK(watch.finish() == 0);
    CHECK(watch.shown.ends_with(leave_screen));
    CHECK(watch.modes() == watch.first_modes);
  }
}

TEST_CASE("watch: follows the size of the terminal at once") {
  const Sandbox sandbox;
  finished_run();
  OnTerminal watch({"watch", "out", "--interval", "3600"}, 24, 80);
  REQUIRE(watch.wait_for("digest"));
  REQUIRE(watch.wait_for("q: leave"));
  watch.resize(10, 30);
  REQUIRE(watch.wait_for("q: leave"));
  const auto last = watch.shown.substr(watch.shown.rfind("\033[H"));
  CHECK(std::count(last.begin(), last.end(), '\n') == 9);
  CHECK(!has(last, "digest"));
}

TEST_CASE("watch: a run shows its progress between outputs, and that it was killed" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const pid_t child =
      start({"run", "c.yaml", "--set", "time.steps=1000000000000", "--set",
             "output.every=1000000000000", "--set", "checkpoint.every=1000000000000"});
  nlohmann::json summary;
  while (!summary.contains("seconds_left")) {
    usleep(10000);
    summary = nlohmann::json::parse(file_text("out/run.json"), nullptr, false);
  }
  CHECK(summary["status"] == "running");
  CHECK(summary["step"].get<double>() > 0);
  const Outcome running = finish(start({"watch", "out", "--once"}));
  CHECK(has(running.out, "running on "));
  CHECK(has(running.out, " left"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const Outcome killed = run_lapl({"watch", "out", "--once"});
  CAPTURE(killed.out);
  CHECK(has(killed.out, "died"));
  CHECK(has(killed.out, "go on: lapl resume out"));
}

TEST_CASE("run --live keeps the view in place on a terminal and prints the same lines on stdout") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  OnTerminal live({"run", "c.yaml", "--live"}, 30, 100);
  CHECK(live.finish() == 0);
  CAPTURE(live.shown);
  CHECK(has(live.shown, "running on "));
  CHECK(has(live.shown, "field, step 40"));
  // Expected: cursor up, clear, the new line, then the view below it.
  CHECK(has(live.shown, "A\033[Jstep        20  time 5"));
  CHECK(!has(live.shown, enter_screen));
  CHECK(has(live.shown, "step        60  time 15"));
  CHECK(live.shown.rfind("complete: step 60") > live.shown.rfind("▀"));

  const Outcome plain = run_lapl({"run", "c.yaml", "--overwrite", "--live"});
  CHECK(plain.code == 0);
  CHECK(has(plain.err, "--live needs a terminal"));
  CHECK(!has(plain.err + plain.out, "\033"));
  CHECK(run_lapl({"run", "c.yaml", "--overwrite", "--live", "--json"}).code == 2);
}

TEST_CASE("new --run shows the fields on a terminal") {
  const Sandbox sandbox;
  OnTerminal shown({"new", "wave", "--run"}, 30, 100);
  CHECK(shown.finish() == 0);
  CAPTURE(shown.shown);
  CHECK(has(shown.shown, "wave.yaml: wave"));
  CHECK(has(shown.shown, "u, step 140"));
  CHECK(shown.shown.rfind("complete: step 140") > shown.shown.rfind("▀"));
  CHECK(fs::exists("runs/wave/run.json"));
}

TEST_CASE("run: bars and output lines fit the terminal") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  for (const auto columns : std::array<unsigned short, 4>{40, 60, 80, 120}) {
    CAPTURE(columns);
    OnTerminal run({"run", "c.yaml", "--overwrite"}, 24, columns);
    CHECK(run.finish() == 0);
    std::istringstream lines(run.shown);
    int outputs = 0;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream parts(line);  // carriage returns separate the bar, which is overwritten
      for (std::string part; std::getline(parts, part, '\r');) {
        if (part.starts_with("\033[K")) part.erase(0, 3);
        const bool output = part.starts_with("step ");
        outputs += output;
        if (output || has(part, " left")) CHECK(part.size() <= columns);
      }
    }
    CHECK(outputs == 4);
  }
}
