// lapl sweep CONFIG
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/exit_code.hpp"
#include "app/sweep/sweep_processes.hpp"
#include "app/sweep/sweep_summary.hpp"
#include "io/config/config.hpp"
#include "io/durable/durable_file.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct SweepWords {
  std::string config;
  std::string output;
  ConfigWords words;
  std::string jobs = "auto";
  bool auto_resume = false;
  Console::Options console;
};

// 75 where something is left to go on with; else the code of the first member that failed.
int exit_code_of(const Json& rows, const std::string& stopped_by) {
  int code = exit_complete;
  for (const Json& row : rows) {
    if (!stopped_by.empty() || row["exit_code"] == int{exit_stopped_early})
      return exit_stopped_early;
    if (code == exit_complete) code = row["exit_code"].get<int>();
  }
  return code;
}

int sweep_command(const SweepWords& options) {
  const fs::path folder =
      options.output.empty()
          ? fs::path("runs") / (fs::path(options.config).stem().string() + "-sweep")
          : fs::path(options.output);
  if (RunFolder::holds_run(folder))
    throw ConfigError(
        "{}: is a run folder (expected one for the run folders of a sweep: give another --output)",
        folder.string());
  const std::string text = read_config_text(options.config);
  const std::vector<SweepMember> members =
      sweep_members(options.config, text, options.words.all(), folder, options.auto_resume);
  const std::vector<std::string> results = result_columns(members);
  fs::create_directories(folder);

  Console console(options.console);
  Json rows = Json::array();
  std::size_t ended = 0;
  for (const SweepMember& member : members) {
    rows.push_back(
        summary_row(member, results, member.complete ? std::optional(MemberEnd{}) : std::nullopt));
    if (member.complete) ++ended;
  }
  console.note(fmt::format("{} members{}, run folders below {}", members.size(),
                           ended > 0 ? fmt::format(", {} complete already", ended) : "",
                           folder.string()));
  const std::string stopped_by =
      run_members(members,
                  {.config = options.config,
                   .text = text,
                   .jobs = options.jobs == "auto" ? 0 : std::stoi(options.jobs),
                   .go_on = options.auto_resume},
                  [&](const SweepMember& member, const MemberEnd& end) {
                    Json& row = rows[&member - members.data()];
                    row = summary_row(member, results, end);
                    if (options.console.quiet && !end.error.empty())  // no table says it
                      print_error(fmt::format("{}: {}", member.name, end.error));
                    console.note(fmt::format("{} of {}: {} {}", ++ended, members.size(),
                                             member.name, row["status"].get<std::string>()));
                  });
  if (!stopped_by.empty())
    console.note(
        fmt::format("stopped by {}; the same command with --auto-resume goes on", stopped_by));
  console.summary(summary_table(rows), rows);
  replace_file(folder / "summary.csv", summary_csv(rows));
  return exit_code_of(rows, stopped_by);
}

}  // namespace

void add_sweep_command(CommandLine& line) {
  Command command =
      line.add("sweep", "Run a config with every combination of some values, side by side");
  SweepWords& options = command.calls(sweep_command);
  command.positional("CONFIG", &options.config, "YAML run config", {.required = true});
  command.option("--output DIR", &options.output,
                 "Folder for the run folders (runs/<config name>-sweep)");
  command.option("--set KEY=VALUES", &options.words.settings,
                 "The values to combine, with commas between them, or one for all (repeatable)",
                 {.values = 1, .repeatable = true});
  command.option("--backend NAMES", &options.words.backend, "auto, cuda or cpu (compute.backend)");
  command.option("--jobs", &options.jobs,
                 "Members at once, at most; auto: as many as cores and memory allow",
                 {.one_of = {"auto"}, .between = {{1, 1024}}});
  command.flag("--auto-resume", &options.auto_resume,
               "Go on with a sweep: members that are complete are left as they are");
  add_console_options(command, options.console);
  command.footer(
      R"(Each member has a folder such as coefficient-0.05_seed-1. One that fails does not stop the
others. The table at the end is in summary.csv too. Exit code 75 where members were stopped
early, else that of the first one that failed.

Examples:
  lapl sweep configs/tutorial-small.yaml --set equation.coefficient=0.05,0.1,0.2
  lapl sweep tutorial.yaml --output seeds --set initial.seed=1,2
  lapl sweep tutorial.yaml --output seeds --set initial.seed=1,2,3 --auto-resume)");
}

}  // namespace lapl
