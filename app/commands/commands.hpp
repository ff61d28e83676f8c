// The command line of lapl. Each command has a file, with a function that adds it: its name, its
// options, its help, and what it does.
#pragma once

#include <vector>

#include "app/cli/command_line.hpp"

namespace lapl {

AddCommand add_bench_command, add_completions_command, add_diff_command, add_export_command,
    add_filter_command, add_help_command, add_inspect_command, add_list_command, add_new_command,
    add_plan_command, add_plot_command, add_report_command, add_resume_command, add_run_command,
    add_schema_command, add_sweep_command, add_validate_command, add_verify_restart_command,
    add_watch_command;

/// All commands, in the order of the help.
inline const std::vector<CommandGroup> all_commands = {
    {"Start", {add_new_command, add_list_command, add_validate_command, add_plan_command}},
    {"Run", {add_run_command, add_resume_command, add_sweep_command}},
    {"Look",
     {add_watch_command, add_plot_command, add_report_command, add_inspect_command,
      add_export_command, add_filter_command}},
    {"Check", {add_diff_command, add_verify_restart_command, add_bench_command}},
    {"More", {add_help_command, add_completions_command, add_schema_command}},
};

/// The command line with all commands of all_commands.
CommandLine command_line();

}  // namespace lapl
