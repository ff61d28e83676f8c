// The exit codes of lapl; the README lists them.
#pragma once

namespace lapl {

enum ExitCode : int {
  exit_complete = 0,
  exit_internal = 1,
  exit_config = 2,
  exit_numerical = 3,
  exit_io = 4,
  exit_device = 5,
  exit_checkpoint = 6,
  exit_different = 7,
  exit_stopped_early = 75,
};

constexpr bool is_exit_code(int code) {
  return (code >= exit_complete && code <= exit_different) || code == exit_stopped_early;
}

}  // namespace lapl
