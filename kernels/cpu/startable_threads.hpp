// The number of threads that can be started. A limit on processes (ulimit -u, or a container's)
// also counts threads.
#pragma once

namespace lapl {

/// Returns `wanted`, or fewer if fewer threads, this one included, can be started now. OpenMP would
/// end the process if it failed to start one.
int startable_threads(int wanted);

}  // namespace lapl
