// The digest of an equation depends on its operations, not on how they are written.
#include "solver/equation_digest.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"

using namespace lapl;

namespace {

const std::string digest_config = R"(
grid: {shape: [5, 7], spacing: 0.5}
fields: [u, v]
parameters: {a: 0.3, D: {formula: 1 + 0.1 * x}}
equation:
  kind: formula
  let: {w: u^2 - laplacian(u)}
  u: divergence(D * gradient(u)) + a * laplacian(w) + sin(t)
  v: a * laplacian(v) + u * v
boundary:
  rows: periodic
  columns: {first: {u: {value: sin(2 * t)}, v: {derivative: 0.1}, w: {value: 1}}, last: insulated}
initial: {u: {kind: uniform, value: 1}, v: {kind: uniform, value: 1}}
time: {step: 0.01, steps: 10}
)";

struct Change {
  std::string from, to;
};

// The digest of the config with `from` replaced by `to`.
std::uint64_t digest_with(const std::string& from, const std::string& to) {
  std::string text = digest_config;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const RunConfig run = parse_config(text, "c.yaml", ".", {}).run;
  return equation_digest(Model(run), load_coefficients(run));
}

}  // namespace

TEST_CASE("the digest of an equation does not change with its words") {
  const std::uint64_t digest = digest_with("grid", "grid");
  for (const Change& change :
       std::vector<Change>{{"a * laplacian(v) + u * v", "(a*laplacian( v )) + (u*v)"},
                           {"u * v\n", "v * u\n"},
                           {"1 + 0.1 * x", "x * 0.1 + 1"},
                           {"sin(2 * t)", "sin(t * 2)"},
                           {"{derivative: 0.1}", "{derivative: 0.05 + 0.05}"},
                           {"a: 0.3", "a: 3e-1"},
                           {"last: insulated", "last: {derivative: 0}"},
                           {"steps: 10", "steps: 20"}}) {
    CAPTURE(change.to);
    CHECK(digest_with(change.from, change.to) == digest);
  }
}

TEST_CASE("the digest of an equation changes with each of its operations") {
  std::set<std::uint64_t> digests = {digest_with("grid", "grid")};
  const std::vector<Change> changes = {
      {"a * laplacian(v) + u * v", "a * laplacian(v) - u * v"},
      {"a * laplacian(v) + u * v", "a * laplacian(u) + u * v"},
      {"a * laplacian(v)", "a * d2_dx2(v)"},
      {"a * laplacian(v)", "a * d2_dy2(v)"},
      {"u * v\n", "u * v + mean(u)\n"},
      {"u * v\n", "u * v + mean(v)\n"},
      {"u * v\n", "u * v + integral(u)\n"},
      {"u * v\n", "u * v + mean(u + 0 * x)\n"},
      {"a: 0.3", "a: 0.30000000000000004"},
      {"u^2 - laplacian(u)", "u^2 - laplacian(v)"},
      {"u^2 - laplacian(u)", "u^3 - laplacian(u)"},
      {"+ sin(t)", "+ cos(t)"},
      {"0.1 * x", "0.1 * y"},
      {"rows: periodic", "rows: insulated"},
      {"sin(2 * t)", "sin(3 * t)"},
      {"sin(2 * t)", "sin(2 * y)"},
      {"v: {derivative: 0.1}", "v: {derivative: 0.2}"},
      {"v: {derivative: 0.1}", "v: {value: 0.1}"},
      {"w: {value: 1}", "w: {value: 2}"},
      {", w: {value: 1}", ""},
      {"last: insulated", "last: zero"},
      {"spacing: 0.5", "spacing: 0.25"},
      {"step: 0.01", "step: 0.02"},
      {"steps: 10", "steps: 10, scheme: heun"},
      {"steps: 10", "steps: 10, scheme: leapfrog"},
      {"steps: 10", "steps: 10, scheme: rk4"},
      {"steps: 10", "steps: 10, scheme: rkl2, stages: 2"},
      {"steps: 10", "steps: 10, scheme: rkl2, stages: 3"},
  };
  for (const Change& change : changes) {
    CAPTURE(change.to);
    CHECK(digests.insert(digest_with(change.from, change.to)).second);
  }
}

TEST_CASE("the digest of an equation stays from version to version") {
  CHECK(digest_with("grid", "grid") == 0xff8d3eba26b63b2a);
  const RunConfig diffusion =
      parse_config("grid: {shape: [5, 7]}\nequation: {coefficient: 0.25}\ntime: {steps: 1}\n",
                   "c.yaml", ".", {})
          .run;
  CHECK(equation_digest(Model(diffusion), {}) == 0xd079c1a2ba5f3795);
}
