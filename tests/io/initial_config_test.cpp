// Initial fields that read each other, and initial.let.
#include <fmt/format.h>

#include "tests/io/config_helpers.hpp"

namespace lapl {
namespace {

std::string config_with_initial(const std::string& initial, const std::string& fields = "u, v") {
  return "grid: {shape: [4, 5]}\nfields: [" + fields +
         "]\nequation: {kind: formula, u: laplacian(u), v: '0'}\n"
         "time: {step: 0.1, steps: 1}\ninitial: " +
         initial + "\n";
}

}  // namespace

TEST_CASE("initial.let comes back from resolved configs, for one field and for several") {
  CHECK(come_back(config_with_initial("{let: {r: random, s: r^2}, u: {kind: formula, formula: s}, "
                                      "v: {kind: formula, formula: 1 - r + u}}")) == "accepted");
  const std::string one =
      "grid: {shape: [4, 5]}\nequation: {kind: formula, field: laplacian(field)}\n"
      "time: {step: 0.1, steps: 1}\ninitial: ";
  CHECK(come_back(one + "{kind: formula, let: {r: random - 0.5}, formula: r * r, seed: 4}") ==
        "accepted");
  CHECK(come_back(one + "{let: {r: random - 0.5}, field: {kind: formula, formula: r * r}}") ==
        "accepted");
  CHECK(mistakes_in(one + "{kind: uniform, let: {r: '1'}}") ==
        "bad.yaml:4:31: initial.let: does not apply to initial.kind uniform (it belongs to "
        "formula)");
}

TEST_CASE("each mistake in formulas of initial fields has its message") {
  const std::pair<std::string, std::string> rows[] = {
      {"{u: {kind: formula, formula: v + 1}, v: {kind: formula, formula: 2 * u}}",
       "bad.yaml:5:50: initial.v: initial fields read each other: u, v, u\n    2 * u\n        ^"},
      {"{u: {kind: formula, formula: u}, v: {kind: uniform}}",
       "bad.yaml:5:14: initial.u: initial fields read each other: u, u\n    u\n    ^"},
      {"{let: {a: b, b: v}, u: {kind: formula, formula: a}, v: {kind: formula, formula: a}}",
       "bad.yaml:5:65: initial.v: initial fields read each other: a, b, v, a\n    a\n    ^"},
      {"{let: {a: b, b: 1 + a}, u: {kind: formula, formula: a}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: b: initial fields read each other: a, b, a\n    1 + a\n"
       "        ^"},
      {"{let: {a: random}, u: {kind: uniform}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: a is not used (no formula reads it)"},
      {"{let: {u: random}, u: {kind: uniform}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: found the name u, which is taken (expected a name of its own)"},
      {"{let: {sin: random}, u: {kind: uniform}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: found the name sin, which formulas have already (expected "
       "another)"},
      {"{let: {a: lapl + q}, u: {kind: formula, formula: a}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: a: unknown name lapl (expected a, u, v, x, y, random or a "
       "function of docs/formulas.md; numbers of your own stand in parameters)\n    lapl + q\n    "
       "^"},
      {"{let: random, u: {kind: formula, formula: a}, v: {kind: uniform}}",
       "bad.yaml:5:16: initial.let: found random (expected a map of names with a formula each)\n"
       "bad.yaml:5:27: initial.u: unknown name a (expected u, v, x, y, random or a function of "
       "docs/formulas.md; numbers of your own stand in parameters)\n    a\n    ^"},
      {"{u: {kind: formula, formula: laplacian(v)}, v: {kind: uniform}}",
       "bad.yaml:5:14: initial.u: laplacian has no meaning here (expected a formula of the "
       "position and parameters)\n    laplacian(v)\n    ^"}};
  for (const auto& [initial, message] : rows)
    CHECK(mistakes_in(config_with_initial(initial)) == message);
  CHECK(mistakes_in("grid: {shape: [4, 5]}\nfields: [let]\nequation: {kind: formula}\ntime: {step: "
                    "1, steps: 1}\n")
            .find("fields: found the name let, which keys, outputs or checkpoints have already") !=
        std::string::npos);
  std::string chain = "a0: random";
  for (int i = 1; i < 1100; ++i) chain += fmt::format(", a{}: a{}", i, i - 1);
  CHECK(mistakes_in(config_with_initial("{let: {" + chain +
                                        "}, u: {kind: formula, formula: a1099}, v: {kind: "
                                        "uniform}}"))
            .find("more than 1000 initial fields one upon the other") == std::string::npos);
  std::string hung = "a1099: random";
  for (int i = 1098; i >= 0; --i) hung = fmt::format("a{}: a{}, ", i, i + 1) + hung;
  CHECK(mistakes_in(config_with_initial("{let: {" + hung +
                                        "}, u: {kind: formula, formula: a0}, v: {kind: uniform}}"))
            .find("more than 1000 initial fields one upon the other") != std::string::npos);
}

}  // namespace lapl
