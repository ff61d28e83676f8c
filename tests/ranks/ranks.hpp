// The ranks of this run of the tests.
#pragma once

#include "kernels/ranks/ranks.hpp"

namespace lapl::test {

Ranks& ranks();

}  // namespace lapl::test
