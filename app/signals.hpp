// SIGINT, SIGTERM, SIGUSR1, SIGHUP and SIGXCPU ask a run to stop with a checkpoint. A second signal
// ends the run at once. A signal within a second of the first counts as the same request, because
// timeout(1), schedulers and lapl sweep signal both a process and its group. SIGXCPU never counts
// as a second signal: the system repeats it every second beyond the limit. SIGUSR2 asks for a
// checkpoint, after which the run goes on.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace lapl {

inline constexpr std::array stop_signals = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGXCPU};

inline constexpr int checkpoint_signal = SIGUSR2;

/// The usual name, such as SIGTERM; "signal 85" for a signal without a name.
std::string name_of_signal(int signal);

/// Turns off core dumps and the signal of the file size limit: a write beyond the limit then fails
/// with EFBIG.
void fail_without_signals();

/// The stop signals that are handled: all, except SIGHUP if it was ignored at the start (nohup).
sigset_t heeded_stop_signals();

/// From this call on, a stop signal ends the current or the next run, and checkpoint_signal counts.
/// Ignores SIGPIPE.
void catch_stop_signals();

/// Name of the signal that asked to stop; empty if there was none.
std::string stop_signal();

/// True if checkpoint_signal came since the last call.
bool checkpoint_was_asked();

}  // namespace lapl
