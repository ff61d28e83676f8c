// The operations, in order, that a formula is turned into: its canonical form, or canon.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solver/equation/stages.hpp"

using namespace lapl;

namespace {

// Fields u and v, a coefficient field D, numbers a = 0.5 and n = 0, and these quantities.
FormulaSystem some_system(const std::string& rate_of_u, const NamedFormulas& quantities = {}) {
  FormulaSystem system;
  system.names.arrays = {{"u", 0}, {"v", 1}, {"D", 2}};
  system.names.numbers = {{"a", 0.5}, {"n", 0}};
  system.rates = {parse_formula("u", rate_of_u), parse_formula("v", "0")};
  for (const auto& [name, text] : quantities) system.quantities.push_back(text.parsed(name));
  return system;
}

// An operation and its operands as text. The value of a neighbouring cell is the array's name with
// a direction: u and d for the row before and after, l and r for the column before and after.
std::string as_text(const StageTree& tree, int place) {
  const StageOperation& node = tree.operations[place];
  const auto of = [&](int operand) { return as_text(tree, node.operands[operand]); };
  const std::string direction = std::string(node.at.row < 0   ? "u"
                                            : node.at.row > 0 ? "d"
                                                              : "") +
                                (node.at.column < 0   ? "l"
                                 : node.at.column > 0 ? "r"
                                                      : "");
  switch (node.operation) {
    case Operation::value: return "uvDq"[node.index] + direction;
    case Operation::position: return "zyx"[node.index] + direction;
    case Operation::number: return fmt::format("{:.6g}", node.number);
    case Operation::time: return "t";
    case Operation::sum: return fmt::format("({} + {})", of(0), of(1));
    case Operation::difference: return fmt::format("({} - {})", of(0), of(1));
    case Operation::product: return fmt::format("{} {}", of(0), of(1));
    case Operation::fused_multiply_add: return fmt::format("fma({}, {}, {})", of(0), of(1), of(2));
    default: break;
  }
  std::string text = std::string(table_row(node.operation).name) + '(' + of(0);
  for (int i = 1; i < table_row(node.operation).operands; ++i) text += ", " + of(i);
  return text + ')';
}

// The value of a formula, from the last stage, as text.
std::string canon(const std::string& text, const NamedFormulas& quantities = {}) {
  const FormulaSystem system = some_system("0", quantities);
  const Formula formula = parse_formula("f", text);
  const StepStages made = value_stages(system, formula);
  StageTree tree = made.stages.back().tree;
  for (StageOperation& node : tree.operations) node.index = std::min(node.index, 3);
  return as_text(tree, tree.results.back());
}

std::string canon_mistake(const std::string& text, const NamedFormulas& quantities = {}) {
  try {
    return canon(text, quantities);
  } catch (const FormulaError& error) {
    return fmt::format("{}:{}: {}", error.of, error.at, error.what());
  }
}

}  // namespace

TEST_CASE("canon: the heat equation's tree is diffusion's but for the number") {
  const StepStages step = step_stages(some_system("a * laplacian(u)"), Scheme::euler, 0.25);
  REQUIRE(step.stages.size() == 1);
  StageTree found = step.stages.front().tree;
  found.results.pop_back();  // the result for v is v
  const StageTree expected = diffusion_tree(2, 0.125);
  CHECK(as_text(found, found.results[0]) == "fma(0.125, fma(-4, u, ((ul + ur) + (uu + ud))), u)");
  CHECK(as_text(expected, expected.results[0]) == as_text(found, found.results[0]));
}

TEST_CASE("canon: a product that feeds a sum is fused, the second one where both are") {
  CHECK(canon("u + v") == "(u + v)");
  CHECK(canon("u - v") == "(u - v)");
  CHECK(canon("u * v + v") == "fma(u, v, v)");
  CHECK(canon("v + u * v") == "fma(u, v, v)");
  CHECK(canon("u * u + v * v") == "fma(v, v, u u)");
  CHECK(canon("v - u * v") == "fma(negative(u), v, v)");
  CHECK(canon("u * v - u * v") == "(u v - u v)");
  CHECK(canon("3 * u - u * 3") == "(u - u)");
  CHECK(canon("2 * u + v") == "fma(2, u, v)");
  CHECK(canon("v - 2 * u") == "fma(-2, u, v)");
  CHECK(canon("2 * u + u * v") == "fma(2, u, u v)");
  CHECK(canon("2 * u - u * v") == "fma(2, u, negative(u v))");
  CHECK(canon("3 * u + 2 * v") == "fma(2, v, 3 u)");
  CHECK(canon("2 * u * v + 1") == "fma(2, u v, 1)");
  CHECK(canon("-u - v") == "negative((u + v))");
}

