// SIGINT, SIGTERM and SIGUSR1 ask a run to stop with a checkpoint; a second one ends it at once.
// What comes within a second of the first counts as the same request: timeout(1), schedulers and
// lapl sweep signal a process, and its whole group besides.
#pragma once

#include <string>

namespace lapl {

/// From here on what a full quota or a crash does leaves neither a signal nor a core dump behind: a
/// write beyond the file size limit fails with EFBIG.
void fail_without_signals();

/// From here on the signals above stop the run that goes on or begins; a pipe that nobody reads any
/// more does not.
void catch_stop_signals();

/// Name of the signal that asked to stop; empty while none did.
std::string stop_signal();

}  // namespace lapl
