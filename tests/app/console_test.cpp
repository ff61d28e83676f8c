// The lines that a run prints, in terminals of any width.
#include <doctest/doctest.h>

#include <sstream>

#include "app/view/console_lines.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::has;

namespace {

const Progress far{.step = 123456789,
                   .last_step = 1000000000,
                   .cells_per_second = 123.4567e6,
                   .seconds_left = 3 * 3600 + 2 * 60};
StoredEvent stored() {
  StoredEvent event;
  event.step = 123456789;
  event.time = 30864197.25;
  event.fields = {{"field", {-1.23456789e-5, 1.23456789e-5, -1.23456789e-10, 0, 0}, {}}};
  event.digest = 0x0123456789abcdef;
  return event;
}

}  // namespace

TEST_CASE("console: the progress bar fits, and says what there is room for") {
  for (int columns = 1; columns <= 200; ++columns) {
    CAPTURE(columns);
    const std::string line = progress_line(far, columns);
    CHECK(line.size() <= static_cast<std::size_t>(columns > 1 ? columns - 1 : 1));
    CHECK(has(line, " left") == (columns > 20));
    CHECK(has(line, "%") == (columns > 4));
  }
  CHECK(progress_line(far, 80).starts_with("[="));
  CHECK(
      has(progress_line(far, 80), "step 123456789 of 1000000000  123.5 MCells/s  3 h 2 min left"));
  CHECK(progress_line(far, 200).size() <= 100);
}

TEST_CASE("console: several fields are in one line, which fits") {
  StoredEvent event = stored();
  event.fields = {{"u", {0.25, 1, 0.5, 0, 0}, {}}, {"v", {0, 0.125, 0.0625, 0, 0}, {}}};
  CHECK(output_line(event, 0) ==
        "step 123456789  time 3.08642e+07 u 0.25 to 1  v 0 to 0.125  digest 0x0123456789abcdef");
  CHECK(output_line(event, 60) == "step 123456789  time 3.08642e+07 digest 0x0123456789abcdef");
  for (int columns = 1; columns <= 200; ++columns)
    CHECK(output_line(event, columns).size() <= static_cast<std::size_t>(columns));
}

TEST_CASE("console: output lines fit, with all digits where there is room for them") {
  const std::string full = output_line(stored(), 0);
  CHECK(full == output_line(stored(), 200));
  CHECK(has(full, "min -1.23457e-05"));
  for (int columns = 1; columns <= 200; ++columns) {
    CAPTURE(columns);
    CHECK(output_line(stored(), columns).size() <= static_cast<std::size_t>(columns));
  }
  const std::string usual = output_line(stored(), 80);
  CHECK(has(usual,
            "step 123456789  min -1.235e-05 max 1.235e-05 mean -1.235e-10 0x0123456789abcdef"));
  CHECK(output_line(stored(), 60) ==
        "step 123456789  min -1.235e-05 max 1.235e-05 mean -1.235e-10");
}

TEST_CASE("console: messages are broken at spaces to fit the terminal") {
  CHECK(folded("lapl: short\n", 40) == "lapl: short\n");
  CHECK(folded("lapl: error: c.yaml: found this\n", 20) == "lapl: error: c.yaml:\n  found this\n");
  CHECK(folded("a-word-that-is-too-long\n", 10) == "a-word-that-is-too-long\n");
  CHECK(folded("  code that stays as it is\n     ^\n", 10) ==
        "  code that stays as it is\n     ^\n");
  const std::string message(
      "lapl: error: the rate of u at row 0, column 3 is not finite at the initial state (expected "
      "finite rates; x is 0 there, and grid.origin can move the nodes)\n");
  for (int columns = 20; columns < 200; ++columns) {
    std::istringstream lines(folded(message, columns));
    std::string joined;
    for (std::string line; std::getline(lines, line);) {
      CHECK(line.size() <= static_cast<std::size_t>(columns));
      joined += joined.empty() ? line : line.substr(1);
    }
    CHECK(joined + '\n' == message);
  }
}