// Factors with parameters or spacings are multiplied even if they are 1, so that changing a
// parameter changes only numbers in the tree.
TEST_CASE("canon: numbers are collected in float64, and multiplied once") {
  CHECK(canon("2 * a * u * 3") == "3 u");
  CHECK(canon("u / 4") == "0.25 u");
  CHECK(canon("1 / (4 * u)") == "quotient(0.25, u)");
  CHECK(canon("u / v") == "quotient(u, v)");
  CHECK(canon("a + 1 + u") == "(1.5 + u)");
  CHECK(canon("exp(0) * u") == "1 u");
  CHECK(canon("1 * u") == "u");
  CHECK(canon("-u") == "negative(u)");
  CHECK(canon("pi") == "3.14159");
  CHECK(canon("n * u") == "0 u");
  CHECK(canon("where(a, u, v)") == "u");
}

TEST_CASE("canon: powers by integers are repeated squares") {
  CHECK(canon("u^2") == "u u");
  CHECK(canon("u^3") == "u u u");
  CHECK(canon("u^-2") == "quotient(1, u u)");
  CHECK(canon("u^0") == "1");
  CHECK(canon("u^65") == "power(u, 65)");
  CHECK(canon("u^0.5") == "power(u, 0.5)");
  CHECK(canon("u^v") == "power(u, v)");
}

TEST_CASE("canon: operators become their stencils") {
  CHECK(canon("laplacian(u)") == "1 fma(-4, u, ((ul + ur) + (uu + ud)))");
  CHECK(canon("laplacian(3 * u)") == "3 fma(-4, u, ((ul + ur) + (uu + ud)))");
  CHECK(canon("d_dx(u)") == "0.5 (ur - ul)");
  CHECK(canon("d_dx(3 * u * v)") == "1.5 (ur vr - ul vl)");
  CHECK(canon("d_dy(2 * u)") == "1 (ud - uu)");
  CHECK(canon("d2_dx2(u)") == "1 fma(-2, u, (ul + ur))");
  CHECK(canon("d2_dxdy(u)") == "0.25 (((udr - uur) - udl) + uul)");
  CHECK(canon("gradient_squared(u)") == "0.25 fma((ud - uu), (ud - uu), (ur - ul) (ur - ul))");
  CHECK(canon("divergence(a * gradient(u))") == canon("a * laplacian(u)"));
  CHECK(canon("divergence(D * gradient(u))") == canon("divergence(gradient(u) * D)"));
  CHECK(canon("upwind(a, 0, u)") == "1 fma(0, (ud - u), 0.5 (u - ul))");
  CHECK(canon("x + d_dx(y)") == "fma(0.5, (yr - yl), x)");
  CHECK(canon("t * u") == "t u");
}

TEST_CASE("canon: a defined function is replaced by its definition") {
  CHECK(canon("biharmonic(u)") == canon("laplacian(laplacian(u))"));
  CHECK(canon("2 * biharmonic(u^2 - v) + u") == canon("2 * laplacian(laplacian(u^2 - v)) + u"));
  CHECK(canon("biharmonic(biharmonic(u))") ==
        canon("laplacian(laplacian(laplacian(laplacian(u))))"));
  CHECK(canon_mistake("u + biharmonic(u, v)") ==
        "f:4: biharmonic of 2 arguments (expected biharmonic(e))");
  CHECK(canon_mistake("biharmonic(w)").starts_with("f:11: unknown name w"));
  CHECK(canon("clamp(u + v, -1, 2 * v)") == canon("min(max(u + v, -1), 2 * v)"));
  CHECK(canon_mistake("clamp(u, 1)") == "f:0: clamp of 2 arguments (expected clamp(e, low, high))");
}

TEST_CASE("canon: an operator on an operator reads an array of an earlier stage") {
  CHECK(canon("laplacian(laplacian(u))") == "1 fma(-4, q, ((ql + qr) + (qu + qd)))");
  const NamedFormulas mu = {{"mu", "u^3 - laplacian(u)"}};
  CHECK(canon("d_dx(mu)", mu) == "0.5 (qr - ql)");
  CHECK(canon("d_dx(mu) + d_dx(mu)", mu) == "fma(0.5, (qr - ql), 0.5 (qr - ql))");
  const auto stages = [&](const std::string& rate) {
    return step_stages(some_system(rate, mu), Scheme::euler, 1).stages.size();
  };
  CHECK(stages("mu") == 1);
  CHECK(stages("laplacian(mu)") == 2);
  CHECK(stages("laplacian(laplacian(mu))") == 3);
  CHECK(stages("laplacian(laplacian(u)) + d_dx(mu)") == 2);
}

