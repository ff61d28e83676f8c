// Tests on several ranks: mpirun -n N lapl_test_ranks. Every rank runs every test case, and all end
// with exit code 1 if one of them fails.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "kernels/backend.hpp"
#include "tests/ranks/ranks.hpp"

namespace lapl::test {

Ranks& ranks() {
  static const std::unique_ptr<Ranks> all = all_ranks();
  return *all;
}

}  // namespace lapl::test

int main(int argc, char** argv) {
  setenv("XDG_CACHE_HOME", LAPL_TEST_CACHE, 1);
  lapl::Ranks& ranks = lapl::test::ranks();
  lapl::choose_device(ranks.index_on_this_machine());
  doctest::Context context(argc, argv);
  if (!ranks.is_first()) context.setOption("minimal", true);
  const bool failed = ranks.any(context.run() != 0);
  lapl::leave_all_ranks();
  return failed ? 1 : 0;
}
