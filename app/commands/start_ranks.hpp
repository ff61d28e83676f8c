// Ranks of this program, which a launcher of the machine's MPI starts.
#pragma once

#include <string>
#include <vector>

namespace lapl {

/// The command line that starts so many ranks of this program, up to the program itself. Throws
/// ConfigError where nothing on this machine can.
std::vector<std::string> words_of_ranks(int count);

/// Runs so many ranks with this process's own command line, and returns the exit code of the first
/// one. Throws ConfigError where they cannot be started.
int start_ranks(int count);

/// Leaves this rank's exit code for start_ranks; false where nothing waits for it.
bool tell_starter(int exit_code);

}  // namespace lapl
