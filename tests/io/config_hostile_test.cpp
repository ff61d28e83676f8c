// Texts that may break the config reader: it refuses each with a message and never crashes.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "config_helpers.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_number.hpp"
#include "io/config/yaml_tree.hpp"
#include "io/filters/filter_keys.hpp"
#include "scratch_folder.hpp"
#include "tests/text.hpp"

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
  CHECK_THROWS_AS(load_config("/dev/zero", {}), IoError);  // a file without end
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
  CHECK(with("\xF4\x90\x80\x80") == "bad.yaml:2:5: found byte 0xF4" + rest);  // above U+10FFFF
  CHECK(with("\x1B[31m") == "bad.yaml:2:5: found byte 0x1B" + rest);
  CHECK(with("\x04") == "bad.yaml:2:5: found byte 0x04" + rest);  // yaml-cpp's end mark
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
      "bad.yaml:1:1: equation.coefficient: missing (give it, or equation.diffusivity; or "
      "formulas, as in equation: {u: laplacian(u)})\n"
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

TEST_CASE("no prefix of a config and no single changed byte crashes the reader" *
          doctest::test_suite("moderate")) {
  const std::string text =
      "grid: {shape: [4, 5]}\ninitial:\n  kind: sine\n  mode: [1, 2]\nequation:\n"
      "  coefficient: \"0.25\"  # c\ntime: {steps: 1}\ncheckpoint: {every: 30m}\n";
  const std::string bytes = std::string("\0\n\t\"'[]{}:,-?&*!#|>%@~\x80\xC3", 24);
  for (std::size_t i = 0; i < text.size(); ++i) {
    CHECK(mistakes_in(text.substr(0, i)) != "accepted");
    for (const char byte : bytes) {
      std::string changed = text;
      changed[i] = byte;
      CHECK(mistakes_in(changed) != "accepted");  // the quoted number is always a mistake
    }
  }
}

/// Configs in which `name` is a field, one of two fields, a parameter, and so on.
std::vector<std::string> configs_with(const std::string& name) {
  const std::string rest = "grid: {shape: [4, 5]}\ntime: {steps: 1, step: 0.01}\n";
  const auto formula = [&](const std::string& rates, const std::string& more) {
    return fmt::format("{}equation: {{kind: formula, {}}}\n{}", rest, rates, more);
  };
  return {
      formula(fmt::format("\"{0}\": laplacian({0})", name),
              fmt::format("fields: [\"{}\"]\n", name)),
      formula(
          fmt::format("\"{0}\": 1, u_: {0}", name),
          fmt::format(
              "fields: [u_, \"{0}\"]\n"
              "initial: {{u_: {{kind: uniform}}, \"{0}\": {{kind: sine}}}}\n"
              "boundary: {{rows: {{first: {{\"{0}\": {{value: 1}}, u_: zero}}, last: zero}}}}\n",
              name)),
      formula("field: " + name, fmt::format("parameters: {{\"{}\": 2}}\n", name)),
      formula("field: " + name, fmt::format("parameters: {{\"{}\": {{formula: x}}}}\n", name)),
      formula(fmt::format("field: \"{0}\", let: {{\"{0}\": field}}", name), ""),
      formula(
          "field: field",
          fmt::format("output: {{derived: {{\"{0}\": 2 * field}}, fields: [\"{0}\"]}}\n", name)),
      formula("field: field", fmt::format("output: {{integrals: {{\"{}\": field}}}}\n", name)),
      formula("field: field",
              fmt::format("output: {{probes: {{at: {{\"{}\": [1, 1]}}}}}}\n", name)),
      formula("field: field", fmt::format("filters: [{{name: \"{}\", kernel: box}}]\n", name))};
}

TEST_CASE("names may be those of keys, or are refused" * doctest::test_suite("moderate")) {
  std::set<std::string> names = {"first", "last", "value", "mixed", "at", "range", "field"};
  for (const ConfigKey& key : config_keys())
    names.insert({std::string(key.section()), std::string(key.entry())});
  for (const auto& key : filter_keys()) names.insert(key.name);
  for (const auto& key : initial_keys(0)) names.insert(key.name);
  std::size_t accepted = 0;
  for (const std::string& name : names)
    for (const std::string& text : configs_with(name)) {
      CAPTURE(text);
      const std::string found = come_back(text);
      accepted += found == "accepted" ? 1 : 0;
      CHECK((found == "accepted" || found.find(name) != std::string::npos));
    }
  CHECK(accepted > 6 * names.size());  // most combinations are accepted
}

