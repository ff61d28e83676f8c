// lapl run CONFIG: runs a config from its initial field, or continues its run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/commands/run_from.hpp"
#include "app/commands/run_ranks.hpp"
#include "io/run/config_changes.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

struct RunOptions {
  std::string config;
  std::string from, interpolate;
  std::string output;
  ConfigWords words;
  bool auto_resume = false;
  bool overwrite = false;
  int ranks = 0;
  Console::Options console;
};

// The job that continues the run that --auto-resume finds in the folder. The folder stays locked.
Job resume_or_start(const LoadedConfig& config, Console& console) {
  RunFolder folder = RunFolder::open(config.run.directory);
  if (list_checkpoints(folder.checkpoints()).empty()) {
    // A run that ended before its first checkpoint loses nothing if it starts again. A run with
    // later outputs would lose them.
    const auto outputs = list_step_files(folder.fields());
    if (!outputs.empty() && step_of_file_name(outputs.back().filename().string()) > 0)
      throw CheckpointError("{}: outputs but no checkpoint to go on from", folder.path().string());
    console.note(
        fmt::format("{}: no checkpoint yet, starting from step 0", folder.path().string()));
    return {.config = config, .folder = std::move(folder)};
  }
  const CheckpointCheck check = check_for(folder);
  require_same_problem(load_config(folder.config(), {}), "the run folder", config);
  Restart restart = newest_valid_checkpoint(folder.checkpoints(), check, values_to_keep());
  return resume_job(config, std::move(folder), std::move(restart), console);
}

int run_command(const RunOptions& options) {
  if (const std::optional<int> code = done_on_ranks(options.ranks, options.console.live))
    return *code;
  std::vector<std::string> settings = options.words.all();
  if (!options.output.empty()) settings.push_back(text_setting("output.directory", options.output));
  const std::filesystem::path path = options.config;
  if (!options.interpolate.empty() && options.from.empty())
    throw ConfigError("--interpolate {}: given without --from", options.interpolate);
  const std::string text =
      checked_config_text == nullptr ? read_config_text(path) : *checked_config_text;
  RunOrigin origin;
  if (!options.from.empty()) {
    origin = run_origin(
        options.from, options.interpolate == "cubic" ? Interpolation::cubic : Interpolation::linear,
        text, path.string(), settings);
    std::ranges::copy(origin.settings, std::back_inserter(settings));
  }
  const LoadedConfig config = parse_config(text, path.string(), path.parent_path(), settings);
  Console console(options.console);
  if (options.auto_resume && RunFolder::has_run(config.run.directory))
    return execute(resume_or_start(config, console), console);
  for (const std::string& note : origin.notes) console.note(note);
  return execute({.config = config,
                  .origin = origin.text,
                  .existing = options.overwrite ? RunFolder::Existing::overwrite
                                                : RunFolder::Existing::refuse},
                 console);
}

}  // namespace

const std::string* checked_config_text = nullptr;
std::string swept_values;

void add_run_command(CommandLine& line) {
  Command command = line.add("run", "Run a config from its initial field to the end");
  RunOptions& options = command.calls(run_command);
  command.positional("CONFIG", &options.config, "YAML run config; - is standard input",
                     {.required = true});
  command.option("--from RUN@TIME", &options.from,
                 "Start from the fields and the time of an output of another run: its folder, or a "
                 "file of outputs. Without @TIME, or with @last, the last output");
  command.option("--interpolate METHOD", &options.interpolate,
                 "With --from, how values of a coarser grid are interpolated: linear (the default) "
                 "or cubic. Those of a finer grid are averaged",
                 {.one_of = {"linear", "cubic"}});
  command.option("--output DIR", &options.output, "Run folder (output.directory)");
  add_config_options(command, options.words);
  command.flag("--auto-resume", &options.auto_resume,
               "If the run folder contains a run, continue it");
  command.flag("--overwrite", &options.overwrite, "Replace the run in the run folder",
               {.excludes = {"--auto-resume"}});
  add_ranks_option(command, options.ranks);
  add_live_console_options(command, options.console);
  command.footer(R"(Examples:
  lapl run configs/tutorial.yaml
  lapl run configs/tutorial.yaml --set time.steps=1000 --output runs/short
  lapl run configs/tutorial.yaml --auto-resume --quiet
  lapl run configs/tutorial.yaml --from runs/short --output runs/further

`lapl help config` has the keys of a config.)");
}

}  // namespace lapl
