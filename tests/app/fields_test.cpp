// Runs of several fields through every command.
#include <hdf5.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/file_content.hpp"
#include "solver/equation/formula.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;
namespace fs = std::filesystem;

namespace {

std::string two_fields(const std::string& more = "") {
  return "grid: {shape: [24, 32]}\n"
         "fields: [u, v]\n"
         "parameters: {D: 0.2, F: 0.04, k: 0.06}\n"
         "equation:\n"
         "  kind: formula\n"
         "  u: D * laplacian(u) - u * v^2 + F * (1 - u)\n"
         "  v: 0.5 * D * laplacian(v) + u * v^2 - (F + k) * v\n"
         "initial:\n"
         "  u: {kind: uniform, value: 1}\n"
         "  v: {kind: formula, formula: \"where((x - 16)^2 + (y - 12)^2 < 20, 0.5, 0)\"}\n"
         "time: {step: 1, steps: 60}\n"
         "boundary: periodic\n"
         "checkpoint: {every: 20}\n" +
         (more.empty() ? "output: {directory: out, every: 20}\n" : more);
}

std::string first_line(const std::string& path) {
  std::istringstream text(file_text(path));
  std::string line;
  std::getline(text, line);
  return line;
}

}  // namespace

TEST_CASE("several fields: a run stores, and says, all of them") {
  const Sandbox sandbox;
  write_text("c.yaml", two_fields());
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(has(run.out, "time 60         u 0."));
  CHECK(has(run.out, "  v 0"));
  CHECK(first_line("out/diagnostics.csv") ==
        "step,time,u_min,u_max,u_mean,u_mass,u_l2,v_min,v_max,v_mean,v_mass,v_l2,"
        "cells_per_second");

  const auto events = run_lapl({"run", "c.yaml", "--overwrite", "--json"}).out;
  const auto event = nlohmann::json::parse(events.substr(0, events.find('\n')));
  CHECK(event["fields"]["u"]["max"] == 1);
  CHECK(event["fields"]["v"]["max"] == 0.5);

  const auto digest = nlohmann::json::parse(file_text("out/run.json"))["digest"];
  for (const char* file : {"out/fields/step-000000060.nc", "out/checkpoints/step-000000060.h5"}) {
    const auto found = nlohmann::json::parse(run_lapl({"inspect", file, "--json"}).out);
    CHECK(found["digest"] == digest);
    CHECK(found["fields"].size() == 2);
  }
}

TEST_CASE("several fields: watch, report, plot and export show all, or the one asked for") {
  const Sandbox sandbox;
  write_text("c.yaml", two_fields());
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
  const std::string watched = run_lapl({"watch", "out", "--once"}).out;
  CHECK(has(watched, "u, step 60"));
  CHECK(has(watched, "v, step 60"));
  CHECK_FALSE(has(run_lapl({"watch", "out", "--once", "--field", "v"}).out, "u, step 60"));

  REQUIRE(run_lapl({"report", "out", "-o", "r.html"}).code == 0);
  const std::string page = file_text("r.html");
  for (const char* text : {"<b>u</b>", "<b>v</b>", "Mass of u", "L2 norm of v", "v mean"})
    CHECK_MESSAGE(has(page, text), text);

  const Outcome plot = run_lapl({"plot", "out", "-o", "p.png"});
  if (!has(plot.err, "without cairo")) {
    CHECK(plot.code == 0);
    const Outcome one = run_lapl({"plot", "out", "-o", "q.png", "--field", "v"});
    CHECK(one.code == 0);
    CHECK(run_lapl({"plot", "out", "--movie", "-o", "m.png"}).code == 0);
  }

  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "v.csv", "--field", "v", "--step", "60"}).code == 0);
  const Outcome first = run_lapl({"export", "out", "-o", "u.npy"});
  CHECK(has(first.out, "u.npy: u of 4 outputs"));
  CHECK(has(run_lapl({"export", "out", "-o", "w.npy", "--field", "w"}).err, "it has: u, v"));
}

