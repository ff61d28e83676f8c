// The formula parser: the meaning of texts, and the messages about invalid texts.
#include "solver/equation/formula.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "solver/equation/formula_mistakes.hpp"
#include "tests/docs_page.hpp"
#include "tests/formula_run.hpp"

using namespace lapl;

namespace {

// A formula with parentheses around every operation.
std::string in_parentheses(const Formula& formula, int node) {
  using Kind = FormulaNode::Kind;
  const FormulaNode& at = formula.nodes[node];
  std::vector<std::string> operands;
  for (const int operand : at.operands) operands.push_back(in_parentheses(formula, operand));
  const auto between = [&](const std::string& sign) {
    return '(' + operands[0] + sign + operands[1] + ')';
  };
  switch (at.kind) {
    case Kind::number: return fmt::format("{}", at.number);
    case Kind::name: return at.name;
    case Kind::negative: return "(-" + operands[0] + ')';
    case Kind::sum: return between("+");
    case Kind::difference: return between("-");
    case Kind::product: return between("*");
    case Kind::quotient: return between("/");
    case Kind::power: return between("^");
    case Kind::comparison: return between(at.name);
    case Kind::logic:
      return at.name == "not" ? "(not " + operands[0] + ')' : between(' ' + at.name + ' ');
    case Kind::call: break;
  }
  std::string text = at.name + '(';
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ",") + operands[i];
  return text + ')';
}
std::string meaning(const std::string& text) {
  const Formula formula = parse_formula("f", text);
  return in_parentheses(formula, formula.whole());
}

// The mistake as "BYTE: message", or "accepted".
std::string formula_mistake(const std::string& text) {
  try {
    parse_formula("f", text);
  } catch (const FormulaError& error) {
    CHECK(error.of == "f");
    CHECK(error.text == text);
    return fmt::format("{}: {}", error.at, error.what());
  }
  return "accepted";
}

