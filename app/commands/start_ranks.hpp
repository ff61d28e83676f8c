// Starts ranks of this program with the launcher of the MPI library.
#pragma once

#include <string>
#include <vector>

#include "app/commands/launcher.hpp"

namespace lapl {

/// The command line that starts `count` ranks of this program, without this program's arguments.
std::vector<std::string> words_of_ranks(const Launcher& launcher, int count);

/// Runs `count` ranks with the arguments of this process and returns the exit code of the first
/// rank. Throws ConfigError if they cannot be started, DeviceError if they do not meet within two
/// minutes (LAPL_RANKS_START: the limit in seconds).
int start_ranks(int count);

/// A rank calls it with false before it meets the others, and with true afterwards.
void tell_starter_of_meeting(bool met);

/// Leaves the exit code of this rank for start_ranks; false if start_ranks did not start it.
bool tell_starter(int exit_code);

}  // namespace lapl
