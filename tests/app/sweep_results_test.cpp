// lapl plot, watch, report and export of a sweep.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/hdf5/step_file.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

// A sweep of two keys whose member with the value 3e38 fails, as float32 cannot hold twice that.
void make_sweep() {
  write_text("c.yaml", small_config("initial: {kind: uniform}\n"));
  REQUIRE(run_lapl({"sweep", "c.yaml", "--output", "s", "--quiet", "--set", "initial.value=1,3e38",
                    "--set", "equation.coefficient=0.05,0.1,0.2"})
              .code == 3);
}

std::string swept_in(const fs::path& file) {
  return lapl::provenance_text(lapl::read_content(file).provenance, "swept");
}

}  // namespace

TEST_CASE("members have the swept values in each file, also after a resume") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\nequation: {diffusivity: 0.1}\ntime: {step: 1, steps: 60}\n"
             "output: {directory: out, every: 20}\ncheckpoint: {every: 20}\n");
  REQUIRE(run_lapl({"sweep", "c.yaml", "--output", "s", "--quiet", "--set", "initial.seed=1,2",
                    "--set", "time.step=1,0.5", "--set", "boundary=zero,periodic"})
              .code == 0);
  const fs::path member = "s/seed-2_step-0.5_boundary-periodic";
  const std::string swept = swept_in(member / "fields/step-000000020.nc");
  // /step is the number of steps, so the time step has its whole key
  CHECK(swept ==
        R"({"seed":{"key":"initial.seed","value":2},"time_step":{"key":"time.step","value":0.5},)"
        R"("boundary":{"key":"boundary","value":"periodic"}})");
  REQUIRE(run_lapl({"resume", member.string(), "--quiet", "--set", "time.steps=80"}).code == 0);
  CHECK(swept_in(member / "fields/step-000000080.nc") == swept);
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet"}).code == 0);
  CHECK(swept_in("out/fields/step-000000020.nc").empty());
}

TEST_CASE("export: a sweep becomes one file, and mistakes are named") {
  const Sandbox sandbox;
  make_sweep();
  const Outcome whole = run_lapl({"export", "s", "-o", "all.nc"});
  CAPTURE(whole.err);
  REQUIRE(whole.code == 0);
  CHECK(whole.out == "all.nc: field, laplacian of 6 members, 2 value x 3 coefficient\n");
  CHECK(run_lapl({"inspect", "all.nc"}).code == 0);
  CHECK(run_lapl({"export", "s", "-o", "one.nc", "--where", "value=1", "--field", "field"}).out ==
        "one.nc: field of 3 members, 3 coefficient\n");
  REQUIRE(run_lapl({"export", "s", "-o", "s/linked.nc", "--link"}).code == 0);
  CHECK(fs::file_size("s/linked.nc") < fs::file_size("all.nc"));
  expect_refused(
      {"export"},
      {{{"s", "-o", "all.npy"}, 2, "a sweep goes into one netCDF file"},
       {{"s", "-o", "all.nc"}, 2, "exists already"},
       {{"s", "-o", "b.nc", "--where", "value=2"}, 2, "no member has this value (initial.value"},
       {{"s", "-o", "b.nc", "--where", "vale=1"}, 2, "one of the swept keys value, coefficient"},
       {{"s", "-o", "b.nc", "--field", "u"}, 2, "has no such field (it has: field, laplacian)"},
       {{"s/value-1_coefficient-0.1", "-o", "b.nc", "--where", "value=1"}, 2, "is no sweep"},
       {{"s/value-1_coefficient-0.1", "-o", "b.nc", "--link"}, 2, "is no sweep"}});
  REQUIRE(run_lapl({"sweep", "c.yaml", "--output", "grids", "--quiet", "--set",
                    "grid.shape=[8,8],[16,16]"})
              .code == 0);
  expect_refused({"export"}, {{{"grids", "-o", "b.nc"}, 2, "the members have different grids"}});
}

TEST_CASE(
    "plot: a sweep is a sheet with one scale, and a missing member and other grids do no harm") {
  const Sandbox sandbox;
  make_sweep();
  const Outcome sheet = run_lapl({"plot", "s", "-o", "sheet.png"});
  if (lacks_cairo(sheet)) return;
  CAPTURE(sheet.err);
  REQUIRE(sheet.code == 0);
  CHECK(run_lapl({"plot", "s", "-o", "first.png", "--step", "0"}).code == 0);
  CHECK(drawing("first.png") != drawing("sheet.png"));
  REQUIRE(run_lapl({"plot", "s", "-o", "time.png", "--time", "0"}).code == 0);
  CHECK(drawing("first.png") == drawing("time.png"));
  CHECK(run_lapl({"plot", "s", "--movie", "-o", "movie.png"}).code == 0);
  CHECK(run_lapl({"plot", "s", "--where", "value=1", "-o", "row.svg"}).code == 0);
  CHECK(run_lapl({"plot", "s", "-o", "small.png", "--size", "500x300"}).code == 0);
  CHECK(png_size("small.png") == Size{500, 300});
  expect_refused({"plot"}, {{{"s", "--step", "7"}, 2, "no member has this output"},
                            {{"s", "--steps", "0,20"}, 2, "one output of each member"},
                            {{"s", "--field", "u"}, 2, "no such field"},
                            {{"s", "--size", "60x60"}, 2, "has no room"}});
  REQUIRE(run_lapl({"sweep", "c.yaml", "--output", "three", "--quiet", "--set",
                    "grid.shape=[8,8],[16,16]", "--set", "initial.value=1,2", "--set",
                    "boundary=zero,periodic"})
              .code == 0);
  expect_refused({"plot"}, {{{"three"}, 2, "3 parameters are swept: shape, value, boundary"}});
  CHECK(run_lapl({"plot", "three", "--where", "boundary=zero"}).code == 0);
}

TEST_CASE("watch: a sweep shows the progress of its members") {
  const Sandbox sandbox;
  make_sweep();
  const Outcome watch = run_lapl({"watch", "s", "--once"});
  CAPTURE(watch.out);
  CHECK(watch.code == 0);
  CHECK(has(watch.out, "3 failed, 3 complete"));
  CHECK(has(watch.out, "value 1, coefficient 0.05"));
  CHECK(watch.out.find("failed") < watch.out.find("complete    █"));
  expect_refused({"watch"}, {{{"s", "--once", "--field", "field"}, 2, "is a sweep"}});
}

TEST_CASE("report: the page of a sweep has its table, sheet and graphs, and members have pages") {
  const Sandbox sandbox;
  make_sweep();
  const Outcome report = run_lapl({"report", "s", "-o", "a #b.html"});
  CAPTURE(report.err);
  REQUIRE(report.code == 0);
  const std::string page = file_text("a #b.html");
  CHECK(has(page, "<a href=\"a%20%23b-members/value-1_coefficient-0.05.html\">"));
  CHECK(fs::exists("a #b-members/value-1_coefficient-0.05.html"));
  CHECK(has(page, "3 complete, 3 failed"));
  CHECK(has(page, "<th scope=\"colgroup\" colspan=\"3\">coefficient</tr>"));
  CHECK(has(page, "3 of 6 members, from the first in blue"));
  for (const char* part : {"http:", "https:", "<script", "src=\"/"}) CHECK(!has(page, part));
  REQUIRE(run_lapl({"report", "s", "-o", "again.html"}).code == 0);
  CHECK(replaced(file_text("again.html"), "again-members", "a%20%23b-members") == page);
}
