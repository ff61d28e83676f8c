// Runs the test cases that the command line selects. Fails if it selects none, so that a wrong name
// in ctest cannot pass. Exit code 77, which ctest shows as skipped, if a test case printed
// "skipped: ..." and none failed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int started = 0;
bool skipped = false;

struct Counter final : doctest::IReporter {
  explicit Counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override { ++started; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData& message) override {
    skipped = skipped || std::string_view(message.m_string.c_str()).starts_with("skipped: ");
  }
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

int main(int argc, char** argv) {
  setenv("XDG_CACHE_HOME", LAPL_TEST_CACHE, 1);
  doctest::Context context(argc, argv);
  const int code = context.run();
  if (context.shouldExit() || started > 0) return code == 0 && skipped ? 77 : code;
  std::puts("no test case of that name");
  return 1;
}
