// The short forms of configs mean the same as the long ones.
#include <fmt/format.h>

#include "config_helpers.hpp"

namespace lapl {
namespace {

// All keys with their values, without origins.
std::string meaning(const std::string& text, const std::vector<std::string>& settings = {}) {
  std::string lines;
  try {
    for (const ResolvedKey& key : parse(text, settings).keys)
      lines += key.key + " = " + key.value + '\n';
  } catch (const ConfigError& error) {
    return error.what();
  }
  return lines;
}

const std::string grid = "grid: {shape: [12, 16]}\n";

// A config of two fields with these sections in place of the long ones.
std::string two_fields(const std::string& boundary = "boundary: zero\n",
                       const std::string& initial =
                           "initial: {u: {kind: uniform}, v: {kind: "
                           "uniform}}\n",
                       const std::string& equation =
                           "fields: [u, v]\nequation: {kind: formula, u: "
                           "laplacian(u), v: -v}\n",
                       const std::string& time = "time: {step: 0.1, steps: 10}\n") {
  return grid + boundary + initial + equation + time;
}

}  // namespace

TEST_CASE("names in section equation are the fields, and formulas its kind") {
  const std::string initial = "initial: {u: {kind: uniform}, v: {kind: uniform}}\n";
  const std::string expected = meaning(two_fields());
  CHECK(expected.find("fields = [u, v]\n") != std::string::npos);
  for (const char* const equation : {"equation: {u: laplacian(u), v: -v}\n",
                                     "equation: {kind: formula, u: laplacian(u), v: -v}\n",
                                     "fields: [u, v]\nequation: {u: laplacian(u), v: -v}\n"}) {
    CAPTURE(std::string(equation));
    CHECK(meaning(two_fields("boundary: zero\n", initial, equation)) == expected);
  }
  CHECK(meaning(grid + "equation: {field: laplacian(field)}\ntime: {steps: 1, step: 0.1}\n") ==
        meaning(grid + "equation: {kind: formula, field: laplacian(field)}\ntime: {steps: 1, step: "
                       "0.1}\n"));
  // A setting replaces a rate, and may name a field that is declared.
  CHECK(meaning(two_fields(), {"equation.v=-2*v"}).find("equation.v = \"-2*v\"") !=
        std::string::npos);
  // Misspelt keys are no fields; what kind diffusion takes is unchanged.
  CHECK(mistakes_in(grid + "equation: {koefficient: 0.25}\ntime: {steps: 1}\n")
            .starts_with("bad.yaml:2:1: equation.coefficient: missing"));
  CHECK(mistakes_in(grid + "equation: {koefficient: 0.25}\ntime: {steps: 1}\n")
            .find("equation.koefficient: unknown key (did you mean equation.coefficient?)") !=
        std::string::npos);
  CHECK(mistakes_in(grid + "fields: [u]\nequation: {u: -u, w: 1}\ntime: {steps: 1}\n")
            .find("equation.w: unknown key") != std::string::npos);
  for (const char* const numbers :
       {"equation: {D: 0.25}\n", "equation: {D: 1, u: D*laplacian(u)}\ninitial: random\n"})
    CHECK(mistakes_in(grid + numbers + "time: {steps: 1, step: 0.1}\n")
              .find("equation.D: found the number ") != std::string::npos);
  for (const char* const numbers :
       {"equation: {u: 1}\ninitial: 0\n", "equation: {u: 0}\n",
        "equation: {D: 1, u: D*laplacian(u)}\ninitial: {D: 0, u: random}\n",
        "fields: [D, u]\nequation: {D: 1, u: D*laplacian(u)}\ninitial: random\n"})
    CHECK(mistakes_in(grid + numbers + "time: {steps: 1, step: 0.1}\n") == "accepted");
  CHECK(meaning(grid + "equation: {coefficient: 0.25}\ntime: {steps: 1}\n")
            .find("equation.kind = diffusion") != std::string::npos);
}

TEST_CASE("a bare initial value is a formula, which draws with the seed of the section") {
  const std::string zero = "boundary: zero\n";
  const auto of_one = [&](const std::string& initial) {
    return meaning(grid + initial + "equation: {u: laplacian(u)}\ntime: {steps: 1, step: 0.1}\n");
  };
  CHECK(of_one("initial: 1 - x\n") == of_one("initial: {kind: formula, formula: 1 - x}\n"));
  CHECK(of_one("initial: 0\n") == of_one("initial: {kind: formula, formula: 0}\n"));
  CHECK(of_one("initial: {formula: random}\n") ==
        of_one("initial: {kind: formula, formula: random}\n"));
  CHECK(of_one("initial: {u: random}\n") ==
        of_one("initial: {u: {kind: formula, formula: random}}\n"));
  CHECK(meaning(two_fields(zero, "initial: {let: {s: x < 4}, u: 1 - s, v: {formula: s}}\n")) ==
        meaning(two_fields(zero,
                           "initial: {let: {s: x < 4}, u: {kind: formula, formula: 1 - s}, v: "
                           "{kind: formula, formula: s}}\n")));
  CHECK(meaning(two_fields(zero, "initial: random\n")) ==
        meaning(two_fields(zero,
                           "initial: {u: {kind: formula, formula: random}, v: {kind: formula, "
                           "formula: random}}\n")));
  CHECK(meaning(two_fields(zero, "initial: {seed: 7, u: x, v: random}\n")) ==
        meaning(two_fields(zero,
                           "initial: {seed: 7, u: {kind: formula, formula: x, seed: 7}, v: {kind: "
                           "formula, formula: random, seed: 7}}\n")));
  CHECK(meaning(two_fields(zero, "initial: {v: {formula: random}, seed: 7, u: random}\n")) ==
        meaning(two_fields(zero, "initial: {seed: 7, u: random, v: random}\n")));
  CHECK(meaning(two_fields(zero, "initial: {seed: 7, u: random, v: random}\n"),
                {"initial.v=random"}) ==
        meaning(two_fields(zero, "initial: {seed: 7, u: random, v: random}\n")));
  CHECK(meaning(grid + "equation: {seed: laplacian(seed), v: laplacian(v)}\ninitial: {seed: 3, v: "
                       "random}\ntime: {steps: 1, step: 0.1}\n") ==
        meaning(grid +
                "equation: {seed: laplacian(seed), v: laplacian(v)}\ninitial: {seed: {kind: "
                "formula, formula: 3}, v: {kind: formula, formula: random}}\ntime: {steps: 1, "
                "step: 0.1}\n"));
  CHECK(meaning(two_fields(), {"initial.u=2"}) ==
        meaning(two_fields(), {"initial.u={kind: formula, formula: 2}"}));
}

TEST_CASE("a condition stands at all sides, at an axis, at a side, for all fields or by field") {
  struct Row {
    std::string given, rows, columns;
  };
  const std::string one = "{value: 1}", flux = "{derivative: 0}";
  const auto both = [](const std::string& condition) {
    return "{first: " + condition + ", last: " + condition + '}';
  };
  const std::string by_field = "{u: {value: 1}, v: insulated}";
  const Row rows[] = {
      {"1", both(one), both(one)},
      {"neumann", "insulated", "insulated"},
      {"dirichlet", "zero", "zero"},
      {"{x: {left: 1, right: insulated}, y: periodic}", "periodic",
       "{first: {value: 1}, last: insulated}"},
      {"{left: 1, value: 2}", both("{value: 2}"), "{first: {value: 1}, last: {value: 2}}"},
      {"{value: 1}", both(one), both(one)},
      {"{dirichlet: 1}", both(one), both(one)},
      {"{value: 1, at: face}", both("{value: 1, at: face}"), both("{value: 1, at: face}")},
      {"{robin: {value: 1, factor: 2}}", both("{mixed: {value: 1, factor: 2}}"),
       both("{mixed: {value: 1, factor: 2}}")},
      {"{x: periodic, y: 1}", both(one), "periodic"},
      {"{x: {neumann: 0}}", "zero", both(flux)},
      {"{left: 1, right: insulated, bottom: zero, top: 1}", "{first: zero, last: {value: 1}}",
       "{first: {value: 1}, last: insulated}"},
      {"{rows: {first: 1, last: dirichlet}, x: insulated}", "{first: {value: 1}, last: zero}",
       "insulated"},
      {by_field, both(by_field), both(by_field)},
      {"{x: periodic, u: {value: 1}, v: insulated}", both(by_field), "periodic"},
      {"{x: {u: 1, v: insulated}, y: periodic}", "periodic", both(by_field)},
      {"{columns: {first: {u: 1, v: neumann}, last: 1}}", "zero",
       "{first: " + by_field + ", last: {value: 1}}"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.given);
    CHECK(
        meaning(two_fields("boundary: " + row.given + '\n')) ==
        meaning(two_fields("boundary: {rows: " + row.rows + ", columns: " + row.columns + "}\n")));
  }
  CHECK(meaning(two_fields("boundary: {x: 1, y: insulated}\n"),
                {"boundary.left=2", "boundary.y=periodic"}) ==
        meaning(two_fields("boundary: {columns: {first: 2, last: 1}, rows: periodic}\n")));
  const std::pair<std::string, std::string> settings[] = {
      {"{x: periodic, u: 1, v: 2}", "boundary.u=3"},
      {"{left: 1, right: 2, value: 0}", "boundary.value=3"},
      {"{value: 1, at: face}", "boundary.value=3"},
      {"insulated", "boundary.left=4"},
      {"neumann", "boundary.left=4"},
      {"0", "boundary.left=4"},
      {"{x: 1, y: 2}", "boundary=periodic"},
      {"{x: 1, y: 2}", "boundary=5"},
      {"{left: 1, right: 2, y: periodic}", "boundary.columns=insulated"},
  };
  const std::string set[] = {"{x: periodic, y: {u: 3, v: 2}}",
                             "{left: 1, right: 2, y: 3}",
                             "{value: 3, at: face}",
                             "{y: insulated, left: 4, right: insulated}",
                             "{y: insulated, left: 4, right: insulated}",
                             "{y: 0, left: 4, right: 0}",
                             "periodic",
                             "5",
                             "{x: insulated, y: periodic}"};
  for (std::size_t i = 0; i < std::size(settings); ++i) {
    CAPTURE(settings[i].first);
    CAPTURE(settings[i].second);
    CHECK(meaning(two_fields("boundary: " + settings[i].first + '\n'), {settings[i].second}) ==
          meaning(two_fields("boundary: " + set[i] + '\n')));
  }
  CHECK(meaning(grid + "boundary: {value: 1, derivative: insulated}\nequation: {value: -value, "
                       "derivative: 1}\ninitial: 0\ntime: {steps: 1, step: 0.1}\n")
            .find("{first: {value: {value: \"1\"}, derivative: {derivative: \"0\"}}") !=
        std::string::npos);
  const std::pair<const char*, const char*> mistakes[] = {
      {"{left: 1, columns: 2}", "boundary.columns: given besides boundary.left (give one of them)"},
      {"{u: {valeu: 3}, x: 0, y: 0}",
       "boundary.u: no side is left for it (each has a condition of its own)"},
      {"{lefft: 1}", "boundary.lefft: unknown key (did you mean boundary.left?)"},
      {"{left: 1}",
       "boundary.columns: last: missing (expected a condition at right, top or front, "
       "or one for both sides)"},
      {"{z: 1}", "boundary.planes: does not apply"},
      {"{w: 1}", "boundary.w: neither a key nor a field (expected u or v)"},
      {"{x: {valeu: 1}}", "boundary.columns: first.valeu: unknown key (did you mean value?)"},
  };
  for (const std::pair<const char*, const char*>& row : mistakes) {
    const std::string found = mistakes_in(two_fields(fmt::format("boundary: {}\n", row.first)));
    CAPTURE(found);
    CHECK(found.find(row.second) != std::string::npos);
  }
}

TEST_CASE("output.count becomes an interval that ends with the run") {
  const auto every = [](const std::string& time, const std::string& more = "") {
    const LoadedConfig config = parse(two_fields("boundary: periodic\n", "initial: random\n",
                                                 "equation: {u: laplacian(u), v: " + more + "-v}\n",
                                                 "time: " + time + "\noutput: {count: 40}\n"));
    CHECK(come_back(two_fields("boundary: periodic\n", "initial: random\n",
                               "equation: {u: laplacian(u), v: " + more + "-v}\n",
                               "time: " + time + "\noutput: {count: 40}\n")) == "accepted");
    const auto at = std::ranges::find(config.keys, "output.every", &ResolvedKey::key);
    return at->value;
  };
  CHECK(every("{step: 0.1, steps: 8000}") == "200");
  CHECK(every("{step: 0.1, steps: 100}") == "3");
  CHECK(every("{step: 0.1, steps: 7}") == "1");
  CHECK(every("{step: 0.1, end: 800}") == "{time: 20}");
  CHECK(every("{step: 0.2, end: 3}") == "1");            // 0.075 s are no whole number of steps
  CHECK(every("{end: 8000}") == "{time: 200}");          // dt divides it
  CHECK(every("{end: 8000}", "v^2 ") == "{time: 200}");  // steps that vary
  CHECK(every("{end: 7}", "v^2 * ") == "{time: 0.175}");
  CHECK(every("{scheme: bs23, tolerance: 1e-3, end: 100.3}") == "{time: 2.5075}");
  const std::string both = two_fields() + "output: {count: 4, every: 3}\n";
  CHECK(mistakes_in(both) ==
        "bad.yaml:7:17: output.count: given besides output.every (give one of them)");
  CHECK(meaning(two_fields() + "output: {count: 5}\n", {"output.every=3"}) ==
        meaning(two_fields() + "output: {every: 3}\n"));
}

TEST_CASE("without a step, time.step is auto") {
  for (const char* const time : {"{end: 8}", "{steps: 10}"}) {
    const std::string text =
        fmt::format("{}equation: {{u: laplacian(u)}}\ninitial: 0\ntime: {}\n", grid, time);
    CHECK(meaning(text) == meaning(text, {"time.step=auto"}));
    const std::string diffusion =
        fmt::format("{}equation: {{diffusivity: 2}}\ntime: {}\n", grid, time);
    CHECK(meaning(diffusion) == meaning(diffusion, {"time.step=auto"}));
  }
  CHECK(mistakes_in(grid + "equation: {u: laplacian(u) - u^3}\ninitial: 1\ntime: {steps: 9}\n"
                           "limits: {verify_every: 3}\n")
            .find("limits.verify_every: given with time.step auto") != std::string::npos);
  CHECK(mistakes_in(grid + "equation: {u: laplacian(u)}\ntime: {steps: 1, scheme: etdrk4}\n")
            .find("time.step: missing with time.scheme etdrk4, which has no largest stable step") !=
        std::string::npos);
}

TEST_CASE("a comma that cuts a formula in braces is named, wherever it is") {
  struct Row {
    std::string line, message;
  };
  const Row rows[] = {
      {"equation: {u: where(u < 1, laplacian(u), 0), v: max(u, v)}",
       "5:15: a comma ends the value inside { } (put the formula in quotes: \"where(u < 1, "
       "laplacian(u), 0)\")\nbad.yaml:5:49: a comma ends the value inside { } (put the formula in "
       "quotes: \"max(u, v)\")"},
      {"initial: {u: max(0, min(x, 1)), v: 0}",
       "5:14: a comma ends the value inside { } (put the formula in quotes: \"max(0, min(x, "
       "1))\")"},
      {"boundary: {x: {value: where(y < 3, 1, 0)}}",
       "5:23: a comma ends the value inside { } (put the formula in quotes: \"where(y < 3, 1, "
       "0)\")"},
      {"output: {derived: {a: max(u, v)}}",
       "5:23: a comma ends the value inside { } (put the formula in quotes: \"max(u, v)\")"},
  };
  for (const Row& row : rows) {
    const std::string &line = row.line, &message = row.message;
    CAPTURE(line);
    const std::string section = line.substr(0, line.find(':'));
    std::string text = grid + "boundary: periodic\nequation: {u: -u, v: -v}\ninitial: 0\n";
    const std::size_t at = text.find(section + ':');
    if (at != std::string::npos) text.erase(at, text.find('\n', at) + 1 - at);
    while (std::ranges::count(text, '\n') < 4) text.insert(0, "\n");
    CHECK(mistakes_in(text + line + "\ntime: {steps: 1, step: 0.1}\n") == "bad.yaml:" + message);
  }
  CHECK(mistakes_in(two_fields(), {"initial.u={kind: formula, formula: max(x, y)}"}) ==
        "--set initial.u={kind: formula, formula: max(x, y)}: initial.u: a comma ends the value "
        "inside { } (put the formula in quotes: \"max(x, y)\")");
}

TEST_CASE("the config of the first page means what it says") {
  const std::string text =
      "grid: {shape: [192, 192], center: true}\n"
      "boundary: periodic\n"
      "parameters: {Du: 0.16, Dv: 0.08, F: 0.0545, k: 0.062}\n"
      "equation:\n"
      "  u: Du * laplacian(u) - u * v^2 + F * (1 - u)\n"
      "  v: Dv * laplacian(v) + u * v^2 - (F + k) * v\n"
      "initial:\n"
      "  let: {spot: \"max(abs(x), abs(y)) < 10\"}\n"
      "  u: 1 - 0.5 * spot\n"
      "  v: 0.25 * spot + 0.02 * random\n"
      "time: {end: 8000}\n"
      "output: {count: 40}\n";
  CHECK(come_back(text) == "accepted");
  const LoadedConfig config = parse(text);
  CHECK(config.run.fields == std::vector<std::string>{"u", "v"});
  CHECK(config.run.output_time == 200.0);
  CHECK(config.run.initials.at("v").fractal.seed == FractalParameters().seed);
  CHECK(config.run.scheme.varies);
}

TEST_CASE("a place belongs to a value, and ghost is the one that a value means") {
  const auto at = [](const std::string& condition) {
    return two_fields("boundary: {x: {u: " + condition + ", v: zero}, y: zero}\n");
  };
  CHECK(meaning(at("{value: 1, at: ghost}")) == meaning(at("{value: 1}")));
  for (const std::string condition : {"mixed: {value: 1, factor: 2}", "neumann: 1"})
    CHECK(mistakes_in(at("{" + condition + ", at: face}"))
              .find(".at: unknown key (expected " + condition.substr(0, condition.find(':'))) !=
          std::string::npos);
}

TEST_CASE("two conditions of one side, and a place that is none, are explained") {
  const auto mistakes = [](const std::string& condition) {
    return mistakes_in(two_fields("boundary: {x: " + condition + "}\n"));
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(mistakes("{dirichlet: 1, value: 2}"),
      "found value and dirichlet (expected one of them: zero, insulated, {value: u}, ");
  has(mistakes("{u: {robin: {value: 1, factor: 2}, neumann: 0}, v: zero}"),
      ".u: found neumann and robin (expected one of them: zero, ");
  has(mistakes("{value: 2, at: edge}"),
      ".at: found edge (expected face, node, or ghost for one cell outside the last node, which "
      "is where a value holds by default)");
}

TEST_CASE("times to meet are no second mistake where the step is asked to be automatic") {
  const std::string mistakes =
      mistakes_in(grid + "equation: {coefficient: 0.1}\ntime: {step: auto, meet: [0.3], end: 1}\n");
  CHECK(mistakes.find("time.step: given besides equation.coefficient") != std::string::npos);
  CHECK(mistakes.find("time.meet") == std::string::npos);
}

}  // namespace lapl
