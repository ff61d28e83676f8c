// SIGINT, SIGTERM, SIGUSR1, SIGHUP and SIGXCPU ask a run to stop with a checkpoint; a second one
// ends it at once. A signal within a second of the first counts as the same request: timeout(1),
// schedulers and lapl sweep signal a process, and its whole group besides. SIGXCPU never is a
// second one: the system repeats it for every second beyond the limit.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace lapl {

inline constexpr std::array stop_signals = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU};

/// As people write it, such as SIGTERM; one that has no name as "signal 85".
std::string name_of_signal(int signal);

/// From here on what a full quota or a crash does leaves neither a signal nor a core dump behind: a
/// write beyond the file size limit fails with EFBIG.
void fail_without_signals();

/// The signals above that are heeded: not SIGHUP where it was ignored (nohup).
sigset_t heeded_stop_signals();

/// From here on the signals above stop the run that goes on or begins; a pipe that nobody reads any
/// more does not, nor a signal that is not heeded.
void catch_stop_signals();

/// Name of the signal that asked to stop; empty while none did.
std::string stop_signal();

}  // namespace lapl
