// Restarts with a changed equation: the same equation written differently is accepted, another
// equation only with --change-equation.
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

constexpr const char* with_a_map = R"(
grid: {shape: [12, 16]}
fields: [u, v]
parameters: {F: 0.04, D: {hdf5: maps.h5, dataset: /D}}
equation:
  kind: formula
  u: D * laplacian(u) - u * v^2 + F * (1 - u)
  v: 0.5 * D * laplacian(v) + u * v^2 - 0.1 * v
boundary: {rows: periodic, columns: {first: {u: {value: sin(t)}, v: zero}, last: insulated}}
initial:
  u: {kind: formula, formula: random}
  v: {kind: formula, formula: random}
time: {step: 0.5, steps: 20}
output: {directory: out, every: 10, fields: [u, v]}
checkpoint: {every: 10}
)";

void write_map(double number) {
  fs::remove("maps.h5");
  edit_hdf5("maps.h5", [&](hid_t file) {
    make_dataset(file, "D", H5T_NATIVE_DOUBLE, {12, 16}, std::vector(192, number).data());
  });
}

void replace_in(const char* file, const std::string& from, const std::string& to) {
  std::string text = file_text(file);
  REQUIRE(has(text, from));
  write_text(file, text.replace(text.find(from), from.size(), to));
}

nlohmann::json inspected(const std::string& file) {
  return nlohmann::json::parse(run_lapl({"inspect", file, "--json"}).out);
}

}  // namespace

TEST_CASE("resume --change-equation changes equation and parameters, and says so for good") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\n"
             "equation: {diffusivity: 0.25}\n"
             "time: {step: 1, steps: 40}\n"
             "output: {directory: out, every: 20}\n"
             "checkpoint: {every: 20}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::vector<std::string> change = {"resume",        "out",   "--set",
                                           "time.steps=60", "--set", "equation.diffusivity=0.125"};
  const Outcome refused = run_lapl(change);
  CHECK(refused.code == 2);
  CHECK(has(refused.err,
            "equation.diffusivity: 0.25 in the checkpoint, 0.125 now (a restart may not "
            "change it; lapl resume --change equation does)"));
  std::vector<std::string> allowed = change;
  allowed.emplace_back("--change-equation");
  allowed.insert(allowed.end(), {"--set", "time.step=2"});
  CHECK(has(run_lapl(allowed).err,
            "time.step: 1 in the checkpoint, 2 now (a restart may not change "
            "it; lapl resume --change step does)"));
  allowed.resize(allowed.size() - 2);
  const Outcome changed = run_lapl(allowed);
  CAPTURE(changed.err);
  REQUIRE(changed.code == 0);
  const std::string words = "equation.diffusivity: 0.25 before, 0.125 from then on";
  CHECK(has(file_text("out/log.jsonl"), words));
  const auto changes_at = [](const char* file) {
    return inspected(file)["provenance"].value("changes", "");
  };
  CHECK(changes_at("out/fields/step-000000060.nc") == "step 40: " + words);
  CHECK(changes_at("out/fields/step-000000020.nc").empty());
  // The equation of the checkpoint before the change differs from config.yaml.
  CHECK(has(run_lapl({"resume", "out", "--from", "20"}).err, "is of another run than config.yaml"));
  // A killed run may lack its first checkpoint after the change; the changed equation must stay.
  fs::remove("out/checkpoints/step-000000060.h5");
  const Outcome again = run_lapl({"resume", "out", "--set", "time.steps=80"});
  CAPTURE(again.err);
  REQUIRE(again.code == 0);
  CHECK(changes_at("out/fields/step-000000080.nc") == "step 40: " + words);
  CHECK(has(file_text("out/config.yaml"), "diffusivity: 0.125"));
}

