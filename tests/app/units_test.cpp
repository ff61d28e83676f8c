// Units and labels of a config in everything that a run writes and prints, and nothing there
// without them.
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::string warm_plate(const std::string& grid = ", unit: cm",
                       const std::string& time = ", unit: h",
                       const std::string& words = "unit: K, label: heat & \"light\"") {
  return "grid: {shape: [12, 16], spacing: 0.5" + grid + "}\nfields: {T: {" + words +
         "}}\nequation: {T: laplacian(T)}\ninitial: {T: {kind: gaussian}}\n"
         "time: {step: 0.025, steps: 8" +
         time + "}\noutput: {directory: out, every: 4, fields: [T, laplacian]}\n";
}

nlohmann::json units_in(const std::string& path) {
  return nlohmann::json::parse(run_lapl({"inspect", path, "--json"}).out);
}

}  // namespace

TEST_CASE("units are in files, tables, reports and messages") {
  const Sandbox sandbox;
  write_text("c.yaml", warm_plate());
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(has(run.out, "time 0.2 h      min"));
  CHECK(has(run_lapl({"validate", "c.yaml"}).err, "largest stable step: 0.0625 h\n"));
  CHECK(has(run_lapl({"plan", "c.yaml"}).out, "steps of 0.025 h; largest stable step: 0.0625 h"));
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  for (const std::string& path :
       {last_output("out"), std::string("out/fields.nc"), std::string("all.nc")}) {
    const nlohmann::json found = units_in(path);
    CAPTURE(path);
    CHECK(found["grid_unit"] == "cm");
    CHECK(found["time_unit"] == "h");
    CHECK(found["fields"]["T"]["unit"] == "K");
    CHECK(found["fields"]["laplacian"]["unit"] == "K cm-2");
  }
  CHECK(has(run_lapl({"inspect", "out"}).out, "t = 0.2 h\n"));
  const Outcome report = run_lapl({"report", "out", "-o", "page.html"});
  if (lacks_cairo(report)) return;
  const std::string page = file_text("page.html");
  for (const char* const part :
       {"t = 0.2 h", "heat &amp; &quot;light&quot;", ">x (cm), y (cm)<", "K cm-2"})
    CHECK_MESSAGE(has(page, part), part);
}

TEST_CASE("without units nothing says m, s or 1") {
  const Sandbox sandbox;
  write_text("c.yaml", warm_plate("", "", "kind: real"));
  const Outcome run = run_lapl({"run", "c.yaml"});
  REQUIRE(run.code == 0);
  CHECK(has(run.out, "time 0.2        min"));
  CHECK(has(run_lapl({"validate", "c.yaml"}).err, "largest stable step: 0.0625\n"));
  const nlohmann::json found = units_in(last_output("out"));
  for (const char* const key : {"grid_unit", "time_unit"}) CHECK(!found.contains(key));
  for (const auto& [name, field] : found["fields"].items()) CHECK(!field.contains("unit"));
  const Outcome report = run_lapl({"report", "out", "-o", "page.html"});
  if (lacks_cairo(report)) return;
  const std::string page = file_text("page.html");
  CHECK(has(page, ">x, y<"));
  CHECK(has(page, "t = 0.2<"));
  CHECK(!has(page, "(m)"));
}

TEST_CASE("a restart may change units and labels, and no name or kind of a field") {
  const Sandbox sandbox;
  write_text("c.yaml", warm_plate());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const Outcome other = run_lapl({"resume", "out", "--change", "output", "--set", "time.steps=12",
                                  "--set", "grid.unit=m", "--set", "time.unit=null", "--set",
                                  "fields={T: {unit: degree_Celsius}}"});
  CAPTURE(other.err);
  REQUIRE(other.code == 0);
  const nlohmann::json index = units_in("out/fields.nc");
  CHECK(index["grid_unit"] == "m");
  CHECK(!index.contains("time_unit"));
  CHECK(index["fields"]["T"]["unit"] == "degree_Celsius");
  CHECK(units_in("out/fields/step-000000008.nc")["time_unit"] == "h");
  CHECK(has(file_text("out/log.jsonl"), "grid.unit: cm before, m from then on"));
  const Outcome list = run_lapl({"resume", "out", "--set", "time.steps=16", "--set", "fields=[T]"});
  CHECK_MESSAGE(list.code == 0, list.err);
  for (const char* const fields : {"fields={T: complex}", "fields=[T, S]"})
    CHECK(run_lapl({"resume", "out", "--set", "time.steps=20", "--set", fields}).code != 0);
}
