// lapl run CONFIG
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/signals.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

struct RunOptions {
  std::string config;
  std::string output;
  std::vector<std::string> settings;
  std::string backend;
  bool auto_resume = false;
  bool overwrite = false;
  Console::Options console;
};

// What --auto-resume finds in the run folder, which nobody else changes from then on.
Job resume_or_start(const LoadedConfig& config, Console& console) {
  RunFolder folder = RunFolder::open(config.run.directory);
  if (list_checkpoints(folder.checkpoints()).empty()) {
    // A run that ended before its first checkpoint loses nothing by starting anew; one that has
    // come further, and whose checkpoints are gone, does.
    const auto outputs = list_step_files(folder.fields());
    if (!outputs.empty() && step_of_file_name(outputs.back().filename().string()) > 0)
      throw CheckpointError(
          fmt::format("{}: outputs but no checkpoint to go on from", folder.path().string()));
    console.note(
        fmt::format("{}: no checkpoint yet, starting from step 0", folder.path().string()));
    return {.config = config, .folder = std::move(folder)};
  }
  const CheckpointCheck check = check_for(folder);
  require_same_problem(load_config(folder.config(), {}), "the run folder", config);
  Restart restart = newest_valid_checkpoint(folder.checkpoints(), check);
  return resume_job(config, std::move(folder), std::move(restart), console);
}

int run_command(const RunOptions& options) {
  catch_stop_signals();
  std::vector<std::string> settings = options.settings;
  if (!options.output.empty()) settings.push_back(text_setting("output.directory", options.output));
  if (!options.backend.empty()) settings.push_back("compute.backend=" + options.backend);
  const LoadedConfig config = load_config(options.config, settings);
  Console console(options.console);
  if (options.auto_resume && RunFolder::holds_run(config.run.directory))
    return execute(resume_or_start(config, console), console);
  return execute({.config = config,
                  .existing = options.overwrite ? RunFolder::Existing::overwrite
                                                : RunFolder::Existing::refuse},
                 console);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Run a config from its initial field to the end");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("CONFIG", options->config, "YAML run config")->required();
  command->add_option("--output", options->output, "Run folder (output.directory)")
      ->type_name("DIR");
  add_set_option(*command, options->settings);
  add_backend_option(*command, options->backend);
  CLI::Option* resume = command->add_flag("--auto-resume", options->auto_resume,
                                          "Go on with the run folder where it holds a run");
  command->add_flag("--overwrite", options->overwrite, "Replace the run in the run folder")
      ->excludes(resume);
  add_console_options(*command, options->console);
  add_live_option(*command, options->console);
  command->footer(
      "Examples:\n"
      "  lapl run configs/tutorial.yaml\n"
      "  lapl run configs/tutorial.yaml --set time.steps=1000 --output runs/short\n"
      "  lapl run configs/tutorial.yaml --auto-resume --quiet\n\n"
      "Config keys, in the file or after --set:\n" +
      config_key_help());
  command->callback([options, &action] { action = [options] { return run_command(*options); }; });
}

}  // namespace lapl
