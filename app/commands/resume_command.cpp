// lapl resume RUN_DIR: continues a run from a checkpoint.
#include <fmt/format.h>

#include <optional>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/commands/run_ranks.hpp"
#include "io/config/config_text.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/run_changes.hpp"
#include "kernels/error.hpp"
#include "solver/diagnostics.hpp"

namespace lapl {
namespace {

// The config in the run folder, if the log has a change at the checkpoint's step: the run ended
// before it stored a checkpoint with the new config. Else none: the checkpoint's
// own config counts.
std::optional<LoadedConfig> changed_since(const RunFolder& folder, const CheckpointHeader& header) {
  if (!was_changed_at(run_changes(folder), header.step)) return std::nullopt;
  return load_config(folder.config(), {});
}

}  // namespace

Job resume_job(const LoadedConfig& config, RunFolder folder, Restart restart, Console& console,
               const Permissions& allowed) {
  CheckpointHeader& header = restart.checkpoint.header;
  const std::optional<LoadedConfig> changed = changed_since(folder, header);
  if (changed) header.equation_digest.reset();
  for (const std::string& reason : restart.rejected)
    console.note(fmt::format("checkpoint rejected: {}", reason));
  for (const std::string& problem : restart.damaged) console.warning(problem);
  const LoadedConfig& before = changed ? *changed : restart.config;
  const char* const where = changed ? "the run folder" : "the checkpoint";
  PermittedChanges changes = require_permitted(before, where, config, allowed);
  if (const auto& since = config.run.since;
      since &&
      (!before.run.since || since->step != before.run.since->step ||
       since->time != before.run.since->time) &&
      (since->step != header.step || since->time != header_time(header)))
    throw ConfigError(
        "time.since: found {{step: {}, time: {}}} (expected the step {} and the time {} of {})",
        since->step, since->time, header.step, header_time(header), restart.path.string());
  if (!config.run.ends_by_time() && header.step > config.run.steps)
    throw ConfigError("time.steps: {} is before step {} of {}", config.run.steps, header.step,
                      restart.path.string());
  if (config.run.ends_by_time() && header_time(header) > *config.run.end)
    throw ConfigError("time.end: {} is before the time {} of {}", *config.run.end,
                      header_time(header), restart.path.string());
  console.note(fmt::format("going on from step {} of {}", header.step, restart.path.string()));
  // reads `before`, which is moved below
  auto moved_probes = moved_probe_columns(before.run, config.run);
  for (const std::string& change : {changes.of_problem, changes.of_outputs})
    if (!change.empty()) console.note(fmt::format("changed from there on: {}", change));
  return {.config = config,
          .restart = std::move(restart),
          .folder = std::move(folder),
          .allowed = allowed,
          .changes = std::move(changes),
          .after_change = changed.has_value(),
          .moved_probes = std::move(moved_probes)};
}

namespace {

struct ResumeOptions {
  std::string folder;
  std::string from;
  ConfigWords words;
  std::string change;
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

// The config with these settings. Steps that get another size are counted from the checkpoint on.
LoadedConfig changed_config(const std::string& earlier, const RunFolder& folder,
                            const std::vector<std::string>& settings, const RunConfig& before,
                            const CheckpointHeader& header, const Permissions& allowed) {
  const auto with = [&](const std::vector<std::string>& all) {
    return parse_config(earlier, folder.config().string(), ".", all);
  };
  if (allowed.contains(Permission::step)) {
    std::vector<std::string> anew = settings;
    anew.push_back(
        fmt::format("time.since={{step: {}, time: {}}}", header.step, header_time(header)));
    if (LoadedConfig config = with(anew); counts_anew(before, config.run)) return config;
  }
  return with(settings);
}

int resume_command(const ResumeOptions& options) {
  if (const std::optional<int> code = done_on_ranks(options.ranks, options.console.live))
    return *code;
  RunFolder folder = RunFolder::open(options.folder);
  Console console(options.console);
  Permissions allowed = permissions_in(options.change);
  if (options.change_equation) allowed.insert({Permission::equation, Permission::tolerance});
  const CheckpointCheck check = check_for(folder, allowed);
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
  LoadedConfig config = changed_config(
      earlier, folder, settings, changed ? changed->run : restart.config.run, header, allowed);
  keep_origins(config.keys, earlier);
  if (config.run.directory != options.folder)
    throw ConfigError("--set output.directory: resume goes on in the folder that it is given");
  Job job = resume_job(config, std::move(folder), std::move(restart), console, allowed);
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
  command.option(
      "--change LIST", &options.change,
      fmt::format("Let --set change keys that a restart keeps: {}, or a list with commas. "
                  "run.json, the log and later outputs record each change",
                  alternatives(names_in(name_table<Permission>))));
  command.flag("--change-equation", &options.change_equation,
               "The same as --change equation,tolerance");
  add_ranks_option(command, options.ranks);
  add_live_console_options(command, options.console);
  command.footer(R"(Examples:
  lapl resume runs/tutorial
  lapl resume runs/tutorial --from 7500
  lapl resume runs/tutorial --set time.steps=20000
  lapl resume runs/tutorial --change output --set output.every=500)");
}

}  // namespace lapl
