// Configs with complex fields: what is accepted comes back, and mistakes have their place.
#include <fmt/format.h>

#include "config_helpers.hpp"

namespace lapl {
namespace {

std::string complex_config(const std::string& rate, const std::string& more = "",
                           const std::string& fields = "{psi: complex, u: real}",
                           const std::string& let = "") {
  return "grid: {shape: [4, 5]}\nfields: " + fields + "\nequation:\n  kind: formula\n" + let +
         "  psi: " + rate + "\n  u: laplacian(u) + re(psi)\ntime: {steps: 1, step: 0.01}\n" +
         (more.find("initial:") == std::string::npos
              ? "initial: {psi: {kind: formula, formula: exp(i * x)}, u: {kind: uniform}}\n"
              : "") +
         more;
}

TEST_CASE("configs with complex fields come back") {
  for (const char* const more :
       {"", "output: {fields: [psi]}\n",
        "output: {fields: [psi_im, size, psi_re], derived: {size: {formula: abs(psi)}}, "
        "integrals: {norm: abs(psi)^2}}\n",
        "initial: {psi_re: {kind: uniform}, psi_im: {kind: gaussian}, u: {kind: uniform}}\n",
        "boundary: {rows: periodic, columns: {first: {psi: {value: i}, u: zero}, last: zero}}\n"})
    CHECK(come_back(complex_config("i * laplacian(psi)", more)) == "accepted");
  CHECK(come_back("grid: {shape: [9]}\nfields: {A: complex}\nequation: {kind: formula, A: i * A}\n"
                  "initial: {kind: formula, formula: exp(i * x), seed: 7}\n"
                  "time: {steps: 1, step: 0.01}\n") == "accepted");
  CHECK(come_back("grid: {shape: [9]}\nfields: {u: real, i: real}\nequation: {kind: formula, "
                  "u: i * u, i: u}\ninitial: {u: {kind: uniform}, i: {kind: uniform}}\n"
                  "time: {steps: 1, step: 0.01}\n") == "accepted");
}

TEST_CASE("a setting that makes a complex field real takes its parts away") {
  const std::string text =
      "grid: {shape: [4]}\nfields: {psi: complex}\nequation: {kind: formula, psi: -psi}\n"
      "initial: {psi_re: {kind: uniform}, psi_im: {kind: uniform}}\ntime: {steps: 1, step: 0.01}\n";
  CHECK(come_back(text) == "accepted");
  CHECK(mistakes_in(text, {"fields=[psi]"}).find("initial.psi_re: unknown key") !=
        std::string::npos);
}

TEST_CASE("a complex value where a real one is due has a message with its place") {
  const struct {
    std::string config, message;
  } rows[] = {
      {complex_config("where(psi > 0, 1, psi)"),
       "bad.yaml:5:18: equation.psi: > of a complex value (expected a real one, such as re, im, "
       "abs or arg of it)\n    where(psi > 0, 1, psi)\n              ^"},
      {complex_config("sin(psi)"),
       "bad.yaml:5:8: equation.psi: sin of a complex value (expected a real one, such as re, im, "
       "abs or arg of it)\n    sin(psi)\n    ^"},
      {complex_config("psi^0.5"),
       "bad.yaml:5:11: equation.psi: ^ of a complex value (expected an integer exponent of at most "
       "64)\n    psi^0.5\n       ^"},
      {complex_config("conj(psi, u)"),
       "bad.yaml:5:8: equation.psi: conj of 2 arguments (expected conj(a))\n    conj(psi, u)\n    "
       "^"},
      {complex_config("(1 + i) * noise"),
       "bad.yaml:5:18: equation.psi: noise is read by the real and by the imaginary part, each of "
       "which "
       "would draw numbers of its own (expected one in each part, or a quantity for it: in "
       "equation.let for noise, in initial.let for random)\n    (1 + i) * noise\n              ^"},
      {complex_config("laplacian(phi)"),
       "bad.yaml:5:18: equation.psi: unknown name phi (expected psi_im, psi_re, u, "},
      {complex_config("psi", "output: {derived: {a: {formula: i * psi}}}\n"),
       "bad.yaml:9:19: output.derived: a: a complex value (expected a real one, such as re, im, "
       "abs "
       "or arg of it)\n    i * psi\n      ^"},
      {complex_config("psi", "output: {integrals: {a: psi}}\n"),
       "bad.yaml:9:21: output.integrals: a: a complex value (expected a real one, such as re, im, "
       "abs or arg of it)\n    psi\n    ^"},
      {complex_config("psi * q", "", "{psi: complex, u: real}", "  let: {q: floor(psi)}\n"),
       "bad.yaml:5:8: equation.let: q: floor of a complex value (expected a real one, such as re, "
       "im, abs or arg of it)\n    floor(psi)\n    ^"},
      {complex_config("psi", "boundary: {rows: zero, columns: {first: {value: i}, last: zero}}\n"),
       "bad.yaml:9:33: boundary.columns: a complex value (expected a real one, such as re, im, abs "
       "or arg of it)\n    i\n    ^"},
      {complex_config("psi * i", "parameters: {i: 2}\n"),
       "bad.yaml:9:17: parameters.i: found the name i, the imaginary unit where a field is complex "
       "(expected another)"},
      {complex_config("psi * a", "parameters: {a: {formula: i * x}}\n"),
       "bad.yaml:9:17: parameters.a: unknown name i (it has a meaning in formulas of complex "
       "fields "
       "alone: docs/complex-fields.md)\n    i * x\n    ^"},
      {complex_config("psi", "", "{psi: complex, u: imaginary}"),
       "bad.yaml:2:27: fields: u: found imaginary (expected real or complex, or {kind: real or "
       "complex, unit: UNIT, label: TEXT, standard_name: NAME})"},
      {complex_config("psi", "", "{psi: complex, u: real, psi_re: real}"),
       "bad.yaml:2:9: fields: found the name psi_re, which is taken (expected a name of its own)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.config);
    const std::string found = mistakes_in(row.config);
    CHECK(found.substr(0, row.message.size()) == row.message);
  }
  const std::string all = mistakes_in(
      "grid: {shape: [4, 5]}\nfields: {psi: complex, u: real, w: real}\nparameters: {i: 1}\n"
      "equation:\n  kind: formula\n  let: {q: floor(psi), r: i * q + zeta, s: (psi}\n"
      "  psi: sin(psi) + q\n  u: psi + s\n  w: laplacian(v)\n"
      "boundary:\n  rows: {first: {u: {value: i}, psi: {value: psi < 1}, w: {value: xi}, s: "
      "{value: i}}, last: zero}\n"
      "  columns: {first: {absorbing: i}, last: {value: eta}}\n"
      "initial:\n  let: {a: i}\n  psi: {kind: formula, formula: exp(psi < i)}\n"
      "  u: {kind: formula, formula: i * a}\n  w: {kind: formula, formula: theta}\n"
      "output: {derived: {d: i}, integrals: {e: i}}\ntime: {scheme: imex, steps: 1}\n");
  int count = 0;
  for (auto at = all.find("bad.yaml:"); at != all.npos; at = all.find("bad.yaml:", at + 1)) ++count;
  const char* const messages[] = {
      "parameters.i: found the name i",
      "equation.let: q: floor of a complex value",
      "equation.let: r_re: unknown name zeta",
      "equation.let: s: ",
      "equation.psi: sin of a complex value",
      "equation.u: a complex value",
      "equation.w: unknown name v",
      "boundary.rows: a complex value",
      "boundary.rows: < of a complex value",
      "boundary.rows: unknown name xi",
      "boundary.columns: a complex value",
      "boundary.columns: unknown name eta",
      "initial.let: a: a complex value",
      "initial.psi: < of a complex value",
      "initial.u: a complex value",
      "initial.w: unknown name theta",
      "output.derived: d: a complex value",
      "output.integrals: e: a complex value",
  };
  CAPTURE(all);
  for (const char* const message : messages)
    CHECK_MESSAGE(all.find(message) != all.npos, std::string(message));
  CHECK(count == std::size(messages));
  std::string chain = "let: {q0: psi", power = "psi", sum = "psi";
  for (int i = 1; i < 3000; ++i) chain += fmt::format(", q{}: q{} + i", i, i - 1);
  for (int i = 0; i < 150; ++i) power = "(" + power + ")^63";
  for (const std::string& deep :
       {complex_config("psi", "", "{psi: complex, u: real}", "  " + chain + "}\n"),
        complex_config(power)})
    CHECK(mistakes_in(deep).find("more than 1000") != std::string::npos);
  for (int i = 0; i < 500; ++i) sum += " + i";
  CHECK(mistakes_in(complex_config(sum)) == "accepted");
  CHECK(mistakes_in("grid: {shape: [4]}\nfields: {psi: complex}\nequation: {diffusivity: 1}\n"
                    "time: {steps: 1, step: 0.1}\n")
            .find("fields: found a complex field without equation.kind: formula") !=
        std::string::npos);
}

}  // namespace
}  // namespace lapl