TEST_CASE("a field may be called like a key of its initial field") {
  const std::string text = config_with("fields: [seed]") + "initial: {kind: fractal, seed: 7}\n";
  CHECK(come_back(text) == "accepted");
  CHECK(config_value(parse(text), "initial.seed") == "7");
  CHECK(config_value(parse(text, {"initial.seed=8"}), "initial.seed") == "8");
}

/// Draws random configs of names, texts and numbers that confuse YAML readers.
class ConfigDrawer {
 public:
  explicit ConfigDrawer(unsigned seed) : random_(seed) {}

  std::string config() {
    const int fields = count(1, 3), parameters = count(0, 4), quantities = count(0, 3);
    const auto names = some_names(fields + parameters + quantities);
    const auto name = [&](int i) { return names.at(static_cast<std::size_t>(i)); };
    json config = {{"grid", {{"shape", {4, 5}}, {"spacing", {size(), size()}}}},
                   {"time", {{"steps", count(0, 9)}, {"step", size()}}}};
    json& equation = config["equation"] = {{"kind", "formula"}};
    std::string all = "0";
    for (int i = 0; i < parameters; ++i) {
      const std::string parameter = name(fields + i);
      all += " + " + parameter;
      config["parameters"][parameter] = this->parameter();
    }
    for (int i = 0; i < quantities; ++i) {
      const std::string quantity = name(fields + parameters + i);
      equation["let"][quantity] = i == 0 ? all : name(fields + parameters + i - 1) + " + 1";
      if (i + 1 == quantities) all += " +\n\t" + quantity;
    }
    json& output = config["output"];
    output = {{"directory", text()},
              {"every", {{"time", 3 * config["time"]["step"].get<double>()}}}};
    const auto integrals = some_names(fields), probes = some_names(fields),
               derived = some_names(fields), filters = some_names(fields);
    for (int i = 0; i < fields; ++i) {
      const auto of = static_cast<std::size_t>(i);
      config["fields"].push_back(name(i));
      equation[name(i)] = all;
      config["initial"][name(i)] = initial();
      output["integrals"][integrals[of]] = name(i);
      output["probes"]["at"][probes[of]] = {count(0, 3), count(0, 4)};
      output["derived"][derived[of]] = {{"formula", name(i)}, {"unit", text()}};
      config["boundary"]["rows"]["first"][name(i)]["value"] = number();
      config["filters"].push_back({{"name", filters[of]},
                                   {"kernel", {{"path", text()}, {"dataset", text()}}},
                                   {"field", name(i)},
                                   {"constant", number()}});
    }
    config["boundary"]["rows"]["last"] = "zero";
    config["limits"] = {{"wall_time", duration()}, {"steady", size()}};
    config["checkpoint"]["every"] = duration();
    return config.dump();
  }

 private:
  using json = nlohmann::json;

  int count(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  template <class T>
  T drawn(const std::vector<T>& all) {
    return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random_)];
  }
  std::vector<std::string> some_names(int number) {
    std::vector<std::string> names = {
        "nan", "inf",  "NaN", "Infinity", "null", "NULL", "on",        "Off",   "yes",  "n",
        "Y",   "true", "e5",  "u_1",      "seed", "mode", "wall_time", "steps", "False"};
    std::ranges::shuffle(names, random_);
    return {names.begin(), names.begin() + number};
  }
  std::string text() {
    const std::vector<std::string> pieces = {"a",
                                             "nan",
                                             "1e5",
                                             " ",
                                             "  # ",
                                             ": ",
                                             "\"",
                                             "\\",
                                             "'",
                                             "~",
                                             "/",
                                             "-",
                                             "?",
                                             "{",
                                             "]",
                                             "&",
                                             "\xC2\x9B",
                                             "é",
                                             "\xC2\x85",
                                             "\xE2\x80\xA8",
                                             "\xE2\x80\xAE",
                                             "\xEF\xBB\xBF",
                                             "\xEF\xBF\xBE",
                                             "\xF0\x9F\x8C\x8A",
                                             "null",
                                             "..",
                                             "\xF0\x9F\xBF\xBF"};
    std::string text;
    for (int i = count(1, 4); i > 0; --i) text += drawn(pieces);
    return text;
  }
  double size() {
    return std::ldexp(1 + std::uniform_real_distribution()(random_), count(-60, 60));
  }
  double number() { return drawn<double>({0, -0.0, 1e-300, -1e22, 1e16, 5, 0.1, -1e-5, size()}); }
  std::string duration() {
    const int digits = count(0, 5);
    return fmt::format("{}.{}{}", count(1, drawn<int>({9, 999999})), std::string(digits, '0') + "7",
                       drawn<char>({'s', 'm', 'h'}));
  }
  json parameter() {
    return drawn<json>({number(),
                        {{"image", text()}, {"range", {number(), number()}}},
                        {{"hdf5", text()}, {"dataset", text()}},
                        {{"formula", "x +\n y"}}});
  }
  json initial() {
    return drawn<json>({{{"kind", "image"}, {"path", text()}},
                        {{"kind", "hdf5"}, {"path", text()}, {"dataset", text()}},
                        {{"kind", "formula"}, {"formula", "x\t+ random"}},
                        {{"kind", "gaussian"}, {"width", size()}, {"center", {0.1, 1e-7}}}});
  }

  std::mt19937 random_;
};

