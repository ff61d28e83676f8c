// lapl plot --graph: columns of the tables of a run over the time.
#include <nlohmann/json.hpp>

#include "app/view/run_graphs.hpp"
#include "io/run/provenance.hpp"
#include "tests/app/csv.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

// Two fields with units, an integral, steps by error, and probes: the run out.
void run_with_tables() {
  write_text("c.yaml",
             "grid: {shape: [40], spacing: 0.5}\nboundary: insulated\n"
             "fields: {u: {unit: K, label: Temperature}, v: {unit: m}}\n"
             "equation: {u: laplacian(u), v: \"-v\"}\n"
             "initial: {u: sin(x), v: 1}\ntime: {unit: s, scheme: bs23, tolerance: 1e-3, end: 4}\n"
             "output: {directory: out, every: {time: 1}, integrals: {both: u + v},\n"
             "  probes: {every: 2, at: {left: [3], right: [30]}}}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
}

}  // namespace

TEST_CASE("the tables of a run have graphs, with the values of their columns") {
  const Sandbox sandbox;
  run_with_tables();
  const lapl::RunView run = lapl::read_run_view("out", lapl::host_name());
  const auto graphs = lapl::run_graphs(run, lapl::read_probes("out", *run.config));
  std::size_t columns = 0;
  for (const lapl::RunGraph& graph : graphs)
    for (const lapl::RunColumn& found : graph.columns) {
      CAPTURE(found.name);
      ++columns;
      const char* const table = graph.at_probes ? "out/probes.csv" : "out/diagnostics.csv";
      const auto texts = column(table, found.name.c_str());
      REQUIRE(texts.size() == found.values.size());
      REQUIRE(texts.size() == graph.lines->times.size());
      CHECK(std::stod(texts.back()) == found.values.back());
      CHECK(std::stod(column(table, "time").back()) == graph.lines->times.back());
      const bool of_u = found.name == "u_max" || found.name == "left_u";
      if (of_u) CHECK(graph.unit == "K");
      if (found.name == "u_max") CHECK(found.title == "Temperature max");
      if (found.name == "step_size") CHECK(graph.unit == "s");
      if (found.name == "u_mass") CHECK(graph.unit.empty());
    }
  // all columns of both tables but step and time
  const auto header = [](const char* table) {
    const std::string text = file_text(table);
    return std::ranges::count(text.substr(0, text.find('\n')), ',') - 1;
  };
  CHECK(static_cast<std::ptrdiff_t>(columns) ==
        header("out/diagnostics.csv") + header("out/probes.csv"));
}

TEST_CASE("plot: --graph draws columns of the tables, several as lines with a legend") {
  const Sandbox sandbox;
  run_with_tables();
  const Outcome first = run_lapl({"plot", "out", "--graph", "u_max", "-o", "a.png"});
  if (lacks_cairo(first)) return;
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  const std::string one = drawn({"--graph", "u_max"});
  const Size size = png_size("p.png");
  CHECK(one != drawn({"--graph", "u_min"}));
  CHECK(one != drawn({"--graph", "u_max,u_min"}));
  CHECK(one != drawn({"--graph", "u_max", "--limits", "0", "9"}));
  CHECK(drawn({"--graph", "u_max,v_max"}) != drawn({"--graph", "v_max,u_max"}));
  CHECK(drawn({"--graph", "left_u,right_u"}) != drawn({"--graph", "left_u,left_v"}));
  CHECK(png_size("p.png") == size);
  drawn({"--graph", "step_size,both", "--graph", "cells_per_second"});
  CHECK(png_size("p.png") != size);
  for (const char* const kind : {"p.svg", "p.pdf"})
    CHECK(run_lapl({"plot", "out", "--graph", "both", "-o", kind}).code == 0);
  const auto from = nlohmann::json::parse(run_lapl({"inspect", "p.svg", "--json"}).out);
  CHECK(from["provenance"].contains("config_digest"));
  CHECK(!from["provenance"].contains("state_digest"));
  const std::string file = "out/fields/step-000000000.nc";
  expect_refused(
      {"plot", "out", "-o", "none.png"},
      {{{"--graph", "u_max,w"}, 2, "--graph u_max,w: out has no column w in its tables (it has: "},
       {{"--graph", "both", "--field", "u"}, 2, "--field"},
       {{"--graph", "both", "--movie"}, 2, "--movie"},
       {{"--graph", "both", "--size", "9x9"}, 2, "no room for 1 panel"}});
  expect_refused({"plot", file, "-o", "none.png"},
                 {{{"--graph", "both"}, 2, "is not the folder of a run"}});
  CHECK(!fs::exists("none.png"));
}

TEST_CASE("plot: a graph of a run whose time does not grow is over the step") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20]}\nboundary: 0\nequation: {u: laplacian(u) + 1}\ninitial: 1\n"
             "time: steady\noutput: {directory: out}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  drawn({"--graph", "max,mean"});
}
