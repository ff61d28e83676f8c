#pragma once

namespace lapl {

/// Returns `wanted`, or fewer if a limit on processes, which also counts threads (ulimit -u, or a
/// container's), allows fewer at present, this one included. OpenMP would end the process if it
/// could not start one.
int startable_threads(int wanted);

}  // namespace lapl