/// The value of a node by the rules of YAML.
nlohmann::json plain_meaning(const YamlNode& node) {
  nlohmann::json meaning;
  if (node.kind == YamlNode::Kind::list) {
    meaning = nlohmann::json::array();
    for (const YamlNode& child : node.children) meaning.push_back(plain_meaning(child));
  } else if (node.kind == YamlNode::Kind::map) {
    meaning = nlohmann::json::object();
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
      meaning[node.children[i].text] = plain_meaning(node.children[i + 1]);
  } else if (node.kind == YamlNode::Kind::scalar) {
    const std::optional<double> number = read_number(node.text).real;
    if (!node.quoted && number)
      meaning = *number;
    else if (!node.quoted && (node.text == "true" || node.text == "false"))
      meaning = node.text == "true";
    else
      meaning = node.text;
  }
  return meaning;
}

TEST_CASE("every accepted config reads back from its resolved form, with PyYAML, too" *
          doctest::test_suite("moderate")) {
  const test::ScratchFolder folder;
  std::ofstream(folder / "read.py") << R"(
import json, pathlib, sys
try:
    import yaml
except ImportError:
    sys.exit(77)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.yaml")):
    meant = json.loads(path.with_suffix(".json").read_text("utf-8"))
    found = yaml.safe_load(path.read_bytes())
    if found != meant:
        sys.exit(f"{path.read_text('utf-8')}\n{found}\n{meant}")
)";
  int accepted = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const std::string text = ConfigDrawer(seed).config();
    CAPTURE(text);
    if (const std::string found = come_back(text); found != "accepted") {
      // The names of two things were drawn alike.
      CHECK(found.find("is taken") != std::string::npos);
      continue;
    }
    const std::string resolved = resolved_yaml(parse(text));
    std::ofstream(folder / fmt::format("{}.yaml", ++accepted)) << resolved;
    std::ofstream(folder / fmt::format("{}.json", accepted))
        << plain_meaning(parse_yaml(resolved).root);
  }
  CHECK(accepted > 100);
  const std::string command =
      fmt::format("python3 {0}/read.py {0} || exit $?", folder.path().string());
  const int code = WEXITSTATUS(std::system(command.c_str()));  // 127: there is no python3
  if (code == 77 || code == 127)
    MESSAGE("skipped: no python3 with yaml (package python3-yaml)");
  else
    CHECK(code == 0);
}

/// The least processor time of three attempts, in seconds.
double seconds_to_parse(const std::string& text) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    mistakes_in(text);
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

TEST_CASE("a config of eight times the names takes no 64 times as long" *
          doctest::test_suite("slow")) {
  const std::string rest = "grid: {shape: [4, 5]}\ntime: {steps: 1, step: 0.01}\n";
  const auto parameters = [&](int count) {
    std::string text = rest + "equation: {kind: formula, field: field}\nparameters:\n";
    for (int i = 0; i < count; ++i) text += fmt::format("  p{}: 1\n", i);
    return text;
  };
  // A text whose only mistake is too many nested quantities, given in reverse order.
  const auto quantities = [&](int count) {
    std::string text = fmt::format(
        "{}equation:\n  kind: formula\n  field: q{}\n  let:\n    q0: field\n", rest, count - 1);
    for (int i = 1; i < count; ++i) text += fmt::format("    q{}: laplacian(q{})\n", i, i - 1);
    return text;
  };
  CHECK(test::has(mistakes_in(parameters(2)), "p1: not used"));
  CHECK(seconds_to_parse(parameters(16000)) < 25 * seconds_to_parse(parameters(2000)));
  CHECK(mistakes_in(quantities(400)) == "accepted");
  CHECK(test::has(mistakes_in(quantities(700)), "more than 1000 operations one upon the other"));
  CHECK(seconds_to_parse(quantities(5600)) < 25 * seconds_to_parse(quantities(700)));
}

}  // namespace
}  // namespace lapl
