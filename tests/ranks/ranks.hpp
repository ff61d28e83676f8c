// The ranks of this test program.
#pragma once

#include "kernels/ranks/ranks.hpp"

namespace lapl::test {

Ranks& ranks();

}  // namespace lapl::test
