// The command line of lapl. Each command has a file, with a function that adds it: its name, its
// options, its help, and what it does.
#pragma once

#include "app/cli/command_line.hpp"

namespace lapl {

using AddCommand = void(CommandLine& line);
AddCommand add_bench_command, add_completions_command, add_diff_command, add_export_command,
    add_filter_command, add_inspect_command, add_list_command, add_new_command, add_plan_command,
    add_plot_command, add_report_command, add_resume_command, add_run_command, add_schema_command,
    add_sweep_command, add_validate_command, add_verify_restart_command, add_watch_command;

/// In the order in which the help shows them.
inline constexpr AddCommand* all_commands[] = {
    add_run_command,
    add_resume_command,
    add_validate_command,
    add_inspect_command,
    add_diff_command,
    add_bench_command,
    add_completions_command,
    add_export_command,
    add_filter_command,
    add_list_command,
    add_new_command,
    add_plan_command,
    add_plot_command,
    add_report_command,
    add_schema_command,
    add_sweep_command,
    add_verify_restart_command,
    add_watch_command,
};

/// The command line with all commands of all_commands.
class LaplCommandLine : public CommandLine {
 public:
  LaplCommandLine();
};

}  // namespace lapl
