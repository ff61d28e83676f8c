// lapl resume RUN_DIR
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/signals.hpp"
#include "kernels/error.hpp"

namespace lapl {

Job resume_job(const LoadedConfig& config, RunFolder folder, Restart restart, Console& console) {
  for (const std::string& reason : restart.rejected)
    console.note(fmt::format("checkpoint rejected: {}", reason));
  for (const std::string& problem : restart.damaged) console.warning(problem);
  const CheckpointHeader& header = restart.checkpoint.header;
  require_same_problem(parse_config(header.config, restart.path.string(), ".", {}),
                       "the checkpoint", config);
  if (header.step > config.run.steps)
    throw ConfigError(fmt::format("time.steps: {} is before step {} of {}", config.run.steps,
                                  header.step, restart.path.string()));
  console.note(fmt::format("going on from step {} of {}", header.step, restart.path.string()));
  return {.config = config, .restart = std::move(restart), .folder = std::move(folder)};
}

namespace {

struct ResumeOptions {
  std::string folder;
  std::string from;
  std::vector<std::string> settings;
  std::string backend;
  Console::Options console;
};

// What has not changed since the run began still comes from where it came from then.
void keep_origins(std::vector<ResolvedKey>& keys, const std::string& earlier_config) {
  for (const ResolvedKey& earlier : resolved_keys(earlier_config))
    for (ResolvedKey& key : keys)
      if (key.key == earlier.key && key.value == earlier.value) key.origin = earlier.origin;
}

int resume_command(const ResumeOptions& options) {
  catch_stop_signals();
  RunFolder folder = RunFolder::open(options.folder);
  Console console(options.console);
  const CheckpointCheck check = check_for(folder);
  Restart restart = options.from.empty()
                        ? newest_valid_checkpoint(folder.checkpoints(), check)
                        : checkpoint_from(folder.checkpoints(), options.from, check);
  // The folder may have been moved since, so its own name goes before what the config says.
  std::vector<std::string> settings = {text_setting("output.directory", options.folder)};
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  if (!options.backend.empty()) settings.push_back("compute.backend=" + options.backend);
  const std::string& earlier = restart.checkpoint.header.config;
  LoadedConfig config = parse_config(earlier, folder.config().string(), ".", settings);
  keep_origins(config.keys, earlier);
  if (config.run.directory != options.folder)
    throw ConfigError("--set output.directory: resume goes on in the folder that it is given");
  const Job job = resume_job(config, std::move(folder), std::move(restart), console);
  if (!options.from.empty())
    if (const auto aside = job.folder->set_aside_after(job.restart->checkpoint.header.step);
        !aside.empty())
      console.note(
          fmt::format("what the run had stored of later steps is in {} now", aside.string()));
  return execute(job, console);
}

}  // namespace

void add_resume_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("resume", "Go on with a run from its newest valid checkpoint");
  const auto options = std::make_shared<ResumeOptions>();
  command->add_option("RUN_DIR", options->folder, "Run folder")->required();
  command
      ->add_option("--from", options->from,
                   "Checkpoint to go back to: a step, or a file; what the run has of later steps "
                   "is kept in a "
                   "folder after-step-N")
      ->type_name("FILE");
  add_set_option(*command, options->settings);
  add_backend_option(*command, options->backend);
  add_console_options(*command, options->console);
  add_live_option(*command, options->console);
  command->footer(
      "Examples:\n"
      "  lapl resume runs/tutorial\n"
      "  lapl resume runs/tutorial --from 7500\n"
      "  lapl resume runs/tutorial --set time.steps=20000");
  command->callback(
      [options, &action] { action = [options] { return resume_command(*options); }; });
}

}  // namespace lapl
