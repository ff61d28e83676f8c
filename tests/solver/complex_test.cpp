// Complex fields: pairs of real ones whose formulas follow from the complex formula.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <complex>
#include <functional>

#include "io/config/config.hpp"
#include "io/config/gallery.hpp"
#include "tests/formula_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

using Number = std::complex<double>;

RunConfig complex_run(const std::string& text, std::vector<std::string> settings = {}) {
  settings.emplace_back("compute.precision=float64");
  return parse_config(text, "c.yaml", ".", settings).run;
}

std::vector<double> complex_stepped(const RunConfig& run, std::int64_t steps) {
  const CoefficientFields coefficients = load_coefficients(run);
  const auto backend =
      make_backend<double>("cpu", "interpreted", make_problem<double>(Model(run), coefficients), 2);
  set_initial_state(*backend, run, coefficients, {});
  backend->advance(steps);
  return copy_of_state(*backend);
}

const Number unit(0, 1);

}  // namespace

TEST_CASE("complex formulas are those of std::complex") {
  const struct {
    const char* formula;
    std::function<Number(Number, double)> of;
  } rows[] = {
      {"i * psi", [](Number z, double) { return unit * z; }},
      {"-psi + 2 * i - 0.5", [](Number z, double) { return -z + 2.0 * unit - 0.5; }},
      {"(1 + 2 * i) * psi * (u - i)",
       [](Number z, double u) { return Number(1, 2) * z * (u - unit); }},
      {"psi / (2 - i * psi)", [](Number z, double) { return z / (2.0 - unit * z); }},
      {"1 / i + u / psi", [](Number z, double u) { return -unit + u / z; }},
      {"psi^3 - i^7", [](Number z, double) { return z * z * z + unit; }},
      {"(u * i)^-3", [](Number, double u) { return std::pow(u * unit, -3); }},
      {"psi^0 + psi^-2", [](Number z, double) { return 1.0 + 1.0 / (z * z); }},
      {"exp(i * psi) + exp(i * u) + exp(u)",
       [](Number z, double u) { return std::exp(unit * z) + std::exp(unit * u) + std::exp(u); }},
      {"conj(psi) * conj(i) + conj(u)",
       [](Number z, double u) { return std::conj(z) * -unit + u; }},
      {"abs(psi)^2 + i * abs(psi)^6 + abs(i * u)",
       [](Number z, double u) {
         return std::norm(z) + unit * std::pow(std::norm(z), 3) + std::abs(u);
       }},
      {"abs(psi) + i * abs(psi)^3",
       [](Number z, double) { return std::abs(z) + unit * std::pow(std::abs(z), 3); }},
      {"arg(psi) + i * arg(-u) + arg(i)",
       [](Number z, double u) {
         return std::arg(z) + unit * std::arg(Number(-u)) + std::acos(0.0);
       }},
      {"im(psi) + i * re(psi) + re(i) + im(u)",
       [](Number z, double) { return unit * std::conj(z); }},
      {"where(re(psi) > 0, i * psi, 2)",
       [](Number z, double) { return z.real() > 0 ? unit * z : 2.0; }},
      {"where(u > 0, psi, 0) + q * w * i",
       [](Number z, double u) { return z + u * unit * z * std::norm(z) * unit; }},
      {"psi_re - i * psi_im", [](Number z, double) { return std::conj(z); }},
  };
  for (const auto& row : rows) {
    CAPTURE(row.formula);
    for (const Number z : {Number(0.7, -1.3), Number(-0.4, 0.9)}) {
      constexpr double u = 1.7;
      const RunConfig run = complex_run(fmt::format(
          "grid: {{shape: [1, 1]}}\nfields: {{psi: complex, u: real}}\nboundary: periodic\n"
          "equation: {{kind: formula, let: {{q: u * i * psi, w: abs(psi)^2, r: q * w}}, "
          "u: re(r) * 0, psi: '{}'}}\ntime: {{step: 1, steps: 1}}\noutput: {{fields: [psi]}}\n"
          "initial: {{psi: {{kind: formula, formula: '{} + i * {}'}}, u: {{kind: uniform, "
          "value: {}}}}}\n",
          row.formula, z.real(), z.imag(), u));
      CHECK(run.fields == std::vector<std::string>{"psi_re", "psi_im", "u"});
      const auto after = complex_stepped(run, 1);
      CHECK(std::abs(Number(after[0], after[1]) - z - row.of(z, u)) < 1e-13);
    }
  }
}

