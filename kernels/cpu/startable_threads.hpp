#pragma once

namespace lapl {

/// The number of threads, at most `wanted`, that can exist now, the caller included. A limit on
/// processes (ulimit -u, or a container's) also counts threads, and OpenMP ends the process if it
/// cannot start one.
int startable_threads(int wanted);

}  // namespace lapl