std::string many(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("formulas: operators bind with their precedence and from their side") {
  CHECK(meaning("a + b * c") == "(a+(b*c))");
  CHECK(meaning("a - b - c") == "((a-b)-c)");
  CHECK(meaning("a / b * c / d") == "(((a/b)*c)/d)");
  CHECK(meaning("a - b + c") == "((a-b)+c)");
  CHECK(meaning("a ^ b ^ c") == "(a^(b^c))");
  CHECK(meaning("-u^2") == "(-(u^2))");
  CHECK(meaning("2^-3") == "(2^(-3))");
  CHECK(meaning("a^-b^c") == "(a^(-(b^c)))");
  CHECK(meaning("-a * b") == "((-a)*b)");
  CHECK(meaning("a * -b") == "(a*(-b))");
  CHECK(meaning("--a") == "(-(-a))");
  CHECK(meaning("+a - +b") == "(a-b)");
  CHECK(meaning("(a + b) * c") == "((a+b)*c)");
  CHECK(meaning("a + b < c * d") == "((a+b)<(c*d))");
  CHECK(meaning("(a < b) == (c >= d)") == "((a<b)==(c>=d))");
  CHECK(meaning("where(a != b, c, d)") == "where((a!=b),c,d)");
  CHECK(meaning("a < b and c > d") == "((a<b) and (c>d))");
  CHECK(meaning("a or b and not c < d or e") == "((a or (b and (not (c<d)))) or e)");
  CHECK(meaning("not not a and b") == "((not (not a)) and b)");
  CHECK(meaning("f(a and b, not(c))") == "f((a and b),(not c))");
  CHECK(meaning("(a or b) and android + order") == "((a or b) and (android+order))");
  CHECK(meaning("f (a)") == "f(a)");
  CHECK(meaning("  a\t+\n b ") == "(a+b)");
}

TEST_CASE("formulas: usual spellings of numbers and names are accepted") {
  CHECK(meaning("1.5e-3") == "0.0015");
  CHECK(meaning(".5") == "0.5");
  CHECK(meaning("2.") == "2");
  CHECK(meaning("1E3") == "1000");
  CHECK(meaning("1e0 - 1") == "(1-1)");
  CHECK(meaning("_a1") == "_a1");
  CHECK(meaning("D_u2 * x") == "(D_u2*x)");
  CHECK(parse_formula("f", "ab + cd").nodes[1].at == 5);
}

TEST_CASE("formulas: each mistake has its message and its byte") {
  const struct {
    const char *text, *mistake;
  } rows[] = {
      {"", "0: ends where a number, a name or ( is expected"},
      {"  ", "2: ends where a number, a name or ( is expected"},
      {"a +", "3: ends where a number, a name or ( is expected"},
      {"a * (b + c", "4: a ( that is not closed"},
      {"sin(a", "3: a ( that is not closed"},
      {"a)", "1: found ) where it has no place"},
      {"()", "1: found ) where it has no place"},
      {"f()", "2: found ) where it has no place"},
      {"f(a,)", "4: found ) where it has no place"},
      {"a b", "2: found b where it has no place"},
      {"a ** b", "2: found ** (a power is written ^)"},
      {"2u", "0: found 2u (between a number and what it multiplies stands a *)"},
      {"1.2.3", "0: found 1.2.3 (between a number and what it multiplies stands a *)"},
      {"a + .", "4: found . where it has no place"},
      {"1e999", "0: a number beyond what float64 holds"},
      {"a = b", "2: found = where it has no place (that two are equal is written a == b)"},
      {"a > 0 & b",
       "6: found & where it has no place (that two conditions hold is written a and b)"},
      {"a > 0 || b",
       "6: found | where it has no place (that one of two conditions holds is written a or b)"},
      {"!a", "0: found ! where it has no place (that a condition does not hold is written not a)"},
      {"and",
       "0: found and where it has no place (it joins or negates conditions: a and b, a or b, not "
       "a)"},
      {"a + not b",
       "4: found not where it has no place (it joins or negates conditions: a and b, a or b, not "
       "a)"},
      {"a or", "4: ends where a number, a name or ( is expected"},
      {"a and or b",
       "6: found or where it has no place (it joins or negates conditions: a and b, a or b, not "
       "a)"},
      {"a % b", "2: found % where it has no place (a remainder is written mod(a, b))"},
      {"a > 0 ? b : 1",
       "6: found ? where it has no place (a choice is written where(condition, a, b))"},
      {"a < b < c", "6: a second comparison (write a < b as one, in parentheses)"},
      {"a; b", "1: found ; where it has no place"},
      {"\"a\"", "0: found \" where it has no place"},
      {"a $ b", "2: found $ where it has no place"},
      {"u\xc2\xb2", "1: a character that formulas do not have"},
      {"a\r+ b", "1: a character that formulas do not have"},
      {"a, b", "1: found , where it has no place"},
      {"(a, b)", "2: found , where it has no place"},
      {"(a)(b)", "3: found ( where it has no place"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(formula_mistake(row.text) == row.mistake);
  }
  CHECK(formula_mistake(std::string("a\0b", 3)) == "1: a character that formulas do not have");
}

TEST_CASE("formulas beyond the limits on size, nesting, depth and nodes are refused") {
  CHECK(formula_mistake(std::string(formula_size_limit - 1, ' ') + 'a') == "accepted");
  CHECK(formula_mistake(std::string(formula_size_limit, ' ') + 'a') ==
        "0: found 65537 bytes (expected at most 65536)");
  CHECK(formula_mistake(many(200, "(") + 'a' + many(200, ")")) == "accepted");
  CHECK(formula_mistake(many(201, "(") + 'a' + many(201, ")")) ==
        "201: nested more than 200 levels deep");
  for (const std::string open : {"(", "-", "f(", "a^", "a*("}) {
    CAPTURE(open);
    CHECK(formula_mistake(many(10'000, open)).ends_with(": nested more than 200 levels deep"));
  }
  CHECK(formula_mistake(many(1000, "a+") + 'a') == "accepted");
  CHECK(formula_mistake(many(1001, "a+") + 'a') ==
        "2001: more than 1000 operations one upon the other");
  // Sums of 50 terms in parentheses: many nodes at small depth.
  const std::string part = '(' + many(49, "a+") + "a)";
  const std::string row = many(99, part + '+') + part;
  CHECK(formula_mistake(row) == "accepted");
  CHECK(formula_mistake(row + '*' + row + '*' + row)
            .ends_with(": more than 10000 numbers, names and signs"));
}

TEST_CASE("formulas: a seed is the integer that is written") {
  for (const char* const seed : {"0", "5", "1e3", "9007199254740991", "9007199254740992"})
    CHECK(formula_mistake(fmt::format("noise({})", seed)) == "accepted");
  for (const char* const seed :
       {"9007199254740993", "18446744073709551615", "99999999999999999999"})
    CHECK_MESSAGE(formula_mistake(fmt::format("noise({})", seed))
                      .starts_with("6: an integer that float64 rounds to "),
                  seed);
}

TEST_CASE("formulas: the table of functions is in order, and its names are reserved") {
  for (const FormulaFunction& function : formula_functions) {
    CAPTURE(function.name);
    CHECK(formula_function(function.name) == &function);
    const std::string_view later[] = {"clamp", "convolve", "flux", "harmonic", "shift", "tensor"};
    CHECK(is_reserved_name(function.name) == (std::ranges::count(later, function.name) == 0));
    if (function.kind != FormulaFunction::Kind::of_values) continue;
    CHECK(table_row(function.operation).operands ==
          1 + std::ranges::count(function.arguments, ','));
  }
  for (const char* const name : {"pi", "t", "x", "y", "z", "random", "noise", "and", "or", "not"})
    CHECK(is_reserved_name(name));
  CHECK(!is_reserved_name("u"));
  CHECK(formula_function("lapalcian") == nullptr);
}

TEST_CASE("formulas: docs/formulas.md has the table of functions") {
  std::string table = "| function | meaning |\n|---|---|\n";
  for (const FormulaFunction& function : formula_functions)
    table +=
        fmt::format("| `{}({})` | {} |\n", function.name, function.arguments, function.meaning);
  CAPTURE(table);
  CHECK(test::docs_page("formulas.md").find("a test compares -->\n" + table) != std::string::npos);
}

TEST_CASE("rates that are right one by one, but too long for a stage of all, are a mistake") {
  NamedFormulas rates;
  for (int field = 0; field < 6; ++field) {
    std::string rate = "0";
    for (int term = 0; term < 400; ++term) rate += fmt::format(" + sin({} * u{})", term + 2, field);
    rates.emplace_back(fmt::format("u{}", field), rate);
  }
  const auto mistakes = [](const NamedFormulas& of) {
    return checked_formulas(test::formula_run({8, 8}, of), true).mistakes;
  };
  const auto found = mistakes(rates);
  REQUIRE(found.size() == 1);
  CHECK(found.front().key == "equation.u3");  // where the stage becomes too long
  CHECK(found.front().what.find("all rates in one stage: ") != std::string::npos);
  CHECK(found.front().what.find("more than 4096 operations a cell") != std::string::npos);
  rates.resize(3);
  CHECK(mistakes(rates).empty());
}
