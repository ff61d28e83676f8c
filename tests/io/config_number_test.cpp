// The program and a validator that uses the schema accept the same spellings of numbers.
#include "io/config/config_number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "io/config/config_keys.hpp"
#include "io/config/schema.hpp"
#include "io/filters/filter_keys.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

const std::regex json_number(R"(-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)");  // RFC 8259, section 6

// A validator for the keywords that the schema uses for numbers. A number without a fraction is an
// integer, however it is written (2020-12, 6.1.1); long double represents all 64 bits.
bool takes(const Json& schema, const std::string& text) {
  if (const auto any = schema.find("anyOf"); any != schema.end())
    return std::ranges::any_of(*any, [&](const Json& one) { return takes(one, text); });
  const auto type = schema.find("type");
  if (type == schema.end() || (*type != "integer" && *type != "number")) return false;
  long double value =
      *type == "integer" ? std::strtold(text.c_str(), nullptr) : std::strtod(text.c_str(), nullptr);
  if (*type == "integer" && value != std::floor(value)) return false;
  const auto bound = [&](const char* name) -> long double {
    const Json& number = schema.at(name);
    return number.is_number_integer() ? static_cast<long double>(number.get<std::int64_t>())
                                      : number.get<double>();
  };
  if (schema.contains("minimum") && value < bound("minimum")) return false;
  if (schema.contains("exclusiveMinimum") && value <= bound("exclusiveMinimum")) return false;
  return !schema.contains("maximum") || value <= bound("maximum");
}

bool program_takes(const Schema& type, const std::string& text) {
  const YamlDocument document = parse_yaml("v: " + text);
  REQUIRE(!document.problem);
  YamlProblems problems;
  resolved(type, document.root.children.at(1), "", problems);
  return problems.empty();
}

// A plain decimal of at most 15 digits in a random spelling, mostly near the bounds of keys.
std::string some_spelling(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto digits = [&](std::uint64_t count) {
    std::string text;
    for (std::uint64_t i = 0; i < count; ++i)
      text += static_cast<char>('0' + below(below(2) * 9 + 1));
    return text;
  };
  static const std::vector<std::string> bounds = {"0",
                                                  "1",
                                                  "2",
                                                  "0.25",
                                                  "10",
                                                  "100",
                                                  "1024",
                                                  "1099511627776",
                                                  "1099511627777",
                                                  "9007199254740992",
                                                  "9007199254740993",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "5",
                                                  "1e308",
                                                  "1.8e308",
                                                  "1e-308",
                                                  "5e-324",
                                                  "1e-400",
                                                  "1e400"};
  std::string text = below(3) == 0 ? "-" : "";
  if (below(2) == 0) return text + bounds[below(bounds.size())];
  text += below(4) == 0 ? "0" : std::to_string(1 + below(9)) + digits(below(8));
  if (below(2) == 0) text += "." + digits(1 + below(6));
  if (below(2) == 0)
    text += std::string(1, below(2) == 0 ? 'e' : 'E') + std::array{"", "+", "-"}[below(3)] +
            std::string(below(2), '0') + std::to_string(below(below(4) == 0 ? 400 : 20));
  return text;
}

}  // namespace

TEST_CASE(
    "the program accepts the numbers that the schema accepts, in every spelling, for every key" *
    doctest::test_suite("moderate")) {
  std::mt19937_64 random(20261122);
  struct Row {
    std::string key;
    Schema type;
    Json schema;
  };
  std::vector<Row> rows;
  for (const ConfigKey& key : config_keys())
    if (std::ranges::none_of(key.type.forms, [](const Form& form) {
          return std::holds_alternative<FormulaForm>(form);  // accepts any text
        })) {
      const Schema type{key.type.forms, {}};
      rows.push_back({key.name, type, json_schema(type)});
    }
  std::size_t taken = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = some_spelling(random);
    CAPTURE(text);
    REQUIRE(std::regex_match(text, json_number));
    for (const Row& row : rows) {
      CAPTURE(row.key);
      const bool expected = takes(row.schema, text);
      CHECK(program_takes(row.type, text) == expected);
      taken += expected;
    }
  }
  CHECK(taken > 10000);
}

TEST_CASE("the program accepts the numbers of filters that the schema accepts") {
  std::mt19937_64 random(7);
  const Json properties = filter_schema().at("properties");
  struct Row {
    const char* key;
    const char* filter;
  };
  std::size_t taken = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = some_spelling(random);
    CAPTURE(text);
    for (const Row& row :
         {Row{"sigma", "kernel: gaussian, sigma: "}, Row{"size", "kernel: box, size: "},
          Row{"constant", "kernel: box, edge: constant, constant: "}}) {
      CAPTURE(row.key);
      const YamlDocument document = parse_yaml("[{" + (row.filter + text) + "}]");
      REQUIRE(!document.problem);
      const bool expected = takes(properties.at(row.key), text);
      YamlProblems problems;
      read_filters(document.root, "", problems);
      CHECK(problems.empty() == expected);
      taken += expected;
    }
  }
  CHECK(taken > 1000);
}

TEST_CASE("the program accepts the durations that the schema accepts") {
  std::mt19937_64 random(11);
  const Schema type = duration();
  const std::regex pattern(json_schema(type).at("pattern").get<std::string>());
  std::size_t taken = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = some_spelling(random) + "smhd "[random() % 5];
    CAPTURE(text);
    const bool expected = std::regex_match(text, pattern);
    CHECK(program_takes(type, text) == expected);
    taken += expected;
  }
  CHECK(taken > 1000);
  for (const char* text : {"0s", "0.00e-3h", "1e99h", "9999999999s", "-1s", "90", "s"})
    CHECK(!program_takes(type, text));
  for (const char* text : {"1e-9s", "0.5m", "277777h", "999999999s"})
    CHECK(program_takes(type, text));
}

TEST_CASE("numbers that JSON lacks are refused, and the message says what to write instead") {
  const Schema number = finite_real(), whole = integer(0, 1000000);
  for (const char* text :
       {"+5", ".5", "5.", "007", "1_000", "0x10", "0o17", "0b11", ".inf", "-.inf", ".nan", "1e",
        "1e+", "1.e3", "--1", "1 000", "1,5", "Infinity", "NaN"}) {
    CAPTURE(text);
    CHECK(!std::regex_match(text, json_number));
    CHECK(!program_takes(number, text));
    CHECK(!program_takes(whole, text));
  }
}

TEST_CASE("numbers: a whole number is exact however it is written") {
  struct Row {
    const char* text;
    std::int64_t value;
  };
  for (const Row& row : {Row{"1e3", 1000}, Row{"2500.0", 2500}, Row{"1.5e1", 15}, Row{"12e-0", 12},
                         Row{"1200e-2", 12}, Row{"-0", 0}, Row{"0.000e99999999999", 0},
                         Row{"9.223372036854775807e18", INT64_MAX},
                         Row{"1234567890123456789.000", 1234567890123456789}}) {
    CAPTURE(row.text);
    CHECK(read_number(row.text).integer == row.value);
    CHECK(read_number(row.text).whole);
  }
  for (const char* text : {"1.5", "1e-1", "1234567890123456789.5", "9223372036854775808", "1e19"})
    CHECK(!read_number(text).integer);
  CHECK(!read_number("4503599627370496.00000000000000000000001").whole);
  CHECK(read_number("1e-999").real == 0);
  CHECK(read_number("1e999").fault == ", too large for a float64 (at most 1.7e308)");
}

}  // namespace lapl