// The arrays are the state, the new values, and one sum of rates, where there may be four rates.
TEST_CASE("canon: the last stages of a pair read a sum of rates, not each rate") {
  FormulaSystem system;
  system.names.arrays = {{"u", 0}};
  system.rates = {parse_formula("u", "0.3 * laplacian(u)")};
  for (const Scheme scheme : {Scheme::bs23, Scheme::dopri5})
    for (const bool measures : {false, true}) {
      TimeScheme time(scheme);
      if (measures) time.tolerance = Tolerance{1e-3, 1e-3};
      const StepStages step = step_stages(system, time, 0.1);
      std::set<int> read;
      for (const StageOperation& node : step.stages.back().tree.operations)
        if (node.operation == Operation::value) read.insert(node.index);
      CHECK(read.size() == 3);
    }
}

TEST_CASE("canon: each mistake names its formula, its byte and what would be right") {
  const struct {
    const char *text, *mistake;
  } rows[] = {
      {"w", "f:0: unknown name w"},
      {"u + lapalcian(u)", "f:4: unknown name lapalcian"},
      {"u / 0", "f:2: division by 0"},
      {"u / (2 * n)", "f:2: division by 0"},
      {"n^-1", "f:1: division by 0"},
      {"u / (0 * v)", "f:2: division by 0"},
      {"1e300 * 1e300", "f:6: makes the number inf"},
      {"log(-1) * u", "f:0: makes the number nan"},
      {"laplacian(a)", "f:0: laplacian of what is the same in every cell"},
      {"1 + d_dx(2 * pi)", "f:4: d_dx of what is the same in every cell"},
      {"gradient(u)",
       "f:0: gradient outside of divergence (expected divergence(D * "
       "gradient(e)); d_dx(e) is one component)"},
      {"divergence(u)",
       "f:0: divergence of what is no gradient (expected divergence(D * "
       "gradient(e)); a sum has one divergence for each of its terms)"},
      {"sin(u, v)", "f:0: sin of 2 arguments (expected sin(a))"},
      {"where(u)", "f:0: where of 1 argument (expected where(condition, a, b))"},
      {"upwind(1, u)", "f:0: upwind of 2 arguments (expected upwind(cx, [cy, [cz,]] e))"},
      {"advect(1, u)", "f:0: advect of 2 arguments (expected advect(cx, [cy, [cz,]] e, [weno5]))"},
      {"advect(1, 2, 3)", "f:0: advect of what is the same in every cell"},
      {"divergence(D * gradient(u, v))", "f:15: gradient of 2 arguments (expected gradient(e))"},
      {"z", "f:0: z on a grid of 2 axes (there is no axis z)"},
      {"d2_dxdz(u)", "f:0: d2_dxdz on a grid of 2 axes (there is no axis z)"},
      {"u(2)", "f:0: u is no function (a product is written u * (...))"},
      {"sin + 1", "f:0: sin without what it is of (expected sin(a))"},
      {"random", "f:0: unknown name random"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(canon_mistake(row.text) == row.mistake);
  }
  CHECK(canon_mistake("p", {{"p", "q"}, {"q", "u + p"}}) == "q:4: p is made of itself");
  CHECK(canon_mistake("u", {{"p", "p"}}) == "p:0: p is made of itself");
  CHECK(canon_mistake("p", {{"p", "w"}}) == "p:0: unknown name w");
}

TEST_CASE("canon: nested quantities are written once, and endless ones are refused") {
  const auto operations = [](const std::string& first, const std::string& next, int count) {
    NamedFormulas chain = {{"q0", first}};
    for (int i = 1; i < count; ++i)
      chain.emplace_back("q" + std::to_string(i),
                         fmt::format(fmt::runtime(next), "q" + std::to_string(i - 1), i));
    const FormulaSystem system = some_system("0", chain);
    const Formula last = parse_formula("f", "q" + std::to_string(count - 1));
    return value_stages(system, last).stages.back().tree.operations.size();
  };
  CHECK(operations("sin(u)", "{0} * sin({0} + {1})", 200) < 1000);
  // A thousand quantities, each as deep as a formula may be.
  std::string deep = "{0}";
  for (int i = 0; i < 1000; ++i) deep += "+v";
  const std::string too_deep =
      "more than 1000 operations one upon the other, with those of the quantities that it reads";
  CHECK_THROWS_WITH_AS(operations("u", deep, 1000), too_deep.c_str(), FormulaError);
  CHECK_THROWS_WITH_AS(operations("u", "{0}", 80'000), too_deep.c_str(), FormulaError);
}
