// lapl diff and lapl inspect, from the outside.
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

using namespace lapl::test;

TEST_CASE("diff exits with 0 where files are equal within the tolerances, else with 7") {
  const Sandbox sandbox;
  write_text("a.yaml", small_config("initial: {kind: uniform, value: 1.0}\n"));
  write_text("b.yaml", small_config("initial: {kind: uniform, value: 1.001}\n"));
  REQUIRE(run_lapl({"run", "a.yaml", "--output", "a"}).code == 0);
  REQUIRE(run_lapl({"run", "b.yaml", "--output", "b"}).code == 0);
  CHECK(run_lapl({"diff", "a", "a"}).code == 0);
  const Outcome different = run_lapl({"diff", "a", "b", "--json"});
  CHECK(different.code == 7);
  const auto findings = nlohmann::json::parse(different.out);
  CHECK(findings.size() == 8);  // two fields at four steps
  CHECK(findings[0]["differing"] == 600);
  CHECK(findings[0]["first"] == nlohmann::json::array({0, 0}));
  CHECK(run_lapl({"diff", "a", "b", "--rtol", "0.01"}).code == 0);
  CHECK(run_lapl({"diff", "a", "b", "--atol", "0.01"}).code == 0);
  CHECK(run_lapl({"diff", "a", "b", "--rtol", "0.0001"}).code == 7);

  fs::remove("b/fields/step-000000060.nc");
  const Outcome missing = run_lapl({"diff", "a", "b", "--rtol", "1"});
  CHECK(missing.code == 7);
  CHECK(missing.out.find("step-000000060.nc            missing in b") != std::string::npos);
}

TEST_CASE("diff compares the outputs of the same times, and says them where steps differ") {
  const Sandbox sandbox;
  const auto config = [](const char* step, const char* steps) {
    return std::string("grid: {shape: [4]}\nequation: {kind: formula, field: \"1\"}\n") +
           "initial: {kind: uniform, value: 0}\ntime: {step: " + step + ", steps: " + steps +
           "}\noutput: {every: {time: 0.5}, fields: [field]}\n"
           "compute: {engine: interpreted, precision: float64}\n";
  };
  write_text("a.yaml", config("0.1", "15"));
  write_text("b.yaml", config("0.05", "20"));
  REQUIRE(run_lapl({"run", "a.yaml", "--output", "a"}).code == 0);
  REQUIRE(run_lapl({"run", "b.yaml", "--output", "b"}).code == 0);
  const Outcome found = run_lapl({"diff", "a", "b", "--json", "--atol", "1e-12"});
  CAPTURE(found.out);
  CHECK(found.code == 7);
  const auto findings = nlohmann::json::parse(found.out);
  REQUIRE(findings.size() == 4);
  for (int i = 0; i < 3; ++i) {
    CHECK(findings[i]["differs"] == false);
    CHECK(findings[i]["time"] == 0.5 * i);
    CHECK(findings[i]["step_a"] == 5 * i);
    CHECK(findings[i]["step_b"] == 10 * i);
  }
  CHECK(findings[3]["missing_in"] == "b");
  const std::string text = run_lapl({"diff", "a", "b"}).out;
  CHECK(text.find("t = 0.5 (steps 5 and 10) field") != std::string::npos);
  CHECK(text.find("t = 1.5 (step 15)") != std::string::npos);
}

TEST_CASE("diff reports other fields, other shapes and other precisions as differences") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "a"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "b", "--set", "output.fields=[field]"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "c", "--set", "grid.shape=[20, 31]"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "d", "--set", "compute.precision=float64"}).code ==
          0);
  CHECK(run_lapl({"diff", "a", "b"}).out.find("laplacian  missing in b") != std::string::npos);
  const Outcome shapes = run_lapl({"diff", "a", "c"});
  CHECK(shapes.code == 7);
  CHECK(shapes.out.find("20 x 30 in A, 20 x 31 in B") != std::string::npos);
  CHECK(run_lapl({"diff", "a", "d"}).code == 7);
  CHECK(run_lapl({"diff", "a", "d", "--atol", "1e-5"}).code == 0);
}

TEST_CASE("inspect: the digest of an output is that of its values and of the run") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome run = run_lapl({"run", "c.yaml"});
  for (const char* file : {"out/fields/step-000000060.nc", "out/checkpoints/step-000000060.h5"}) {
    const Outcome inspect = run_lapl({"inspect", file, "--json"});
    CAPTURE(inspect.err);
    REQUIRE(inspect.code == 0);
    const auto values = nlohmann::json::parse(inspect.out);
    CHECK(values["digest"] == last_digest(run.out));
    CHECK(values["shape"] == nlohmann::json::array({20, 30}));
    CHECK(values["step"] == 60);
  }
  const auto index = nlohmann::json::parse(run_lapl({"inspect", "out/fields.nc", "--json"}).out);
  CHECK(index["steps"] == nlohmann::json::array({0, 20, 40, 60}));
  const auto folder = nlohmann::json::parse(run_lapl({"inspect", "out", "--json"}).out);
  CHECK(folder["outputs"].size() == 4);
  CHECK(folder["newest"]["digest"] == last_digest(run.out));
  CHECK(run_lapl({"inspect", "out"})
            .out.find(
                "\ncomplete: 4 outputs, 3 checkpoints; the newest output is as lapl wrote it\n") !=
        std::string::npos);
}

TEST_CASE("diff and inspect print tables with a verdict in the last line") {
  const Sandbox sandbox;
  write_text("a.yaml", small_config("initial: {kind: uniform, value: 1.0}\n"));
  REQUIRE(run_lapl({"run", "a.yaml", "--output", "a"}).code == 0);
  REQUIRE(run_lapl({"run", "a.yaml", "--output", "b", "--set", "initial.value=1.5"}).code == 0);
  const Outcome equal = run_lapl({"diff", "a", "a"});
  CHECK(equal.out.starts_with("A: a\nB: a\n  compared "));
  CHECK(equal.out.ends_with("\nequal: 8 fields, every cell\n"));
  const std::string file = "/fields/step-000000000.nc";
  const Outcome different = run_lapl({"diff", "a" + file, "b" + file});
  CHECK(different.out.find("  field      600 of 600         0.5                 0.3333    row 0, "
                           "column 0\n") != std::string::npos);
  CHECK(different.out.ends_with("\ndifferent: 2 of 2 fields, by at most 1 in a cell\n"));
  const Outcome within = run_lapl({"diff", "a" + file, "b" + file, "--atol", "2"});
  CHECK(
      within.out.find("\nequal: 2 fields, within --rtol 0 and --atol 2; the largest difference is "
                      "1\n") != std::string::npos);

  const Outcome output = run_lapl({"inspect", "a" + file});
  CHECK(output.out.find("\n  field      min  max  mean") != std::string::npos);
  CHECK(output.out.ends_with("\ngood: every byte is as lapl wrote it\n"));
  const Outcome other = run_lapl({"inspect", LAPL_SOURCE_DIR "/tests/data/reference.h5"});
  CHECK(other.out.ends_with("\nreadable: no seal, as in files that lapl did not write\n"));
}

TEST_CASE("a flipped bit in an output is found by inspect and diff") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const fs::path file = "out/fields/step-000000040.nc";
  std::string bytes = file_text(file);
  bytes[bytes.size() - 3000] = static_cast<char>(bytes[bytes.size() - 3000] ^ 4);
  write_text(file, bytes);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"inspect", file}, {"diff", file, file}}) {
    const Outcome found = run_lapl(command);
    CHECK(found.code == 4);
    CHECK(found.err.find("step-000000040.nc: ") != std::string::npos);
  }
}
