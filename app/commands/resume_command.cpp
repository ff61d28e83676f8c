// lapl resume RUN_DIR: continues a run from a checkpoint.
#include <fmt/format.h>

#include <optional>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/commands/run_ranks.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/equation_changes.hpp"
#include "kernels/error.hpp"
#include "solver/diagnostics.hpp"

namespace lapl {
namespace {

// The config in the run folder, if the log has a change of the equation at the checkpoint's step:
// the run ended before it stored a checkpoint with the new equation. Else none: the checkpoint's
// own config counts.
std::optional<LoadedConfig> changed_since(const RunFolder& folder, const CheckpointHeader& header) {
  if (!was_changed_at(equation_changes(folder), header.step)) return std::nullopt;
  return load_config(folder.config(), {});
}

}  // namespace

Job resume_job(const LoadedConfig& config, RunFolder folder, Restart restart, Console& console,
               bool change_equation) {
  CheckpointHeader& header = restart.checkpoint.header;
  const std::optional<LoadedConfig> changed = changed_since(folder, header);
  if (changed) header.equation_digest.reset();
  for (const std::string& reason : restart.rejected)
    console.note(fmt::format("checkpoint rejected: {}", reason));
  for (const std::string& problem : restart.damaged) console.warning(problem);
  const LoadedConfig& before = changed ? *changed : restart.config;
  const char* const where = changed ? "the run folder" : "the checkpoint";
  std::string change;
  if (change_equation)
    change = require_same_but_for_asked(before, where, config);
  else
    require_same_problem(before, where, config);
  if (!config.run.ends_by_time() && header.step > config.run.steps)
    throw ConfigError("time.steps: {} is before step {} of {}", config.run.steps, header.step,
                      restart.path.string());
  if (config.run.ends_by_time() && header_time(header) > *config.run.end)
    throw ConfigError("time.end: {} is before the time {} of {}", *config.run.end,
                      header_time(header), restart.path.string());
  console.note(fmt::format("going on from step {} of {}", header.step, restart.path.string()));
  // reads `before`, which is moved below
  auto moved_probes = moved_probe_columns(before.run, config.run);
  if (!change.empty()) console.note(fmt::format("changed from there on: {}", change));
  return {.config = config,
          .restart = std::move(restart),
          .folder = std::move(folder),
          .change_equation = change_equation,
          .equation_change = std::move(change),
          .after_change = changed.has_value(),
          .moved_probes = std::move(moved_probes)};
}

namespace {

struct ResumeOptions {
  std::string folder;
  std::string from;
  ConfigWords words;
  bool change_equation = false;
  int ranks = 0;
  Console::Options console;
};

// A value that has not changed keeps its origin: file, option or default.
void keep_origins(std::vector<ResolvedKey>& keys, const std::string& earlier_config) {
  for (const ResolvedKey& earlier : resolved_keys(earlier_config))
    for (ResolvedKey& key : keys)
      if (key.key == earlier.key && key.value == earlier.value) key.origin = earlier.origin;
}

int resume_command(const ResumeOptions& options) {
  if (const std::optional<int> code = done_on_ranks(options.ranks, options.console.live))
    return *code;
  RunFolder folder = RunFolder::open(options.folder);
  Console console(options.console);
  const CheckpointCheck check = check_for(folder, options.change_equation);
  Restart restart =
      options.from.empty()
          ? newest_valid_checkpoint(folder.checkpoints(), check, values_to_keep())
          : checkpoint_from(folder.checkpoints(), options.from, check, values_to_keep());
  // The folder may have been renamed, so its path replaces output.directory of the config.
  const std::vector<std::string> settings =
      options.words.all({text_setting("output.directory", options.folder)});
  const CheckpointHeader& header = restart.checkpoint.header;
  const std::optional<LoadedConfig> changed = changed_since(folder, header);
  const std::string earlier = changed ? resolved_yaml(*changed) : header.config;
  LoadedConfig config = parse_config(earlier, folder.config().string(), ".", settings);
  keep_origins(config.keys, earlier);
  if (config.run.directory != options.folder)
    throw ConfigError("--set output.directory: resume goes on in the folder that it is given");
  Job job =
      resume_job(config, std::move(folder), std::move(restart), console, options.change_equation);
  job.goes_back = !options.from.empty();
  return execute(job, console);
}

}  // namespace

void add_resume_command(CommandLine& line) {
  Command command = line.add("resume", "Continue a run from its newest valid checkpoint");
  ResumeOptions& options = command.calls(resume_command);
  command.positional("RUN_DIR", &options.folder, "Run folder", {.required = true});
  command.option("--from FILE", &options.from,
                 "Checkpoint to go back to: a step or a file. Outputs of later steps move to a "
                 "folder after-step-N");
  add_config_options(command, options.words);
  command.flag(
      "--change-equation", &options.change_equation,
      "Let --set change the equation, its parameters and time.tolerance; the log and later outputs "
      "record it");
  add_ranks_option(command, options.ranks);
  add_live_console_options(command, options.console);
  command.footer(R"(Examples:
  lapl resume runs/tutorial
  lapl resume runs/tutorial --from 7500
  lapl resume runs/tutorial --set time.steps=20000)");
}

}  // namespace lapl