TEST_CASE("several fields: diff, sweep, plan, verify-restart and verify_every" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", two_fields());
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
  REQUIRE(
      run_lapl({"run", "c.yaml", "--quiet", "--output", "twice", "--set", "limits.verify_every=7"})
          .code == 0);
  CHECK(run_lapl({"diff", "out", "twice"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet", "--output", "other", "--set", "parameters.k=0.061"})
              .code == 0);
  const Outcome different = run_lapl({"diff", "out", "other"});
  CHECK(different.code == 7);
  CHECK(has(different.out, "step-000000020.nc v"));

  const Outcome sweep =
      run_lapl({"sweep", "c.yaml", "--output", "s", "--json", "--set", "parameters.F=0.03,0.04"});
  CAPTURE(sweep.err);
  REQUIRE(sweep.code == 0);
  const auto rows = nlohmann::json::parse(sweep.out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1]["u_max"].is_number());
  CHECK(rows[1]["v_mean"].is_number());
  CHECK_FALSE(rows[1].contains("max"));

  const auto plan = nlohmann::json::parse(run_lapl({"plan", "c.yaml", "--json"}).out);
  CHECK(plan["checkpoint_bytes"] == 24 * 32 * 4 * 2);
  CHECK(has(run_lapl({"verify-restart", "c.yaml"}).out, "restart is bit-identical: 3 splits"));
}

TEST_CASE("several fields: a filter reads the one that it names") {
  const Sandbox sandbox;
  write_text("c.yaml", two_fields() +
                           "filters: [{name: first, kernel: box, size: 1}, "
                           "{name: second, kernel: box, size: 1, field: v}]\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const auto found = nlohmann::json::parse(
      run_lapl({"inspect", "out/fields/step-000000060.nc", "--json"}).out)["fields"];
  CHECK(found["first"]["digest"] == found["u"]["digest"]);
  CHECK(found["second"]["digest"] == found["v"]["digest"]);
  write_text("d.yaml", two_fields() + "filters: [{name: a, kernel: box, field: w}]\n");
  CHECK(has(run_lapl({"run", "d.yaml"}).err,
            "filters: field: found w, which is no field (expected u or v)"));
}

TEST_CASE("a run parses each text of its config once") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [24, 32]}\n"
             "fields: [u, v]\n"
             "parameters: {D: {formula: 0.2 + 0.1 * sin(x)}}\n"
             "equation: {kind: formula, u: divergence(D * gradient(p)), v: -v, let: {p: u + v^3}}\n"
             "boundary: {columns: {first: {mixed: {value: sin(t), factor: 0.5}}, last: zero}}\n"
             "initial: {u: {kind: uniform}, v: {kind: formula, formula: cos(x) * y}}\n"
             "time: {step: 0.01, steps: 20}\n"
             "output: {directory: out, every: 5, fields: [u, w], derived: {w: u * v},\n"
             "         integrals: {all: u + v}}\n");
  // also parses lapl's own formulas, which would count
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::int64_t before = lapl::formulas_parsed();
  const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  // Ten formulas: D; u, v and p; two of a side and "0" of the other; v; w; all.
  CHECK(lapl::formulas_parsed() - before == 10);
}

TEST_CASE("a complex field: its pair is stored, goes on after a restart, and names it") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [24]}\nfields: {psi: complex, u: real}\n"
             "equation: {kind: formula, psi: i * laplacian(psi), u: laplacian(u) + abs(psi)^2}\n"
             "initial: {psi: {kind: formula, formula: exp(i * x)}, u: {kind: uniform}}\n"
             "time: {step: 0.1, steps: 20, scheme: rk4}\ncheckpoint: {every: 5}\n"
             "output: {directory: out, every: 10, fields: [psi, u, size], "
             "derived: {size: {formula: abs(psi)}}, integrals: {norm: abs(psi)^2}}\n");
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "time.steps=10", "--quiet"}).code == 0);
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=20", "--quiet"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet", "--output", "other"}).code == 0);
  CHECK(run_lapl({"diff", "out", "other"}).code == 0);
  CHECK(has(file_text("out/config.yaml"), "fields: {psi: complex, u: real}"));
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  for (const char* const path : {"out/fields/step-000000020.nc", "all.nc"}) {
    const lapl::Hdf5Session session;
    const lapl::OpenedFile opened = lapl::open_verified(path);
    for (const std::string name : {"psi_re", "psi_im", "u", "size"}) {
      const lapl::Hdf5Dataset dataset(H5Dopen2(opened.file, name.c_str(), H5P_DEFAULT), "open");
      CHECK(lapl::text_of_field(dataset).complex == (name.starts_with("psi") ? "psi" : ""));
    }
  }
  CHECK(run_lapl({"verify-restart", "c.yaml", "--splits", "1"}).code == 0);
  CHECK(run_lapl({"plan", "c.yaml"}).code == 0);
  const Outcome sweep =
      run_lapl({"sweep", "c.yaml", "--output", "s", "--json", "--set", "time.steps=5,10"});
  CHECK(sweep.code == 0);
}
