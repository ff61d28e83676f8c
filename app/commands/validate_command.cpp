// lapl validate CONFIG: reports the mistakes in a config, or prints it with all defaults.
#include <fmt/format.h>

#include <sstream>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/exit_code.hpp"
#include "app/view/console.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config.hpp"
#include "io/filters/filter_source.hpp"
#include "io/json.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/condition_watch.hpp"
#include "solver/initial_field.hpp"

namespace lapl {
namespace {

struct ValidateOptions {
  std::string config;
  std::vector<std::string> settings;
  bool quiet = false, json = false;
};

// Prints what --json asks for: "valid", and a list of texts of each kind.
void print_verdict(bool valid, const RecordNotes& mistakes, const RecordNotes& warnings = {},
                   const RecordNotes& notes = {}) {
  print_text(
      "{}\n",
      json_text(
          {{"valid", valid}, {"mistakes", mistakes}, {"warnings", warnings}, {"notes", notes}}, 2));
}

int check(const ValidateOptions& options) {
  const LoadedConfig config = load_config(options.config, options.settings);
  RunConfig looked_at = config.run;
  const std::string mask_note = resolve_mask(looked_at);
  load_filters(config.run);
  // Verifies that the files named in the config exist and fit the grid.
  RecordNotes notes = {config.step_note, mask_note};
  StateFields fields = load_state_fields(config.run, &notes);
  const std::string of_conditions =
      condition_warning(config.run, config.system, fields.coefficients, fields.whole);
  if (!config.run.equation.solves.empty())  // solves, which finds what only values show
    initial_state<double>(config.run, fields.coefficients, fields.whole, only_rank(),
                          RowRange::all(config.run.shape));
  const StableStep stable =
      find_stable_step(config.run, config.system, [&] { return std::move(fields); });
  if (const std::string why = why_no_step(config.run, stable); !why.empty())
    throw ConfigError("{}", why);
  RecordNotes warnings = {step_warning(config.run, config.system, stable), of_conditions};
  const TimeScheme scheme = config.run.scheme;
  notes.push_back(note_on_fluxes(looked_at));
  notes.push_back(
      fmt::format("largest stable step{}: {}",
                  scheme.kind == Scheme::rkl2 ? fmt::format(" with {} stages", *scheme.stages) : "",
                  stable_step_text(config.run, stable)));
  for (RecordNotes* const texts : {&notes, &warnings}) std::erase(*texts, "");
  if (options.json) {
    print_verdict(true, {}, warnings, notes);
  } else if (!options.quiet) {
    print_text("{}", resolved_yaml(config));
    for (const std::string& warning : warnings) print_warning(warning);
    for (const std::string& note : notes) print_note(note);
    print_note(options.config + ": valid");
  }
  return 0;
}

// With --json, mistakes go to stdout, a text each.
int validate_command(const ValidateOptions& options) try {
  return check(options);
} catch (const ConfigError& error) {
  if (!options.json) throw;
  RecordNotes mistakes;
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);) mistakes.push_back(line);
  print_verdict(false, mistakes);
  return exit_config;
}

}  // namespace

void add_validate_command(CommandLine& line) {
  Command command =
      line.add("validate", "Report every mistake in a config, or print it with all defaults");
  ValidateOptions& options = command.calls(validate_command);
  command.positional("CONFIG", &options.config, "YAML run config; - is standard input",
                     {.required = true});
  add_set_option(command, options.settings);
  add_quiet_option(command, options.quiet);
  command.flag("--json", &options.json, "Print the mistakes, warnings and notes as JSON",
               {.excludes = {"--quiet"}});
  command.footer(R"(Examples:
  lapl validate configs/tutorial.yaml
  lapl validate configs/tutorial.yaml --json
  lapl validate configs/tutorial.yaml --set boundary=periodic > resolved.yaml

The config goes to standard output, the largest stable step to standard error.)");
}

}  // namespace lapl
