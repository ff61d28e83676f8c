// Configs with noise in rates: where it and its seed are refused.
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
            .find("q is made of noise and has a law at a side") != std::string::npos);
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

}  // namespace
}  // namespace lapl
