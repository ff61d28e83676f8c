// time.step: auto on textbook problems whose rates are not linear, run to their ends.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

struct Problem {
  std::string name, scheme;
  double end;
  std::string rates, starts;
  std::string boundary = "periodic";
};

const std::string ball = "exp(-((x - 24)^2 + (y - 24)^2) / 50)";

// These end in infinite values, because their limits fall between two estimates:
// - van der Pol's equation and the Oregonator, whose spikes are shorter than ten steps;
// - u'' = laplacian(u) - u^3 and u'' = laplacian(u) + u - u^3 with leapfrog, whose limit rises and
//   falls with u within some steps;
// - Schroedinger's focusing equation with so much mass that its solutions collapse.
// Rates with which all waves grow at first, such as 0.1 laplacian(u) + 20 (u - u^3) about 0, have
// no largest stable step: auto is refused.
const Problem problems[] = {
    {"Allen-Cahn", "euler", 800, "u: laplacian(u) + 3 * (u - u^3)", "u: 0.01 * (random - 0.5)"},
    {"Allen-Cahn by super steps", "rkl2, stages: 8", 600, "u: 10 * laplacian(u) + u - u^3",
     "u: 0.01 * (random - 0.5)"},
    {"Cahn-Hilliard", "euler", 200, "c: laplacian(c^3 - c - laplacian(c))",
     "c: 2 * (random - 0.5)"},
    {"Cahn-Hilliard from small noise", "euler", 300, "c: laplacian(c^3 - c - laplacian(c))",
     "c: 0.1 * (random - 0.5)"},
    {"Cahn-Hilliard by super steps", "rkl2, stages: 12", 800,
     "c: laplacian(c^3 - c - laplacian(c))", "c: 0.1 * (random - 0.5)"},
    {"Cahn-Hilliard between 0.3 and 0.7", "rkl2, stages: 20", 250,
     "let: {mu: 10 * (c - 0.3) * (0.7 - c) * (1 - 2 * c) - 2 * laplacian(c)}, c: 5 * laplacian(mu)",
     "c: 0.5 + 0.02 * (random - 0.5)"},
    {"Cahn-Hilliard with a mobility", "ssprk3", 150,
     "let: {mu: c^3 - c - laplacian(c)}, c: divergence((1 - 0.9 * c^2) * gradient(mu))",
     "c: 0.1 * (random - 0.5)"},
    {"Swift-Hohenberg", "euler", 300, "u: 0.3 * u - (u + 2 * laplacian(u) + biharmonic(u)) - u^3",
     "u: 0.1 * (random - 0.5)"},
    {"phase-field crystal", "euler", 40,
     "u: laplacian(0.75 * u + 2 * laplacian(u) + biharmonic(u) + u^3)", "u: 0.2 * random - 0.35"},
    {"Kuramoto-Sivashinsky", "euler", 200,
     "u: -laplacian(u) - biharmonic(u) - 0.5 * gradient_squared(u)", "u: 0.1 * (random - 0.5)"},
    {"Gray-Scott", "euler", 6000,
     "u: 0.16 * laplacian(u) - u * v^2 + 0.035 * (1 - u), v: 0.08 * laplacian(v) + u * v^2 - 0.1 * "
     "v",
     "u: 1; v: " + ball},
    {"Brusselator", "heun", 200,
     "u: 0.1 * laplacian(u) + 2 - 4 * u + u^2 * v, v: laplacian(v) + 3 * u - u^2 * v",
     "u: 2 + 0.1 * random; v: 1.5 + 0.1 * random"},
    {"Brusselator far from balance", "heun", 300,
     "u: laplacian(u) + 1 - 4 * u + u^2 * v, v: 0.1 * laplacian(v) + 3 * u - u^2 * v",
     "u: 1 + 0.1 * random; v: 3 + 0.1 * random"},
    {"Schnakenberg", "euler", 800,
     "u: 0.05 * laplacian(u) + 0.1 - u + u^2 * v, v: laplacian(v) + 0.9 - u^2 * v",
     "u: 1 + 0.1 * random; v: 0.9 + 0.1 * random"},
    {"Gierer-Meinhardt", "euler", 800,
     "u: 0.05 * laplacian(u) + u^2 / (v * (1 + 0.1 * u^2)) - u, v: laplacian(v) + u^2 - v",
     "u: 1 + 0.1 * random; v: 1 + 0.1 * random"},
    {"FitzHugh-Nagumo", "rk4", 800,
     "u: laplacian(u) + u * (1 - u) * (u - 0.1) - v, v: 0.01 * (0.5 * u - v)",
     "u: where(x < 10, 1, 0); v: where(y < 24, 0.1, 0)"},
    {"Barkley", "euler", 100,
     "u: 4 * laplacian(u) + 50 * u * (1 - u) * (u - (v + 0.01) / 0.75), v: u - v",
     "u: where(x < 10, 1, 0); v: where(y < 12, 0.4, 0)"},
    {"predator and prey", "heun", 1000,
     "u: laplacian(u) + u * (1 - u) - u * v / (u + 0.2), v: laplacian(v) + 2 * u * v / (u + 0.2) - "
     "0.6 * v",
     "u: 0.3 + 0.5 * random; v: 0.3 + 0.1 * random"},
    {"rock, paper, scissors", "euler", 800,
     "a: 0.3 * laplacian(a) + a * (1 - a - b - c) - 2 * a * c, b: 0.3 * laplacian(b) + b * (1 - a "
     "- b - c) - 2 * b * a, c: 0.3 * laplacian(c) + c * (1 - a - b - c) - 2 * c * b",
     "a: random; b: random; c: random"},
    {"Fisher-KPP", "euler", 1000, "u: laplacian(u) + u * (1 - u)", "u: 0.01 * " + ball},
    {"a flame", "heun", 500,
     "u: laplacian(u) + 50 * f * exp(-4 / (u + 0.02)), f: 0.5 * laplacian(f) - 50 * f * exp(-4 / "
     "(u + 0.02))",
     "u: where(x < 6, 1, 0); f: 1"},
    {"porous medium", "euler", 3000, "u: laplacian(u^3)", "u: 2 * " + ball},
    {"conductivity exp(u), heated inside", "rkl2, stages: 5", 200,
     "u: divergence(exp(u) * gradient(u)) + 0.1 * " + ball, "u: 0", "zero"},
    {"conductivity 1 + u^3, heated from a face", "euler", 80,
     "u: divergence((1 + u^3) * gradient(u))", "u: 0",
     "{rows: periodic, columns: {first: {value: 3}, last: insulated}}"},
    {"p-Laplacian", "euler", 2000, "u: divergence((0.01 + gradient_squared(u)) * gradient(u))",
     "u: 5 * sin(pi * x / 24) * cos(pi * y / 12)"},
    {"Perona-Malik", "euler", 1000,
     "u: divergence(1 / (1 + 4 * gradient_squared(u)) * gradient(u))",
     "u: where(x < 24, 1, 0) + 0.3 * random"},
    {"thin film", "euler", 200, "u: -divergence(u^3 * gradient(laplacian(u)))", "u: 0.2 + " + ball},
    {"Kardar-Parisi-Zhang", "euler", 800, "u: laplacian(u) + gradient_squared(u)", "u: 2 * random"},
    {"Burgers", "ssprk3", 800,
     "u: 0.3 * laplacian(u) - u * d_dx(u) - v * d_dy(u), v: 0.3 * laplacian(v) - u * d_dx(v) - v * "
     "d_dy(v)",
     "u: sin(pi * x / 24); v: sin(pi * y / 24)"},
    {"a dam break", "ssprk3", 200,
     "h: laplacian(h) - d_dx(p), p: laplacian(p) - d_dx(p^2 / h + 4.9 * h^2)",
     "h: where(x < 24, 2, 0.5); p: 0"},
    {"a shock tube", "ssprk3", 300,
     "let: {w: m / r, p: 0.4 * (e - m * m / r / 2)}, r: laplacian(r) - d_dx(m), m: laplacian(m) - "
     "d_dx(m * w + p), e: laplacian(e) - d_dx((e + p) * w)",
     "r: where(x < 24, 1, 0.125); m: 0; e: where(x < 24, 2.5, 0.25)"},
    {"sine-Gordon", "leapfrog", 2000, "u: v, v: laplacian(u) - sin(u)",
     "u: 6 * " + ball + "; v: 0"},
    {"Klein-Gordon", "rk4", 1000, "u: v, v: laplacian(u) - u - u^3", "u: 3 * " + ball + "; v: 0"},
    {"Schroedinger, defocusing", "rk4", 400,
     "u: (u^2 + v^2) * v - 0.5 * laplacian(v), v: 0.5 * laplacian(u) - (u^2 + v^2) * u",
     "u: 2 * " + ball + "; v: 0"},
    {"Schroedinger, focusing", "leapfrog", 1000,
     "u: -0.5 * laplacian(v) - (u^2 + v^2) * v, v: 0.5 * laplacian(u) + (u^2 + v^2) * u",
     "u: 0.25 * " + ball + "; v: 0"},
    {"Ginzburg-Landau", "ssprk3", 300,
     "u: u + laplacian(u) - 2 * laplacian(v) - (u^2 + v^2) * (u + 1.2 * v), v: v + laplacian(v) + "
     "2 * laplacian(u) - (u^2 + v^2) * (v - 1.2 * u)",
     "u: 0.1 * (random - 0.5); v: 0.1 * (random - 0.5)"},
    {"Korteweg-de Vries", "rk4", 2000, "u: -u * d_dx(u) - d_dx(d2_dx2(u))",
     "u: (exp((x - 20) / 3) + exp((20 - x) / 3))^-2"},
    {"Robertson, with rates that are closer to each other", "euler", 200,
     "u: laplacian(u) - 0.04 * u + 10 * v * w, v: laplacian(v) + 0.04 * u - 10 * v * w - 300 * "
     "v^2, w: laplacian(w) + 300 * v^2",
     "u: 1; v: 0; w: 0"},
};

