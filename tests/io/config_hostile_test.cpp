// Texts that want to break the reader: each is refused with a message, none crashes it.
#include <cstddef>

#include "config_helpers.hpp"
#include "io/config/yaml_tree.hpp"

namespace lapl {
namespace {

std::string repeated(const std::string& piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST_CASE("a config has at most 1 MiB") {
  std::string text = smallest_config;
  text += '#' + std::string(yaml_size_limit - text.size() - 2, 'x') + '\n';
  REQUIRE(text.size() == yaml_size_limit);
  CHECK(mistakes_in(text) == "accepted");
  CHECK(mistakes_in(text + ' ') == "bad.yaml:1:1: found more than 1 MiB (expected at most that)");
  CHECK_THROWS_AS(load_config("/dev/zero", {}), IoError);  // has no end
}

TEST_CASE("deep nesting is refused") {
  for (const std::string piece : {"[", "{a: ", "- ", "? ", "[\n"}) {
    CAPTURE(piece);
    CHECK(mistakes_in(repeated(piece, 100000)).ends_with(": nested too deep (at most 16 levels)"));
  }
  CHECK(mistakes_in(smallest_config, {"grid.shape=" + repeated("[", 100000)})
            .ends_with(": grid.shape: nested too deep (at most 16 levels)"));
}

TEST_CASE("aliases are not followed") {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string last = std::string("*") + static_cast<char>(name - 1);
    bomb += std::string(1, name) + ": &" + name + " [" + last + repeated(", " + last, 8) + "]\n";
  }
  CHECK(mistakes_in(bomb).starts_with("bad.yaml:1:1: a: unknown key"));
  CHECK(mistakes_in("grid: &g {shape: [1, 1]}\ntime: *g\n")
            .find("bad.yaml:2:7: time: found an alias (expected a map") != std::string::npos);
}

TEST_CASE("bytes that are not text are refused with their position") {
  const auto with = [](const std::string& bytes) { return mistakes_in("grid:\n  sh" + bytes); };
  const std::string rest = " (expected UTF-8 text without control characters)";
  CHECK(with(std::string(1, '\0')) == "bad.yaml:2:5: found byte 0x00" + rest);
  CHECK(with("\xFF") == "bad.yaml:2:5: found byte 0xFF" + rest);
  CHECK(with("\xC3") == "bad.yaml:2:5: found byte 0xC3" + rest);              // cut short
  CHECK(with("\xC0\xAF") == "bad.yaml:2:5: found byte 0xC0" + rest);          // overlong
  CHECK(with("\xED\xA0\x80") == "bad.yaml:2:5: found byte 0xED" + rest);      // surrogate
  CHECK(with("\xF4\x90\x80\x80") == "bad.yaml:2:5: found byte 0xF4" + rest);  // over U+10FFFF
  CHECK(with("\x1B[31m") == "bad.yaml:2:5: found byte 0x1B" + rest);
  CHECK(with("\x04") == "bad.yaml:2:5: found byte 0x04" + rest);  // yaml-cpp's mark of the end
  CHECK(mistakes_in(smallest_config + "# \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8C\x8A\r\n") ==
        "accepted");
  CHECK(mistakes_in("\xEF\xBB\xBF" + smallest_config) == "accepted");  // byte order mark
}

TEST_CASE("texts that are not one map of sections are refused") {
  const std::string expected = "not a config (expected a map of sections, such as `grid:`)";
  CHECK(mistakes_in("5") == "bad.yaml:1:1: " + expected);
  CHECK(mistakes_in("\n- grid") == "bad.yaml:2:1: " + expected);
  CHECK(mistakes_in("--- &a {}") == "bad.yaml:1:5: " + expected);
  CHECK(mistakes_in(smallest_config + "---\ngrid: 1\n") ==
        "bad.yaml:4:1: a second document (expected one alone)");
  CHECK(mistakes_in("{a: 1} b") == "bad.yaml:1:8: a second document (expected one alone)");
  CHECK(mistakes_in("---\n" + smallest_config + "...\n") == "accepted");
  const std::string missing =
      "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 to "
      "1099511627776)\n"
      "bad.yaml:1:1: equation.coefficient: missing (give it, or equation.diffusivity and "
      "time.step)\n"
      "bad.yaml:1:1: time.steps: missing (expected an integer from 0 to 9007199254740992, or "
      "time.end)";
  CHECK(mistakes_in("") == missing);
  CHECK(mistakes_in("# nothing\n") == missing);
}

TEST_CASE("syntax errors have their position") {
  const std::string rest = " (expected matching indentation, brackets and quotes)";
  CHECK(mistakes_in("grid:\n  shape: [4, 5\ntime: {steps: 1}\n") ==
        "bad.yaml:3:5: not valid YAML: end of sequence flow not found" + rest);
  CHECK(mistakes_in("grid:\n  shape: [4, 5]\n   spacing: 1\n") ==
        "bad.yaml:3:4: not valid YAML: end of map not found" + rest);
  CHECK(mistakes_in("grid: \"open\n") ==
        "bad.yaml:2:2: not valid YAML: illegal EOF in scalar" + rest);
  CHECK(mistakes_in("grid: @a\n") == "bad.yaml:1:7: not valid YAML: unknown token" + rest);
}

TEST_CASE("long and strange names stay readable in messages") {
  CHECK(mistakes_in(config_with(std::string(100, 'k') + ": 1")) ==
        "bad.yaml:4:1: " + std::string(60, 'k') + "...: unknown key");
  CHECK(mistakes_in(smallest_config, {"a\nb\xFF=1"}) == "--set a?b?=1: a?b?: unknown key");
  CHECK(mistakes_in(config_with("output: {directory: \"a\\nb\"}")) ==
        "bad.yaml:4:21: output.directory: found \"a?b\" (expected one line without control "
        "characters)");
}

TEST_CASE("no prefix of a config and no single changed byte crashes the reader") {
  const std::string text =
      "grid: {shape: [4, 5]}\ninitial:\n  kind: sine\n  mode: [1, 2]\nequation:\n"
      "  coefficient: \"0.25\"  # c\ntime: {steps: 1}\ncheckpoint: {every: 30m}\n";
  const std::string bytes = std::string("\0\n\t\"'[]{}:,-?&*!#|>%@~\x80\xC3", 24);
  for (std::size_t i = 0; i < text.size(); ++i) {
    CHECK(mistakes_in(text.substr(0, i)) != "accepted");
    for (const char byte : bytes) {
      std::string changed = text;
      changed[i] = byte;
      CHECK(mistakes_in(changed) != "accepted");  // the quoted number is always there
    }
  }
}

}  // namespace
}  // namespace lapl
