#include "app/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include "app/commands/commands.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/exit_code.hpp"
#include "app/view/console.hpp"
#include "io/run/provenance.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

int fail(int code, const std::string& message) {
  print_error(message);
  return code;
}

// Some file systems report lost bytes only when a file is closed; closing a copy of the descriptor
// suffices.
bool all_printed() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return false;
  const int copy = dup(STDOUT_FILENO);
  return copy < 0 || close(copy) == 0;
}

// Runs the command; every type of exception has its exit code.
int guarded(int argc, char** argv) try {
  const int code = command_line().parse(argc, argv)();
  if (!all_printed())  // the code of a command that failed stays
    return fail(code == exit_complete ? int{exit_io} : code, "standard output: cannot be written");
  return code;
} catch (const ConfigError& error) {
  return fail(exit_config, error.what());
} catch (const NumericalError& error) {
  return fail(exit_numerical, error.what());
} catch (const IoError& error) {
  return fail(exit_io, error.what());
} catch (const DeviceError& error) {
  return fail(exit_device, error.what());
} catch (const std::bad_alloc&) {
  return fail(exit_device, "out of host memory");
} catch (const CheckpointError& error) {
  return fail(exit_checkpoint, error.what());
} catch (const std::filesystem::filesystem_error& error) {
  const std::string path = error.path1().string();
  return fail(exit_io, fmt::format("{}: {}", path.empty() ? "current folder" : path,
                                   error.code().message()));
} catch (const std::system_error& error) {
  return fail(exit_io, error.what());
} catch (const std::exception& error) {
  return fail(exit_internal, fmt::format("internal error: {}", error.what()));
}

}  // namespace

int run_program(int argc, char** argv) {
  forget_singleton();
  remember_command_line(argc, argv);
  return leave_ranks(guarded(argc, argv));
}

}  // namespace lapl