std::string config_text(const Problem& problem) {
  std::string fields, initial;
  std::istringstream starts(problem.starts);
  for (std::string start; std::getline(starts >> std::ws, start, ';');) {
    const std::string name = start.substr(0, start.find(':'));
    fields += name + ", ";
    initial += fmt::format("{}: {{kind: formula, formula: \"{}\"}}, ", name,
                           start.substr(name.size() + 2));
  }
  return fmt::format(
      "grid: {{shape: [48, 48]}}\nfields: [{}]\nequation: {{kind: formula, {}}}\n"
      "boundary: {}\ninitial: {{{}}}\ntime: {{scheme: {}, step: auto, end: {}}}\n"
      "output: {{directory: out, every: {{time: {}}}}}\ncheckpoint: {{every: 1000000}}\n"
      "compute: {{backend: cpu, engine: interpreted, threads: 1, precision: float64}}\n",
      fields, problem.rates, problem.boundary, initial, problem.scheme, problem.end, problem.end);
}

}  // namespace

TEST_CASE("time.step: auto stays stable to the end of 30 problems that are not linear" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  static_assert(std::size(problems) >= 30);
  for (const Problem& problem : problems) {
    CAPTURE(problem.name);
    write_text("c.yaml", config_text(problem));
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    CHECK_MESSAGE(run.code == 0, run.err);
    const auto summary = nlohmann::json::parse(file_text("out/run.json"));
    CHECK(summary["status"] == "complete");
    const std::string table = file_text("out/diagnostics.csv");
    CHECK_MESSAGE(table.find("nan") == std::string::npos, table);
    CHECK_MESSAGE(table.find("inf") == std::string::npos, table);
  }
}
