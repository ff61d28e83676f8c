// Mistakes in configs of formulas: a line with one mistake, and the whole message.
#include "config_helpers.hpp"

namespace lapl {
namespace {

struct FormulaMistake {
  const char* line;
  const char* message;
};

// The line replaces the one of its section, or is added as line 7.
const FormulaMistake formula_mistake_rows[] = {
    // clang-format off
    {"fields: [u, v, w]",
     "bad.yaml:4:1: equation.w: missing (expected a formula, or {next: FORMULA})\n"
     "bad.yaml:6:1: initial.w: missing (expected a formula, or a map of kind and the keys of section initial that it reads)"},
    {"fields: [2u, v]",
     "bad.yaml:2:9: fields: found the name 2u (expected letters, digits and _, first a letter)\n"
     "bad.yaml:4:27: equation.u: unknown key (did you mean equation.v?)\n"
     "bad.yaml:6:11: initial.u: unknown key (did you mean initial.v?)"},
    {"fields: [u, kind]",
     "bad.yaml:2:9: fields: found the name kind, which keys, outputs or checkpoints have already (expected another)\n"
     "bad.yaml:4:48: equation.v: unknown key (did you mean equation.u?)\n"
     "bad.yaml:6:1: initial.kind: missing (expected a formula, or a map of kind and the keys of section initial that it reads)\n"
     "bad.yaml:6:31: initial.v: unknown key (did you mean initial.u?)"},
    {"fields: [u, \"v w\"]",
     "bad.yaml:2:9: fields: found the name v w (expected letters, digits and _, first a letter)\n"
     "bad.yaml:4:48: equation.v: unknown key (did you mean equation.u?)\n"
     "bad.yaml:6:31: initial.v: unknown key (did you mean initial.u?)"},
    {"parameters: {a: 1, D: {formula: \"1 + x\"}, b: 2}",
     "bad.yaml:3:46: parameters.b: not used (no formula reads it)"},
    {"parameters: {a: 1, D: {formula: \"1 + u\"}}",
     "bad.yaml:3:23: parameters.D: unknown name u (expected a, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    1 + u\n"
     "        ^"},
    {"parameters: {a: 1, D: {formula: \"1 + t\"}}",
     "bad.yaml:3:23: parameters.D: t has no meaning here (expected a formula of the position and parameters)\n"
     "    1 + t\n"
     "        ^"},
    {"parameters: {a: 1, D: {formula: \"laplacian(x)\"}}",
     "bad.yaml:3:23: parameters.D: laplacian has no meaning here (expected a formula of the position and parameters)\n"
     "    laplacian(x)\n"
     "    ^"},
    {"parameters: {a: 1, D: {formula: \"random\"}}",
     "bad.yaml:3:23: parameters.D: random has no meaning here (expected a formula of the position and parameters)\n"
     "    random\n"
     "    ^"},
    {"parameters: {a: 1, D: {formula: \"1 + \"}}",
     "bad.yaml:3:23: parameters.D: ends where a number, a name or ( is expected\n"
     "    1 + \n"
     "        ^"},
    {"parameters: {a: 1, D: {hdf5: d.h5, range: [0, 1]}}",
     "bad.yaml:3:36: parameters.D: range: unknown key (expected hdf5, dataset or record)"},
    {"parameters: {a: 1, D: {value: 1}}",
     "bad.yaml:3:23: parameters.D: formula: missing\n"
     "bad.yaml:3:24: parameters.D: value: unknown key (expected formula)"},
    {"parameters: {a: 1, D: 1, u: 2}",
     "bad.yaml:3:29: parameters.u: found the name u, which is taken (expected a name of its own)"},
    {"parameters: {a: 1, D: 1, x: 2}",
     "bad.yaml:3:29: parameters.x: found the name x, which formulas have already (expected another)"},
    {"equation: {kind: formula, u: a * laplacian(u) + D}",
     "bad.yaml:4:1: equation.v: missing (expected a formula, or {next: FORMULA})"},
    {"equation: {kind: formula, u: a * lapalcian(u), v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name lapalcian (did you mean laplacian?)\n"
     "    a * lapalcian(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * d2_dydx(u), v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name d2_dydx (did you mean d2_dxdy?)\n"
     "    a * d2_dydx(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * asin(u), v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name asin (docs/formulas.md has the functions that there are)\n"
     "    a * asin(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: \"a * arctan2(u, v)\", v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name arctan2 (did you mean atan2?)\n"
     "    a * arctan2(u, v)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * atan2(u), v: D * u}",
     "bad.yaml:4:34: equation.u: atan2 of 1 argument (expected atan2(b, a))\n"
     "    a * atan2(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * laplace(u), v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name laplace (did you mean laplacian?)\n"
     "    a * laplace(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: \"a * fmod(u, 1)\", v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name fmod (did you mean mod?)\n"
     "    a * fmod(u, 1)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * div(a * gradient(u)), v: D * u}",
     "bad.yaml:4:34: equation.u: unknown name div (did you mean divergence?)\n"
     "    a * div(a * gradient(u))\n"
     "        ^"},
    {"equation: {kind: formula, u: a * laplacian(w), v: D * u}",
     "bad.yaml:4:44: equation.u: unknown name w (expected D, u, v, a, t, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    a * laplacian(w)\n"
     "                  ^"},
    {"equation: {kind: formula, u: a * u +, v: D * u}",
     "bad.yaml:4:37: equation.u: ends where a number, a name or ( is expected\n"
     "    a * u +\n"
     "           ^"},
    {"equation: {kind: formula, u: a * u, v: D * u, w: 1}",
     "bad.yaml:4:47: equation.w: unknown key (did you mean equation.u?)"},
    {"equation: {kind: formula, u: a * u / 0, v: D * u}",
     "bad.yaml:4:36: equation.u: division by 0\n"
     "    a * u / 0\n"
     "          ^"},
    {"equation: {kind: formula, u: \"a * where(u, v)\", v: D * u}",
     "bad.yaml:4:34: equation.u: where of 2 arguments (expected where(condition, a, b))\n"
     "    a * where(u, v)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * gradient(u), v: D * u}",
     "bad.yaml:4:34: equation.u: gradient outside of divergence (expected divergence(D * gradient(e)); d_dx(e) is one component)\n"
     "    a * gradient(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: a * d_dz(u), v: D * u}",
     "bad.yaml:4:34: equation.u: d_dz on a grid of 2 axes (there is no axis z)\n"
     "    a * d_dz(u)\n"
     "        ^"},
    {"equation: {kind: formula, u: a, v: D, let: {p: q + u, q: p}}",
     "bad.yaml:4:44: equation.let: q: p is made of itself\n"
     "    p\n"
     "    ^"},
    {"equation: {kind: formula, u: a, v: D, let: {p: u}}",
     "bad.yaml:4:44: equation.let: p is not used (no formula reads it)"},
    {"equation: {kind: formula, u: a * p, v: D, let: {p: u + w}}",
     "bad.yaml:4:48: equation.let: p: unknown name w (expected D, u, v, a, p, t, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    u + w\n"
     "        ^"},
    {"equation: {kind: formula, u: a * p, v: D, let: {p: u + }}",
     "bad.yaml:4:48: equation.let: p: ends where a number, a name or ( is expected\n"
     "    u +\n"
     "       ^"},
    {"equation: {kind: formula, u: a * p, v: D, let: {p: u, p: v}}",
     "bad.yaml:4:34: equation.u: unknown name p (expected D, u, v, a, t, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    a * p\n"
     "        ^\n"
     "bad.yaml:4:55: equation.let: p: repeated (first given in line 4)"},
    {"equation: {kind: formula, u: a * D, v: D, let: {D: u}}",
     "bad.yaml:4:48: equation.let: found the name D, which is taken (expected a name of its own)"},
    {"equation: {kind: formula, u: [a], v: D}",
     "bad.yaml:4:30: equation.u: found a list (expected a formula, or {next: FORMULA})"},
    {"equation: {kind: formula, u: 1, v: a * D, coefficient: 1}",
     "bad.yaml:4:56: equation.coefficient: does not apply to equation.kind formula (it belongs to diffusion)"},
    {"equation: {kind: formular, u: 1, v: a * D}",
     "bad.yaml:4:18: equation.kind: found formular (expected diffusion or formula; did you mean formula?)"},
    {"time: {steps: 1, step: 0}",
     "bad.yaml:5:24: time.step: found 0, out of range (expected a number above 0)"},
    {"time: {steps: 1, step: 0.1, scheme: rk5}",
     "bad.yaml:5:37: time.scheme: found rk5 (expected euler, heun, midpoint, ssprk3, rk4, bs23, "
     "dopri5, leapfrog, rkl2, imex, etdrk2, etdrk4, backward-euler, sdirk2 or steady)"},
    {"time: {steps: 1, step: 0.1, stages: 3}",
     "bad.yaml:5:37: time.stages: given with time.scheme euler (it belongs to rkl2)"},
    {"time: {steps: 1, step: 0.1, scheme: rkl2, stages: 1}",
     "bad.yaml:5:51: time.stages: found 1, out of range (expected an integer from 2 to 128)"},
    {"time: {steps: 1, step: auto, scheme: rkl2}",
     "bad.yaml:5:24: time.step: found auto, and time.stages is auto too (expected a number for one of them)"},
    {"boundary: {columns: {first: zero}}",
     "bad.yaml:7:21: boundary.columns: last: missing (expected a condition at right, top or front, "
       "or one for both sides)"},
    {"boundary: {columns: {first: zero, last: periodic}}",
     "bad.yaml:7:41: boundary.columns: last: found periodic, which is of both sides (write it for the axis, or for a field at both sides: {u: periodic, v: insulated})"},
    {"boundary: {columns: {first: zero, last: {value: w}}}",
     "bad.yaml:7:21: boundary.columns: unknown name w (expected u, v, a, D, t, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    w\n"
     "    ^"},
    {"equation: {kind: formula, u: a * u + laplacian(noise), v: D * u}",
     "bad.yaml:4:38: equation.u: laplacian of noise, which it would read at neighbours (expected noise outside of operators)\n"
     "    a * u + laplacian(noise)\n"
     "            ^"},
    {"equation: {kind: formula, let: {q: u + noise}, u: a * d_dx(q), v: D * u}",
     "bad.yaml:4:55: equation.u: d_dx of noise, which it would read at neighbours (expected noise outside of operators)\n"
     "    a * d_dx(q)\n"
     "        ^"},
    {"equation: {kind: formula, u: divergence(noise(3) * gradient(u)), v: D * a}",
     "bad.yaml:4:30: equation.u: divergence of noise, which it would read at neighbours (expected noise outside of operators)\n"
     "    divergence(noise(3) * gradient(u))\n"
     "    ^"},
    {"equation: {kind: formula, u: a * noise(-1), v: D * u}",
     "bad.yaml:4:34: equation.u: noise of what is no seed (expected noise, or noise(seed) with an integer of 0 to 9007199254740992 that is written out)\n"
     "    a * noise(-1)\n"
     "        ^"},
    {"parameters: {a: 1, D: {formula: \"1 + noise\"}}",
     "bad.yaml:3:23: parameters.D: noise has no meaning here (expected a formula of the position and parameters)\n"
     "    1 + noise\n"
     "        ^"},
    {"boundary: {columns: {first: zero, last: {value: noise}}}",
     "bad.yaml:7:21: boundary.columns: noise has no meaning at a face (a condition is of t, the position, parameters and fields)\n"
     "    noise\n"
     "    ^"},
    {"boundary: {columns: {first: zero, last: {value: 3, at: middle}}}",
     "bad.yaml:7:56: boundary.columns: last.at: found middle (expected face, node, or ghost for one cell outside the last node, which is where a value holds by default)"},
    {"boundary: {columns: {first: zero, last: {value: laplacian(u)}}}",
     "bad.yaml:7:21: boundary.columns: laplacian has no meaning at a face (a condition is of t, the position, parameters and fields)\n"
     "    laplacian(u)\n"
     "    ^"},
    {"boundary: {columns: {first: zero, last: {value: 1 +}}}",
     "bad.yaml:7:21: boundary.columns: ends where a number, a name or ( is expected\n"
     "    1 +\n"
     "       ^"},
    {"boundary: {columns: {first: zero, last: {valeu: 1}}}",
     "bad.yaml:7:42: boundary.columns: last.valeu: unknown key (did you mean value?)"},
    {"boundary: {columns: {first: zero, last: {w: zero}}}",
     "bad.yaml:7:21: boundary.columns: found a condition for w, which is no field (expected u, v)\n"
     "bad.yaml:7:21: boundary.columns: last: no condition for u (expected one for each of u, v)\n"
     "bad.yaml:7:21: boundary.columns: last: no condition for v (expected one for each of u, v)"},
    {"boundary: {columns: {first: zero, last: {u: {value: 1}, u: zero}}}",
     "bad.yaml:7:57: boundary.columns: last.u: repeated (first given in line 7)"},
    {"boundary: {columns: {first: zero, last: {mixed: 1}}}",
     "bad.yaml:7:49: boundary.columns: last.mixed: found 1 (expected {value: b, factor: a}, of du/dn + a u = b)"},
    {"boundary: {columns: {first: zero, last: {mixed: {value: 1}}}}",
     "bad.yaml:7:49: boundary.columns: last.mixed.factor: missing (expected a in du/dn + a u = b)"},
    {"boundary: {columns: {first: zero, last: {mixed: {value: 1, factor: -2}}}}",
     "bad.yaml:7:21: boundary.columns: makes 1/h + factor/2 zero\n"
     "    -2\n"
     "    ^"},
    {"boundary: {columns: {first: zero, last: {mixed: {value: 1, facter: 2}}}}",
     "bad.yaml:7:60: boundary.columns: last.mixed.facter: unknown key (did you mean factor?)"},
    {"boundary: {columns: {first: zero, last: {u: {value: 1, derivative: 2}}}}",
     "bad.yaml:7:45: boundary.columns: last.u: found value and derivative (expected one of them: zero, insulated, {value: u}, {value: u, at: face}, {value: u, at: node}, {derivative: du/dn}, {mixed: {value: b, factor: a}}, {absorbing: c}, or a map of fields with these)"},
    {"boundary: {columns: {first: zero, last: {}}}",
     "bad.yaml:7:41: boundary.columns: last: expected zero, insulated, {value: u}, {value: u, at: face}, {value: u, at: node}, {derivative: du/dn}, {mixed: {value: b, factor: a}}, {absorbing: c}, or a map of fields with these"},
    {"boundary: {columns: {first: zero, last: [1]}}",
     "bad.yaml:7:41: boundary.columns: last: found a list (expected zero, insulated, {value: u}, {value: u, at: face}, {value: u, at: node}, {derivative: du/dn}, {mixed: {value: b, factor: a}}, {absorbing: c}, or a map of fields with these)"},
    {"initial: {u: {kind: uniform}, w: {kind: uniform}}",
     "bad.yaml:6:1: initial.v: missing (expected a formula, or a map of kind and the keys of section initial that it reads)\n"
     "bad.yaml:6:31: initial.w: unknown key (did you mean initial.u?)"},
    {"initial: {kind: uniform, u: {kind: uniform}}",
     "bad.yaml:6:1: initial.v: missing (expected a formula, or a map of kind and the keys of section initial that it reads)\n"
     "bad.yaml:6:11: initial.kind: does not apply where fields have their own (write initial.FIELD: {kind: ...})"},
    {"initial: {u: {kind: uniform, value: 1}}",
     "bad.yaml:6:1: initial.v: missing (expected a formula, or a map of kind and the keys of section initial that it reads)"},
    {"initial: {u: {kind: uniform, tile: 1}, v: {kind: uniform}}",
     "bad.yaml:6:36: initial.u: tile: does not apply to kind uniform (it belongs to checkerboard)"},
    {"initial: {u: {kind: formula}, v: {kind: uniform}}",
     "bad.yaml:6:14: initial.u: formula: missing (expected a formula)"},
    {"initial: {u: {kind: formula, formula: \"u + 1\"}, v: {kind: uniform}}",
     "bad.yaml:6:14: initial.u: initial fields read each other: u, u\n"
     "    u + 1\n"
     "    ^"},
    {"initial: {u: {kind: formula, formula: \"random + t\"}, v: {kind: uniform}}",
     "bad.yaml:6:14: initial.u: t has no meaning here (expected a formula of the position and parameters)\n"
     "    random + t\n"
     "             ^"},
    {"initial: {u: uniform, v: {kind: uniform}}",
     "bad.yaml:6:14: initial.u: unknown name uniform (did you mean {kind: uniform}?)\n"
     "    uniform\n"
     "    ^"},
    {"output: {derived: {s: {formula: \"gradient_squared(u)\"}}, fields: [u, v, q]}",
     "bad.yaml:7:73: output.fields: found q (expected u, v or s)"},
    {"output: {derived: {s: {formula: \"w\"}}}",
     "bad.yaml:7:19: output.derived: s: unknown name w (expected D, u, v, a, t, x, y or a function of docs/formulas.md; numbers of your own stand in parameters)\n"
     "    w\n"
     "    ^"},
    {"output: {derived: {u: {formula: \"v\"}}}",
     "bad.yaml:7:19: output.derived: found the name u, which is taken (expected a name of its own)"},
    {"output: {derived: {s: {formula: \"u +\"}}}",
     "bad.yaml:7:19: output.derived: s: ends where a number, a name or ( is expected\n"
     "    u +\n"
     "       ^"},
    {"output: {derived: {s: {unit: m}}}",
     "bad.yaml:7:23: output.derived: s.formula: missing"},
    {"output: {derived: {s: {formula: u, units: m}}}",
     "bad.yaml:7:36: output.derived: s.units: unknown key (did you mean unit?)"},
    {"output: {derived: [s]}",
     "bad.yaml:7:19: output.derived: found a list (expected a map of names, each with {formula: FORMULA, unit: UNIT})"},
    {"output: {fields: [u, laplacian]}",
     "bad.yaml:7:22: output.fields: found laplacian (expected u or v)"},
    {"output: {derived: {sin: {formula: u}}}",
     "bad.yaml:7:19: output.derived: found the name sin, which formulas have already (expected another)"},
    {"output: {derived: {time: {formula: u}}}",
     "bad.yaml:7:19: output.derived: found the name time, which outputs have already (expected another)"},
    {"fields: [u, time]",
     "bad.yaml:2:9: fields: found the name time, which keys, outputs or checkpoints have already (expected another)\n"
     "bad.yaml:4:1: equation.time: missing (expected a formula, or {next: FORMULA})\n"
     "bad.yaml:4:48: equation.v: unknown key (did you mean equation.u?)\n"
     "bad.yaml:6:1: initial.time: missing (expected a formula, or a map of kind and the keys of section initial that it reads)\n"
     "bad.yaml:6:31: initial.v: unknown key (did you mean initial.u?)"},
    {"boundary: {columns: {first: zero, last: {u: {value: 1}}}}",
     "bad.yaml:7:21: boundary.columns: last: no condition for v (expected one for each of u, v)"},
    // clang-format on
};

std::string formula_config_with(const std::string& line) {
  const std::vector<std::string> lines = {
      "grid: {shape: [4, 5]}",
      "fields: [u, v]",
      "parameters: {a: 1, D: {formula: \"1 + x\"}}",
      "equation: {kind: formula, u: a * laplacian(u), v: D * u}",
      "time: {steps: 1, step: 0.1}",
      "initial: {u: {kind: uniform}, v: {kind: uniform}}"};
  const std::string section = line.substr(0, line.find(':') + 1);
  std::string text;
  bool replaced = line.empty();
  for (const std::string& old : lines) {
    const bool same = !line.empty() && old.starts_with(section);
    text += (same ? line : old) + '\n';
    replaced = replaced || same;
  }
  return replaced ? text : text + line + '\n';
}

TEST_CASE("steps by error estimate the first step unless it is given") {
  const auto step_with = [](const char* step) {
    return config_value(parse(std::string("grid: {shape: [4, 5]}\n"
                                          "equation: {kind: formula, field: -field}\n"
                                          "initial: {kind: uniform, value: 2}\n"
                                          "time: {scheme: bs23, tolerance: 1e-4, end: 1") +
                              step + "}\n"),
                        "time.step");
  };
  CHECK(step_with("") == "0.009");
  CHECK(step_with(", step: auto") == "0.009");
  CHECK(step_with(", step: null") == "0.009");
  CHECK(step_with(", step: 0.25") == "0.25");
}

TEST_CASE("names of fields that YAML reads as truth values must be quoted") {
  for (const std::string name : {"n", "Y"}) {
    const std::string text = "grid: {shape: [4, 5]}\nfields: [" + name +
                             "]\nequation: {coefficient: 0.1}\ntime: {steps: 1}\n";
    CHECK(mistakes_in(text) == "bad.yaml:2:10: fields: found " + name +
                                   ", which YAML reads as a truth value (quote it: \"" + name +
                                   "\")");
  }
}

TEST_CASE("each mistake in a config of formulas has its message") {
  REQUIRE(mistakes_in(formula_config_with("")) == "accepted");
  for (const FormulaMistake& row : formula_mistake_rows) {
    CAPTURE(row.line);
    CHECK(mistakes_in(formula_config_with(row.line)) == std::string(row.message));
  }
}

TEST_CASE("names, parameters and outputs of a wrong form are reported as mistakes") {
  for (const char* const line : {"fields: []", "fields: {}", "fields: [[u]]", "fields: [u, u]",
                                 "parameters: [1]", "parameters: {[a]: 1}", "equation: [u]",
                                 "output: {derived: {[a]: u}}", "output: {derived: {\"\": u}}"}) {
    CAPTURE(line);
    CHECK(mistakes_in(formula_config_with(line)).starts_with("bad.yaml:"));
  }
}

TEST_CASE(
    "conditions, parameters, initial fields and derived outputs reach the run as they are "
    "written") {
  const RunConfig run =
      parse(
          "grid: {shape: [4, 5], spacing: 0.5}\n"
          "fields: [u, v]\n"
          "parameters: {a: 2, D: {formula: 1 + x}, E: {image: e.png, range: [-1, 3]},\n"
          "             F: {hdf5: f.h5, dataset: /g}}\n"
          "equation: {kind: formula, let: {p: a * u}, u: D * laplacian(p) + E, v: F}\n"
          "time: {steps: 1, step: 0.1, scheme: rk4}\n"
          "boundary:\n"
          "  columns: {first: {at: face, value: sin(t)},\n"
          "            last: {u: insulated, v: {derivative: y}, p: {value: 2, at: ghost}}}\n"
          "  rows: periodic\n"
          "initial: {u: {kind: uniform, value: 3}, v: {kind: formula, formula: x * random}}\n"
          "output: {derived: {s: {formula: u * v, unit: m2}, q: a * u}, fields: [u, s, q]}\n")
          .run;
  CHECK(run.fields == std::vector<std::string>{"u", "v"});
  CHECK(run.scheme.kind == Scheme::rk4);
  CHECK(run.parameters.at("a").number == 2);
  CHECK(run.parameters.at("D").formula == "1 + x");
  CHECK(run.parameters.at("E").path == "/configs/e.png");
  CHECK(run.parameters.at("E").range == std::array{-1.0, 3.0});
  CHECK(run.parameters.at("F").dataset == "/g");
  CHECK(run.equation.rates.at("u") == "D * laplacian(p) + E");
  CHECK(run.equation.quantities == NamedFormulas{{"p", "a * u"}});
  CHECK(run.boundaries.rows == Boundary::periodic);
  REQUIRE(run.conditions.size() == 4);
  CHECK(run.conditions[0].value == "sin(t)");
  CHECK(
      (run.conditions[0].array.empty() && run.conditions[0].axis == 2 && !run.conditions[0].last));
  CHECK(run.conditions[0].kind == ConditionKind::value_at_face);
  CHECK((run.conditions[1].array == "u" && run.conditions[1].kind == ConditionKind::derivative));
  CHECK(
      (run.conditions[2].array == "v" && run.conditions[2].value == "y" && run.conditions[2].last));
  CHECK((run.conditions[3].array == "p" && run.conditions[3].kind == ConditionKind::value));
  CHECK(run.initials.at("u").value == 3);
  CHECK(run.initials.at("v").formula == "x * random");
  REQUIRE(run.derived.size() == 2);
  CHECK((run.derived[0].formula == "u * v" && run.derived[0].unit == "m2"));
  CHECK((run.derived[1].formula == "a * u" && run.derived[1].unit.empty()));
}

}  // namespace
}  // namespace lapl
