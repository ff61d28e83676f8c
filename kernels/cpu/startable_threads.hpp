// How many threads there may be: a limit on processes (ulimit -u, a container's) counts them too.
#pragma once

namespace lapl {

/// `wanted`, or as many threads, this one included, as can be started at present: OpenMP ends the
/// process where it cannot start one.
int startable_threads(int wanted);

}  // namespace lapl