TEST_CASE("operators act on each part, and factors of gradients may be complex") {
  const auto text = [](const std::string& fields, const std::string& rates,
                       const std::string& first) {
    return "grid: {shape: [6, 7], spacing: [1, 0.5]}\nfields: " + fields +
           "\nparameters: {D: {formula: 1 + 0.1 * x}}\nequation: {kind: formula, " + rates +
           "}\nboundary: {rows: insulated, columns: {first: " + first +
           ", last: insulated}}\n"
           "time: {step: 0.01, steps: 3, scheme: heun}\n";
  };
  const auto initial = [](const std::string& fields) {
    return "initial: {" + fields + "}\noutput: {fields: [psi_re]}\n";
  };
  const std::string re = "psi_re: {kind: formula, formula: random}",
                    im = "psi_im: {kind: formula, formula: random}";
  const std::pair<const char*, std::pair<const char*, const char*>> rows[] = {
      {"i * laplacian(psi) + 0.1 * d2_dxdy(psi)",
       {"-laplacian(psi_im) + 0.1 * d2_dxdy(psi_re)", "laplacian(psi_re) + 0.1 * d2_dxdy(psi_im)"}},
      {"divergence((D + i * 2) * gradient(psi))",
       {"divergence(D * gradient(psi_re)) - divergence(2 * gradient(psi_im))",
        "divergence(D * gradient(psi_im)) + divergence(2 * gradient(psi_re))"}},
      {"-advect(0.1, D, psi) + gradient_energy(psi) - upwind(0.2, -0.1, i * psi)",
       {"-advect(0.1, D, psi_re) + (gradient_energy(psi_re) + gradient_energy(psi_im)) "
        "+ upwind(0.2, -0.1, psi_im)",
        "-advect(0.1, D, psi_im) - upwind(0.2, -0.1, psi_re)"}},
      {"-i * biharmonic(abs(psi)^2 * psi)",
       {"biharmonic((psi_re^2 + psi_im^2) * psi_im)",
        "-biharmonic((psi_re^2 + psi_im^2) * psi_re)"}},
  };
  for (const auto& row : rows) {
    const auto& [rate, parts] = row;
    CAPTURE(row.first);
    const std::string d = std::string(rate).find('D') == std::string::npos ? " + 0 * D" : "";
    const RunConfig complex =
        complex_run(text("{psi: complex}", fmt::format("psi: '{}{}'", rate, d), "{value: 0.3}") +
                    initial("psi: {kind: formula, formula: random + i * random}"));
    const RunConfig real =
        complex_run(text("[psi_re, psi_im]",
                         fmt::format("psi_re: '{}{}', psi_im: '{}'", parts.first, d, parts.second),
                         "{psi_re: {value: 0.3}, psi_im: zero}") +
                    initial(re + ", " + im));
    CHECK(test::largest_difference(complex_stepped(complex, 3), complex_stepped(real, 3)) < 1e-14);
  }
}

TEST_CASE("Schroedinger and Ginzburg-Landau of the gallery have the bits of their real forms") {
  const std::string schroedinger =
      "grid: {shape: [192, 192], center: true}\nparameters:\n"
      "  V: {formula: \"where(abs(x) < 3, where(abs(abs(y) - 12) < 5, 0, 2), 0)\"}\n"
      "equation:\n  u: -0.5 * laplacian(v) + V * v\n"
      "  v: 0.5 * laplacian(u) - V * u\nboundary: zero\ninitial:\n"
      "  u: exp(-((x + 46)^2 + y^2) / 400) * cos(0.8 * x)\n"
      "  v: exp(-((x + 46)^2 + y^2) / 400) * sin(0.8 * x)\n"
      "time: {step: 0.1, steps: 1200, scheme: leapfrog}\noutput: {fields: [u]}\n";
  const std::string ginzburg_landau =
      "grid: {shape: [192, 192], spacing: 1}\nfields: [u, v]\nparameters: {b: 0.5, c: -1}\n"
      "equation:\n  kind: formula\n"
      "  u: u + laplacian(u) - b * laplacian(v) - (u^2 + v^2) * (u - c * v)\n"
      "  v: v + laplacian(v) + b * laplacian(u) - (u^2 + v^2) * (v + c * u)\n"
      "boundary: periodic\ninitial:\n  u: {kind: formula, formula: 0.2 * (random - 0.5)}\n"
      "  v: {kind: formula, formula: 0.2 * (random - 0.5)}\n"
      "time: {step: 0.05, steps: 4000}\noutput: {fields: [u]}\n";
  for (const auto& row : {std::pair<std::string, std::string>("schroedinger", schroedinger),
                          {"ginzburg-landau", ginzburg_landau}}) {
    CAPTURE(row.first);
    const auto at = std::ranges::find(gallery(), row.first, &EmbeddedConfig::name);
    REQUIRE(at != gallery().end());
    for (const std::string precision : {"float32", "float64"}) {
      const auto final_digest = [&](const std::string& text) {
        const RunConfig run =
            parse_config(text, "c.yaml", ".", {"compute.precision=" + precision}).run;
        return with_precision(run.precision, [&]<class T>() {
          const CoefficientFields coefficients = load_coefficients(run);
          const auto backend =
              make_backend<T>("cpu", "blocked", make_problem<T>(Model(run), coefficients), 2);
          backend->settle();
          set_initial_state(*backend, run, coefficients, {});
          backend->advance(200);
          return backend->capture().wait().digest;
        });
      };
      CHECK(final_digest(std::string(at->text)) == final_digest(row.second));
    }
  }
}

