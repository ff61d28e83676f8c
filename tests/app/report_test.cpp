// lapl report from the outside; tests/report opens the page in a browser.
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("report: one page holds every output, the config's origins and the provenance") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("filters: [{name: smooth, kernel: gaussian, sigma: 1}]\n"));
  const Outcome run = run_lapl({"run", "c.yaml", "--set", "compute.threads=1"});
  REQUIRE(run.code == 0);
  const Outcome report = run_lapl({"report", "out"});
  CAPTURE(report.err);
  REQUIRE(report.code == 0);
  CHECK(has(report.out, "out.html: 4 of 4 outputs"));
  const std::string page = file_text("out.html");
  for (const int step : {0, 20, 40, 60})
    CHECK(count(page, "id=\"step=" + std::to_string(step) + "\"") == 1);
  CHECK(count(page, "<img") == 4 * 3);  // four outputs of field, laplacian and smooth
  CHECK(has(page, "compute.<wbr>threads<td>1<td>--set</tr>"));
  CHECK(has(page, "grid.<wbr>shape<td>[20, 30]<td>c.yaml:1</tr>"));
  CHECK(has(page, last_digest(run.out)));
  CHECK(has(page, "command_line"));

  const std::string first = page;
  REQUIRE(run_lapl({"report", "out", "-o", "again.html", "--quiet"}).code == 0);
  CHECK(file_text("again.html") == first);  // the page of a run is always the same
}

TEST_CASE("report: sixty of many outputs are shown, the first and the last among them" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--set", "output.every=1", "--set", "time.steps=70"}).code ==
          0);
  const Outcome report = run_lapl({"report", "out"});
  CHECK(has(report.out, "60 of 71 outputs"));
  const std::string page = file_text("out.html");
  CHECK(has(page, "60 of the 71 outputs, evenly chosen."));
  CHECK(count(page, "class=\"step\"") == 60);
  CHECK(has(page, "id=\"step=0\""));
  CHECK(has(page, "id=\"step=70\""));
  CHECK(page.size() < 3000000);
}

TEST_CASE("report: fields of one row, one column and one cell are shown") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  for (const char* shape : {"[1, 500]", "[500, 1]", "[1, 1]"}) {
    REQUIRE(run_lapl({"run", "c.yaml", "--overwrite", "--set", std::string("grid.shape=") + shape,
                      "--set", "initial.kind=uniform"})
                .code == 0);
    CHECK(run_lapl({"report", "out"}).code == 0);
  }
}

TEST_CASE("report: mistakes are named, and no page appears") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  expect_refused({"report"}, {{{"none"}, 4, "none: no such file or folder"},
                              {{"."}, 4, "not a run folder"},
                              {{"out", "-o", "p.png"}, 2, "unknown kind of page \".png\" (.html)"},
                              {{"out", "-o", "none/p.html"}, 4, "none/p.html"}});
  write_text("out/fields/step-000000040.nc", "no longer what it was");
  expect_refused({"report"}, {{{"out"}, 4, "step-000000040.nc"}});
  for (const auto& entry : fs::directory_iterator(".")) CHECK(entry.path().extension() != ".html");
}

TEST_CASE("report: its commands quote the folder for the shell") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "it's $(here) \"now\""}).code == 0);
  REQUIRE(run_lapl({"report", "it's $(here) \"now\"", "-o", "page.html"}).code == 0);
  const std::string page = file_text("page.html");
  CHECK(has(page,
            "open_dataset(sys.argv[1]))&#39; &#39;it&#39;\\&#39;&#39;s $(here) &quot;now&quot;"
            "&#39;/fields.nc"));
}
