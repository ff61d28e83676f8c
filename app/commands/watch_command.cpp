// lapl watch RUN_DIR: shows a run in the terminal and draws it anew at intervals.
#include <fmt/format.h>
#include <unistd.h>

#include <future>

#include "app/commands/commands.hpp"
#include "app/commands/plot_options.hpp"
#include "app/commands/report.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "app/view/print_text.hpp"
#include "app/view/terminal/terminal.hpp"
#include "app/view/terminal/watch_frame.hpp"
#include "io/run/provenance.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/background.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct WatchOptions {
  std::string folder, field;
  Origin origin = Origin::automatic;
  bool once = false, web = false;
  int port = 0;
  double interval = 1;
};

// The fields of a run's newest output, read in the background because they may be gigabytes.
class NewestFields {
 public:
  explicit NewestFields(const WatchOptions& options)
      : folder_(options.folder), field_(options.field), origin_(options.origin) {}

  /// Starts to read if there is a newer output. Stores the fields in `state` once they are read;
  /// `wait`: waits until then.
  void update(WatchState& state, bool wait) {
    const std::vector<fs::path> files = list_step_files(folder_ / "fields");
    if (!reading_.valid() && !files.empty() && files.back() != file_) {
      file_ = files.back();
      reading_ = in_background([file = file_, field = field_, shape = state.run.shape,
                                origin = origin_] { return read(file, field, shape, origin); });
    }
    using namespace std::chrono_literals;
    if (!reading_.valid() || (!wait && reading_.wait_for(0s) != std::future_status::ready)) return;
    try {
      state.fields = reading_.get();
    } catch (const IoError& error) {  // replaced by --overwrite meanwhile, or damaged
      state.fields.clear();
      state.field_note = error.what();
    }
  }

 private:
  static std::vector<Panel> read(const fs::path& file, const std::string& field, Shape shape,
                                 Origin origin) {
    if (static_cast<double>(shape.cells()) * 8 > static_cast<double>(available_memory()) / 2)
      throw IoError("the field is too large for the memory here");
    const DrawnContent content(read_output(file));
    if (content.fields.empty()) throw IoError("{}: holds no field", file.string());
    std::vector<std::string> names = state_fields(content);
    if (!field.empty()) names = {chosen_field(content, field, file.string())};
    std::vector<Panel> panels;
    for (const std::string& name : names) {
      const ReadField read = read_field(file, name);
      panels.push_back(small_panel(name, as_view(read.values), read.shape,
                                   step_of_file_name(file.filename().string()),
                                   plot_axes(content, origin).first_row_below));
    }
    return panels;
  }

  fs::path folder_, file_;
  std::string field_;
  Origin origin_;
  std::future<std::vector<Panel>> reading_;
};

void update(WatchState& state, const WatchOptions& options) {
  state.run = read_run_view(options.folder, host_name());
  state.only = options.field;
  const std::string& status = state.run.status;
  const bool halted = status == "stopped" || status == "died";
  state.resume = halted ? "lapl resume " + shell_quoted(options.folder) : "";
}

// The members' progress; no file of outputs is opened.
SweepState sweep_state(const std::string& folder) {
  const SweepFolder sweep = read_sweep(folder);
  SweepState state{.name = fs::canonical(folder).filename().string(), .members = {}};
  const std::string host = host_name();
  for (const SweepFolder::Member& member : sweep.members) {
    state.members.push_back(read_member_status(member, host));
    state.members.back().name = sweep.values_text(member);
  }
  return state;
}

int watch_sweep(const WatchOptions& options) {
  if (!options.field.empty())
    throw ConfigError("--field {}: {} is a sweep (its members have fields: lapl watch {}/MEMBER)",
                      options.field, options.folder, options.folder);
  SweepState state = sweep_state(options.folder);  // report errors before the screen changes
  const TerminalColors colors = terminal_colors(STDOUT_FILENO);
  TerminalSize size = terminal_size(STDOUT_FILENO);
  if (options.once || !can_redraw(STDOUT_FILENO)) {
    for (const std::string& line : sweep_frame(state, size.rows - 1, size.columns, colors))
      draw(stdout, line + '\n');
    return 0;
  }
  FullScreen screen;
  do {
    state = sweep_state(options.folder);
    state.keys = "q: leave";
    size = terminal_size(STDOUT_FILENO);
    screen.draw(sweep_frame(state, size.rows, size.columns, colors));
  } while (!screen.asked_to_leave(options.interval));
  return 0;
}

int watch_once(const WatchOptions& options) {
  WatchState state;
  update(state, options);
  NewestFields(options).update(state, true);
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  for (const std::string& line :
       watch_frame(state, size.rows - 1, size.columns, terminal_colors(STDOUT_FILENO)))
    draw(stdout, line + '\n');
  return 0;
}

int watch(const WatchOptions& options) {
  WatchState state;
  state.keys = "q: leave";
  update(state, options);  // report errors before the screen changes
  const TerminalColors colors = terminal_colors(STDOUT_FILENO);
  NewestFields fields(options);
  FullScreen screen;
  do {
    update(state, options);
    fields.update(state, false);
    const TerminalSize size = terminal_size(STDOUT_FILENO);
    screen.draw(watch_frame(state, size.rows, size.columns, colors));
  } while (!screen.asked_to_leave(options.interval));
  return 0;
}

int watch_command(const WatchOptions& options) {
  if (options.web) return watch_web(options.folder, options.origin, options.port);
  if (is_sweep(options.folder)) return watch_sweep(options);
  return options.once || !can_redraw(STDOUT_FILENO) ? watch_once(options) : watch(options);
}

}  // namespace

void add_watch_command(CommandLine& line) {
  Command command = line.add("watch", "Show a running or finished run in the terminal");
  WatchOptions& options = command.calls(watch_command);
  command.positional("RUN_DIR", &options.folder, "Run folder, or folder of a sweep",
                     {.required = true});
  command.flag("--once", &options.once,
               "Print the view once and end; always so where stdout is no terminal");
  command.option("--interval SECONDS", &options.interval, "Seconds between two views; default 1",
                 {.between_reals = {{0.1, 3600.0}}});
  command.flag("--web", &options.web,
               "Serve a page to browsers on this machine instead, and print its address");
  command.option("--port N", &options.port, "Port of --web; default: any free one",
                 {.between = {{1, 65535}}});
  command.option("--field NAME", &options.field,
                 "One dataset of the outputs; default: every field that has room");
  add_origin_option(command, options.origin);
  command.footer(
      R"(Progress, speed, min, max and mean over time, and the fields of the newest output. q or
Ctrl-C leaves; the run does not notice. For a sweep: the progress of every member. Nothing
is written, and no file is opened while it is being written. NO_COLOR is honoured. Over ssh:
ssh -t HOST lapl watch RUN_DIR.

The page of --web shows progress, log and the report of the newest output, and has buttons
that store a checkpoint and that stop the run with one. No other machine reaches it, and
nobody who does not know its random address; with ssh -L PORT:127.0.0.1:PORT HOST it opens
at home.

Examples:
  lapl watch runs/tutorial
  lapl watch runs/tutorial --interval 5
  lapl watch runs/tutorial --once | head -n 3)");
}

}  // namespace lapl