TEST_CASE("conditions of a complex field hold for its parts, which may have their own") {
  const RunConfig run = complex_run(
      "grid: {shape: [4, 5]}\nfields: {psi: complex, u: real}\n"
      "equation: {kind: formula, let: {q: i * laplacian(psi) + psi}, psi: laplacian(q), u: "
      "re(psi)}\n"
      "boundary:\n  rows: {first: {value: 2}, last: {psi: zero, u: {value: 3}}}\n"
      "  columns:\n    first: {psi: {value: exp(i * t)}, psi_im: {derivative: 4}, u: insulated, "
      "q: {mixed: {value: 2 * i, factor: x}}}\n    last: insulated\n"
      "time: {step: 0.01, steps: 1}\ninitial: {psi: {kind: uniform}, u: {kind: uniform}}\n"
      "output: {fields: [psi, u]}\n");
  const auto conditions = [&](int axis, bool last) {
    std::vector<std::string> texts;
    for (const SideCondition& condition : run.conditions)
      if (condition.axis == axis && condition.last == last) {
        StageTree tree;
        std::set<std::string> used;
        const ConditionTerms terms = condition_terms(condition, run, used);
        texts.push_back(fmt::format("{} {}", condition.array,
                                    terms.a.is_scalar() ? fmt::format("{}", terms.a.factor) : "t"));
      }
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(conditions(1, false) == Texts{"psi_re 2", "psi_im 0", "u 2"});
  CHECK(conditions(1, true) == Texts{"psi_re 0", "psi_im 0", "u 3"});
  CHECK(conditions(2, false) ==
        Texts{"psi_re t", "psi_im 4", "u 0", "q_re 0", "q_im 2.6666666666666665"});
  CHECK(run.output_fields == Texts{"psi_re", "psi_im", "u"});
  CHECK(run.initials.at("psi_re").value == 1);
  CHECK(run.initials.at("psi_im").value == 0);
}

TEST_CASE("conditions and initial.let and integrals on sides read complex fields") {
  const std::string rest = R"(
grid: {shape: [6, 8], spacing: 0.5, origin: [1, -2]}
time: {step: 0.01, steps: 20}
)";
  const RunConfig complex = complex_run(rest + R"(
fields: {psi: complex, u: real}
equation: {kind: formula, psi: i * u * psi - abs(psi)^2 * psi, u: laplacian(re(psi) + u)}
boundary:
  rows: insulated
  columns: {first: {psi: {absorbing: 2}, u: {derivative: -abs(psi) * x}}, last: insulated}
initial:
  let: {r: random}
  psi: {kind: formula, formula: r * exp(i * x)}
  u: {kind: formula, formula: im(psi) + r}
output: {fields: [u], integrals: {out: {formula: abs(psi) * normal_derivative(u), on: columns.first}}}
)");
  const RunConfig real = complex_run(rest + R"(
fields: [p, q, u]
equation:
  kind: formula
  p: -u * q - (p^2 + q^2) * p
  q: u * p - (p^2 + q^2) * q
  u: laplacian(p + u)
boundary:
  rows: insulated
  columns:
    first: {p: {absorbing: 2}, q: {absorbing: 2}, u: {derivative: -sqrt(p^2 + q^2) * x}}
    last: insulated
initial:
  let: {r: random}
  p: {kind: formula, formula: r * cos(x)}
  q: {kind: formula, formula: r * sin(x)}
  u: {kind: formula, formula: q + r}
)");
  CHECK(complex.integrals.size() == 1);
  const std::vector<double> pairs = complex_stepped(complex, 20),
                            fields = complex_stepped(real, 20);
  REQUIRE(pairs.size() == fields.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    CHECK(std::abs(pairs[i] - fields[i]) <= 1e-13 * (1 + std::abs(fields[i])));
}
