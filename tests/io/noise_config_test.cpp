// Configs with noise, or numbers of the whole grid, in rates: where they are refused.
#include "config_helpers.hpp"

namespace lapl {
namespace {

TEST_CASE("noise is refused where it has no meaning, and a seed where nothing is random") {
  const auto refused = [](const std::string& time, const std::string& rest,
                          const std::string& rate = "laplacian(u) + noise") {
    return mistakes_in("grid: {shape: [4, 5]}\nfields: [u]\nequation: {kind: formula, u: " + rate +
                       "}\ntime: {steps: 1, step: 0.01" + time + "}\n" + rest + "\n");
  };
  const std::string uniform = "initial: {kind: uniform, value: 1, seed: 4}";
  CHECK(refused("", uniform) == "accepted");
  CHECK(refused("", uniform, "laplacian(u)") ==
        "bad.yaml:5:42: initial.seed: does not apply to initial.kind uniform (it belongs to "
        "fractal or formula, or to an equation with noise)");
  CHECK(refused(", scheme: rk4", uniform)
            .starts_with("bad.yaml:4:38: time.scheme: found rk4, but "
                         "a rate has noise (expected euler,"));
  CHECK(refused("", uniform + "\noutput: {integrals: {a: u + noise}}") ==
        "bad.yaml:6:21: output.integrals: a: reads noise, which only rates have\n    u + noise\n   "
        " ^");
  CHECK(refused("", "compute: {engine: spectral}")
            .ends_with("the rate of u has noise (expected another engine)"));
  CHECK(refused("", "boundary: {columns: {first: {u: zero, q: zero}, last: {u: zero, q: zero}}}",
                "q, let: {q: u + noise}")
            .find("q is made of noise and has a condition at a side") != std::string::npos);
}

TEST_CASE("the seed of several fields' noise stands beside their initial fields") {
  const std::string text =
      "grid: {shape: [4, 5]}\nfields: [u, v]\nequation: {kind: formula, u: noise, v: u}\n"
      "time: {steps: 1, step: 0.01}\n"
      "initial: {u: {kind: uniform}, seed: 12, v: {kind: formula, formula: random, seed: 3}}\n";
  CHECK(come_back(text) == "accepted");
  const RunConfig run = parse(text, {"initial.seed=13"}).run;
  CHECK(run.initial.fractal.seed == 13);
  CHECK(run.initials.at("v").fractal.seed == 3);
}

TEST_CASE("numbers of the whole grid are refused where they have no meaning") {
  const auto refused = [](const std::string& rate, const std::string& rest = "") {
    return mistakes_in("grid: {shape: [4, 5]}\nfields: [u]\nequation: {kind: formula, u: " + rate +
                       "}\ntime: {steps: 1, step: 0.01}\ninitial: {kind: uniform}\n" + rest);
  };
  const std::string within =
      "a number of the whole grid within an operator (expected mean, integral, maximum, minimum "
      "and "
      "value_at outside of operators)\n";
  CHECK(refused("u - mean((u - minimum(u))^2)") == "accepted");
  CHECK(refused("laplacian(u * mean(u))") ==
        "bad.yaml:3:44: equation.u: " + within + "    laplacian(u * mean(u))\n                  ^");
  CHECK(refused("d_dx(laplacian(u) + q), let: {q: u - integral(u)}") ==
        "bad.yaml:3:50: equation.u: " + within +
            "    d_dx(laplacian(u) + q)\n                        ^");
  CHECK(refused("maximum(2) * u") ==
        "bad.yaml:3:30: equation.u: maximum of what is the same in every cell\n    maximum(2) * u\n"
        "    ^");
  CHECK(
      refused("u", "parameters: {a: {formula: mean(x)}}\n")
          .starts_with("bad.yaml:6:17: parameters.a: mean has no meaning here (expected a formula "
                       "of the position and parameters)\n    mean(x)\n    ^"));
}

}  // namespace
}  // namespace lapl
