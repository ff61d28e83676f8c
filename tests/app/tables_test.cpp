// Integrals in diagnostics.csv, and probes.csv.
#include <sstream>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::vector<std::string> file_lines(const std::string& path) {
  std::istringstream text(file_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string with_output(const std::string& output, const std::string& more = "") {
  return "grid: {shape: [20, 30], spacing: 0.5}\n"
         "equation: {coefficient: 0.25}\n"
         "time: {steps: 60}\n"
         "checkpoint: {every: 20}\n"
         "output: {directory: out, every: 20, " +
         output + "}\n" + more;
}

}  // namespace

TEST_CASE("integrals are columns of diagnostics.csv, the same on any number of threads") {
  const Sandbox sandbox;
  write_text("c.yaml", with_output("integrals: {energy: \"field^2\", slope: "
                                   "\"gradient_squared(field)\"}",
                                   "initial: {kind: uniform, value: 2}\nboundary: insulated\n"));
  const Outcome run = run_lapl({"run", "c.yaml", "--backend", "cpu"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const auto lines = file_lines("out/diagnostics.csv");
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "step,time,min,max,mean,mass,l2,energy,slope,cells_per_second");
  CHECK(has(lines[4], ",600,0,"));  // integral of 4 over 600 cells of area 1/4

  write_text("c.yaml", with_output("integrals: {energy: \"0.25 * (field^2 - 1)^2\"}"));
  std::vector<std::string> last;
  for (const char* threads : {"compute.threads=1", "compute.threads=2"}) {
    REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu", "--overwrite", "--set", threads}).code ==
            0);
    const std::string line = file_lines("out/diagnostics.csv")[4];
    last.push_back(line.substr(0, line.rfind(',')));
  }
  CHECK(last[0] == last[1]);
  REQUIRE(run_lapl({"report", "out", "-o", "r.html"}).code == 0);
  CHECK(has(file_text("r.html"), "<b>energy</b>"));
}

TEST_CASE("integrals on sides with conditions that read go on where an interrupted run stopped") {
  const Sandbox sandbox;
  write_text(
      "c.yaml",
      "grid: {shape: [9, 14], spacing: 0.5}\nfields: [T]\nparameters: {k: {formula: 1 + x}}\n"
      "equation: {kind: formula, T: 0.1 * divergence(k * gradient(T))}\nboundary: {rows: "
      "insulated, columns: {first: {value: 2}, last: {derivative: -T^4 / k}}}\ninitial: {T: "
      "{kind: uniform, value: 1}}\ntime: {step: 0.05, steps: 40, scheme: heun}\noutput: "
      "{directory: out, every: 10, fields: [T], integrals: {heat: T, in: {formula: 0.1 * k * "
      "normal_derivative(T), on: columns.first}, out: {formula: 0.1 * T^4, on: "
      "columns.last}}}\ncheckpoint: {every: 10}\n");
  const auto table = [](const char* folder) {
    std::string text;
    for (const std::string& line : file_lines(std::string(folder) + "/diagnostics.csv"))
      text += line.substr(0, line.rfind(',')) + '\n';
    return text;
  };
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu"}).code == 0);
  const std::string whole = table("out");
  CHECK(has(whole, ",heat,in,out\n"));
  REQUIRE(
      run_lapl({"run", "c.yaml", "--backend", "cpu", "--output", "half", "--set", "time.steps=20"})
          .code == 0);
  const Outcome resumed = run_lapl({"resume", "half", "--set", "time.steps=40"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(table("half") == whole);
  CHECK(run_lapl({"plan", "c.yaml"}).code == 0);
  CHECK(run_lapl({"resume", "half", "--set", "time.steps=60", "--set",
                  "boundary.columns={first: {value: 2}, last: {derivative: -T^3 / k}}"})
            .code != 0);
}

TEST_CASE("the table of probes does not depend on how often the run is interrupted") {
  const Sandbox sandbox;
  write_text("c.yaml", with_output("probes: {every: 7, at: {inlet: [4, 3], middle: [10, 15]}}"));
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu"}).code == 0);
  const std::string whole = file_text("out/probes.csv");
  const auto lines = file_lines("out/probes.csv");
  REQUIRE(lines.size() == 10);  // steps 0, 7 ... 56 below the header
  CHECK(lines[0] == "step,time,inlet,middle");
  CHECK(lines[9].starts_with("56,3.5,"));

  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu", "--overwrite", "--set", "time.steps=35"})
              .code == 0);
  // Lines after the last checkpoint, the last one torn, as a killed run leaves them.
  std::ofstream("out/probes.csv", std::ios::app) << "42,2.625,9,9\n49,3.0";
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=60"}).code == 0);
  CHECK(file_text("out/probes.csv") == whole);
  const Outcome back = run_lapl({"resume", "out", "--from", "40"});
  CAPTURE(back.err);
  REQUIRE(back.code == 0);
  CHECK(file_text("out/probes.csv") == whole);
  CHECK(file_text("out/after-step-40/probes.csv") == whole);
}

TEST_CASE("a table with dropped columns is kept whole beside the new one") {
  const Sandbox sandbox;
  write_text("c.yaml", with_output("integrals: {energy: \"field^2\"}, probes: {every: 20, at: "
                                   "{inlet: [4, 3], middle: [10, 15]}}"));
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu"}).code == 0);
  const std::string probes = file_text("out/probes.csv"), rows = file_text("out/diagnostics.csv");
  const auto resume = [](const std::string& steps, const std::string& setting) {
    const Outcome run =
        run_lapl({"resume", "out", "--set", "time.steps=" + steps, "--set", setting});
    CAPTURE(run.err);
    CHECK(run.code == 0);
    return run.err;
  };
  const std::string said =
      resume("80", "output.probes={every: 20, at: {inlet: [4, 4], outlet: [9, 9]}}");
  CHECK(has(said, "the earlier table is out/probes-earlier.csv"));
  CHECK(file_text("out/probes-earlier.csv") == probes);
  const auto lines = file_lines("out/probes.csv");
  CHECK(lines[0] == "step,time,inlet,outlet");
  CHECK(lines[1] == "0,0,nan,nan");  // inlet is another cell now
  CHECK_FALSE(has(lines.back(), "nan"));
  CHECK_FALSE(fs::exists("out/diagnostics-earlier.csv"));

  resume("100", "output.integrals={all: field}");
  CHECK(has(file_text("out/diagnostics-earlier.csv"), rows.substr(0, rows.rfind("\n60,"))));
  // Adding columns loses nothing.
  CHECK_FALSE(has(resume("120", "output.integrals={all: field, energy: field^2}"), "earlier"));
}

TEST_CASE("a steady end keeps its line, and the printed command resumes beyond it") {
  const Sandbox sandbox;
  write_text("c.yaml", with_output("fields: [field]",
                                   "initial: {kind: uniform, value: 2}\nboundary: insulated\n"
                                   "limits: {steady: 1.0e-9, check_finite_every: 7}\n"));
  const Outcome run = run_lapl({"run", "c.yaml", "--backend", "cpu"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  REQUIRE(has(run.out, "steady"));
  CHECK(has(run.out, " --set limits.steady=null"));
  const auto before = file_lines("out/diagnostics.csv");
  REQUIRE(before.back().starts_with("7,"));
  REQUIRE(run_lapl({"resume", "out", "--set", "limits.steady=null"}).code == 0);
  CHECK(file_lines("out/diagnostics.csv")[before.size() - 1].starts_with("7,"));
  CHECK(file_lines("out/diagnostics.csv").back().starts_with("60,"));
}
