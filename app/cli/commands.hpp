// One function a command: it adds the command, its options and its help to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/view/console.hpp"

namespace lapl {

/// The command line of lapl: `action` becomes what the command on it does.
void add_commands(CLI::App& app, Action& action);

/// --set KEY=VALUE, repeatable.
void add_set_option(CLI::App& command, std::vector<std::string>& settings);

/// --backend; empty where it is not given.
void add_backend_option(CLI::App& command, std::string& backend);

/// --quiet and --json.
void add_console_options(CLI::App& command, Console::Options& options);

/// --live, after add_console_options.
void add_live_option(CLI::App& command, Console::Options& options);

void add_run_command(CLI::App& app, Action& action);
void add_resume_command(CLI::App& app, Action& action);
void add_validate_command(CLI::App& app, Action& action);
void add_inspect_command(CLI::App& app, Action& action);
/// completions, and the hidden complete.
void add_completions_command(CLI::App& app, Action& action);
void add_diff_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_filter_command(CLI::App& app, Action& action);
void add_list_command(CLI::App& app, Action& action);
void add_new_command(CLI::App& app, Action& action);
void add_plan_command(CLI::App& app, Action& action);
void add_plot_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_schema_command(CLI::App& app, Action& action);
void add_sweep_command(CLI::App& app, Action& action);
void add_verify_restart_command(CLI::App& app, Action& action);
void add_watch_command(CLI::App& app, Action& action);

}  // namespace lapl
