// SIGINT, SIGTERM and SIGUSR1 ask a run to stop with a checkpoint; a second one ends it at once.
#pragma once

#include <string>

namespace lapl {

void catch_stop_signals();

/// Name of the signal that asked to stop; empty while none did.
std::string stop_signal();

}  // namespace lapl