TEST_CASE("a restart takes the same equation in other words, and refuses another one") {
  const Sandbox sandbox;
  write_map(0.2);
  write_text("c.yaml", with_a_map);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string digest = inspected("out/fields/step-000000020.nc")["digest"];
  const std::vector<std::string> on = {"run", "c.yaml", "--auto-resume", "--set", "time.steps=40"};
  SUBCASE("other words") {
    replace_in("c.yaml", "D * laplacian(u) - u * v^2", "(D*laplacian( u )) - (u*v^2)");
    replace_in("c.yaml", "+ u * v^2", "+ v^2 * u");
    replace_in("c.yaml", "sin(t)", "sin( (t) )");
    const Outcome found = run_lapl(on);
    CAPTURE(found.err);
    CHECK(found.code == 0);
    CHECK_FALSE(has(file_text("out/log.jsonl"), "\"changed\""));
    CHECK(has(file_text("out/config.yaml"), "v^2 * u"));
    CHECK(run_lapl({"resume", "out", "--set", "time.steps=50"}).code == 0);
  }
  SUBCASE("another formula") {
    replace_in("c.yaml", "- u * v^2", "- u * v^3");
    const Outcome found = run_lapl(on);
    CHECK(found.code == 2);
    CHECK(has(found.err, "equation.u: "));
    CHECK(has(found.err, "a restart may not change it"));
  }
  SUBCASE("another condition of a side") {
    replace_in("c.yaml", "sin(t)", "sin(2 * t)");
    const Outcome found = run_lapl(on);
    CHECK(found.code == 2);
    CHECK(has(found.err, "boundary.columns: "));
  }
  SUBCASE("another parameter") {
    replace_in("c.yaml", "F: 0.04", "F: 0.05");
    CHECK(has(run_lapl(on).err, "parameters.F: 0.04 in the run folder, 0.05 now"));
  }
}

TEST_CASE("a restart refuses a config that now means another equation") {
  const Sandbox sandbox;
  write_map(0.2);
  write_text("c.yaml", with_a_map);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string checkpoint = "out/checkpoints/step-000000020.h5";
  const std::string before = inspected(checkpoint)["provenance"]["equation_digest"];
  std::vector<std::string> on = {"resume", "out", "--set", "time.steps=30"};
  std::string stored = before;
  SUBCASE("of a map that is another one now") { write_map(0.1); }
  SUBCASE("as another version discretised it") {
    edit_sealed(checkpoint, [](hid_t file) {
      const std::uint64_t other = 0x123;
      remove_link(file, "equation_digest");
      make_dataset(file, "equation_digest", H5T_STD_U64LE, {1}, &other, H5T_NATIVE_UINT64);
    });
    stored = "0x0000000000000123";
  }
  const std::string log = file_text("out/log.jsonl");
  for (const std::vector<std::string>& command :
       {on, {"run", "c.yaml", "--auto-resume", "--set", "time.steps=30"}}) {
    const Outcome refused = run_lapl(command);
    CHECK(refused.code == 2);
    CHECK(has(refused.err, "canonical form is " + stored));
    CHECK(has(refused.err, "a restart may not change it; lapl resume --change equation does"));
  }
  CHECK(file_text("out/log.jsonl") == log);
  on.emplace_back("--change-equation");
  const Outcome changed = run_lapl(on);
  CAPTURE(changed.err);
  REQUIRE(changed.code == 0);
  const std::string words = "canonical form: " + stored + " before, ";
  CHECK(has(file_text("out/log.jsonl"), words));
  const auto provenance = inspected("out/fields/step-000000030.nc")["provenance"];
  CHECK(has(provenance["changes"].get<std::string>(), "step 20: " + words));
  // The changed equation stays even if the run is killed before its next checkpoint.
  fs::remove("out/checkpoints/step-000000030.h5");
  CHECK(run_lapl({"resume", "out", "--set", "time.steps=40"}).code == 0);
  const Outcome other = run_lapl({"resume", "out", "--from", "20", "--set", "parameters.F=0.05"});
  CHECK(other.code == 2);
}

TEST_CASE("a checkpoint of a version without digests of equations can be resumed") {
  const Sandbox sandbox;
  write_map(0.2);
  write_text("c.yaml", with_a_map);
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "time.steps=40"}).code == 0);
  const auto digest = inspected("out/fields/step-000000040.nc")["digest"];
  REQUIRE(run_lapl({"run", "c.yaml", "--overwrite"}).code == 0);
  const std::string checkpoint = "out/checkpoints/step-000000020.h5";
  edit_sealed(checkpoint, [](hid_t file) { remove_link(file, "equation_digest"); });
  CHECK_FALSE(inspected(checkpoint)["provenance"].contains("equation_digest"));
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=40"}).code == 0);
  CHECK(inspected("out/fields/step-000000040.nc")["digest"] == digest);
}
