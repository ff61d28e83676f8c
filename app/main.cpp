// lapl: diffusion steps on a grid. Reads the command line, does what it says, and turns what goes
// wrong into an exit code. Start reading at run_command.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "app/commands.hpp"
#include "app/console.hpp"
#include "app/exit_code.hpp"
#include "app/provenance.hpp"
#include "app/signals.hpp"
#include "kernels/error.hpp"
#include "lapl_version.hpp"

namespace {

constexpr const char* description =
    "lapl steps the diffusion equation on a grid, on a GPU or on the CPU, from a YAML config to\n"
    "HDF5 files that h5py, xarray, ncdump and ParaView open.\n";

constexpr const char* footer = R"(Examples:
  lapl run configs/tutorial.yaml
  lapl run configs/tutorial.yaml --set time.steps=1000 --output runs/short
  lapl resume runs/tutorial --set time.steps=20000
  lapl plot runs/tutorial -o tutorial.png
  lapl inspect runs/tutorial
  lapl diff runs/tutorial runs/other --rtol 1e-6

Exit codes: 0 complete; 1 internal error; 2 usage or config; 3 unstable, not finite, or not the
same when taken again; 4 input or output; 5 device or memory; 6 checkpoint unusable; 7 diff or
verify-restart found differences; 75 stopped early, can be resumed.)";

int fail(int code, const std::string& message) {
  lapl::print_error(message);
  return code;
}

// Runs the action; every exception type has its exit code.
int guarded(const lapl::Action& action) try {
  const int code = action();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return fail(lapl::exit_io, "standard output: cannot be written");
  return code;
} catch (const lapl::ConfigError& error) {
  return fail(lapl::exit_config, error.what());
} catch (const lapl::NumericalError& error) {
  return fail(lapl::exit_numerical, error.what());
} catch (const lapl::IoError& error) {
  return fail(lapl::exit_io, error.what());
} catch (const lapl::DeviceError& error) {
  return fail(lapl::exit_device, error.what());
} catch (const std::bad_alloc&) {
  return fail(lapl::exit_device, "out of host memory");
} catch (const lapl::CheckpointError& error) {
  return fail(lapl::exit_checkpoint, error.what());
} catch (const std::system_error& error) {
  return fail(lapl::exit_io, error.what());
} catch (const std::exception& error) {
  return fail(lapl::exit_internal, fmt::format("internal error: {}", error.what()));
}

}  // namespace

int main(int argc, char** argv) try {
  lapl::remember_command_line(argc, argv);
  lapl::fail_without_signals();
  CLI::App app(description, "lapl");
  app.set_version_flag("--version", "lapl " LAPL_VERSION " (" LAPL_COMMIT ")");
  app.footer(footer);
  app.require_subcommand(1);
  lapl::Action action;
  lapl::add_run_command(app, action);
  lapl::add_resume_command(app, action);
  lapl::add_validate_command(app, action);
  lapl::add_inspect_command(app, action);
  lapl::add_diff_command(app, action);
  lapl::add_bench_command(app, action);
  lapl::add_export_command(app, action);
  lapl::add_filter_command(app, action);
  lapl::add_list_command(app, action);
  lapl::add_new_command(app, action);
  lapl::add_plan_command(app, action);
  lapl::add_plot_command(app, action);
  lapl::add_report_command(app, action);
  lapl::add_schema_command(app, action);
  lapl::add_sweep_command(app, action);
  lapl::add_verify_restart_command(app, action);
  lapl::add_watch_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(lapl::exit_config, fmt::format("{} (see lapl --help)", error.what()));
  }
  return guarded(action);
} catch (const std::bad_alloc&) {
  // Before the action, or in saying what went wrong: with words that take no memory.
  std::fputs("lapl: error: out of host memory\n", stderr);
  return lapl::exit_device;
}
