// What this machine's processor can do at most.
#pragma once

#include "kernels/ceilings.hpp"

namespace lapl {

/// Of so many threads, for values of T.
template <class T>
Ceilings host_ceilings(int threads);

}  // namespace lapl
