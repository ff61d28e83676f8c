// Ranks of this program, which a launcher of the machine's MPI starts.
#pragma once

#include <string>
#include <vector>

#include "app/commands/launcher.hpp"

namespace lapl {

/// The command line that starts so many ranks of this program, up to the program itself.
std::vector<std::string> words_of_ranks(const Launcher& launcher, int count);

/// Runs so many ranks with this process's own command line, and returns the exit code of the first
/// one. Throws ConfigError where they cannot be started, DeviceError where they do not meet within
/// two minutes (LAPL_RANKS_START: so many seconds).
int start_ranks(int count);

/// Called by a rank before it meets the others, and when it has.
void tell_starter_of_meeting(bool met);

/// Leaves this rank's exit code for start_ranks; false where nothing waits for it.
bool tell_starter(int exit_code);

}  // namespace lapl
