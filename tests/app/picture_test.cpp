// Pictures of lapl plot of several outputs and fields, and the texts in pictures.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/view/plot/plot_panels.hpp"
#include "tests/app/csv.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

TEST_CASE("plot: colours follow from values, not from names, and constant fields say so") {
  const lapl::Shape shape{8, 8}, box{8, 8}, one{1, 1};
  std::vector<double> cells(64);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<double>(i) - 30;
  const lapl::FieldView view{std::span<const double>(cells)};
  for (const char* const name : {"field", "u"})
    CHECK(lapl::drawn_field(name, view, shape, box, {}).signs);
  const auto subtitle = [&](const lapl::Shape& pixels) {
    return lapl::make_panel(lapl::drawn_field("u", view, shape, pixels, {}), "step 1", {}, {})
        .subtitle;
  };
  CHECK(subtitle(box) == "step 1");
  CHECK(subtitle(one) == "step 1");  // one pixel, but not one value
  std::ranges::fill(cells, 0.25);
  CHECK(subtitle(box) == "step 1, constant 0.25");
  CHECK(subtitle(one) == "step 1, constant 0.25");
}

TEST_CASE("plot: the panels of a field have the same limits, or with --own-limits each its own") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("initial: {kind: gaussian}\n"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto drawn = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--field", "field"});
    return lapl::test::drawn(options);
  };
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  CHECK(drawn({}) != drawn({"--own-limits"}));
  CHECK(drawn({"--step", "60"}) == drawn({"--step", "60", "--own-limits"}));
  // limits that include all values of both panels are those of both
  const auto first = std::stod(column("out/diagnostics.csv", "max").front());
  const auto least = std::stod(column("out/diagnostics.csv", "min").front());
  CHECK(drawn({}) == drawn({"--limits", fmt::format("{}", least), fmt::format("{}", first)}));
}

TEST_CASE("plot: on one axis the outputs of a field are graphs in one panel") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [40]}\nboundary: insulated\nequation: {u: laplacian(u), v: 0*v}\n"
             "initial: {u: sin(x), v: x}\ntime: {step: 0.1, steps: 60}\n"
             "output: {directory: out, every: 20}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const auto drawn = [](const std::vector<std::string>& options) {
    const std::string picture = lapl::test::drawn(options);
    return std::pair(png_size("p.png"), picture);
  };
  const auto one = drawn({"--step", "60"}), two = drawn({}),
             four = drawn({"--steps", "0,20,40,60"});
  CHECK(two.first == one.first);
  CHECK(four.first == one.first);
  CHECK(two.second == drawn({"--times", "0,6"}).second);
  CHECK(two.second != one.second);
  CHECK(two.second != four.second);
  CHECK(drawn({"--own-limits"}).first != one.first);  // two panels for each field
  for (const char* const kind : {"p.svg", "p.pdf"})
    CHECK(run_lapl({"plot", "out", "--field", "u", "-o", kind}).code == 0);
}

TEST_CASE("plot: outputs of several steps or times, and several fields, are side by side") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [20, 30]}\nboundary: insulated\n"
             "equation: {u: \"0.1*laplacian(u)\", v: \"-0.1*v\"}\n"
             "initial: {u: random, v: x}\ntime: {step: 0.25, steps: 60}\n"
             "output: {directory: out, every: 20}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const auto drawn = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--size", "1200x800"});
    return lapl::test::drawn(options);
  };
  CHECK(drawn({}) == drawn({"--steps", "0,60"}));
  CHECK(drawn({}) == drawn({"--field", "u", "--field", "v"}));
  CHECK(drawn({}) == drawn({"--times", "0,15"}));
  CHECK(drawn({}) != drawn({"--steps", "60,0"}));
  CHECK(drawn({"--steps", "20"}) == drawn({"--step", "20"}));
  CHECK(drawn({"--steps", "0,20,40"}) == drawn({"--times", "0,5,10"}));
  expect_refused({"plot", "out", "-o", "b.png"},
                 {{{"--steps", "0,50"}, 2, "no output of that step (nearest: 40 and 60)"},
                  {{"--times", "0,11"}, 2, "no output of that time (nearest: 10 and 15)"},
                  {{"--times", "0,0.5.2"}, 2, "found 0.5.2 (expected numbers with commas"},
                  {{"--steps", "0", "--movie"}, 2, "--steps 0: goes with pictures alone"},
                  {{"--field", "q", "--field", "u"}, 2, "no such field (it has: u, v)"}});
  CHECK(!fs::exists("b.png"));
}

TEST_CASE("pictures say where they come from, and lapl inspect reads it back") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "p ]]> & <q>.svg"}))) return;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"plot", "out", "-o", "p.png"},
        {"plot", "out", "--movie", "-o", "m.png"},
        {"plot", "out", "--step", "20", "-o", "one.png"},
        {"plot", "out/fields.nc", "--step", "20", "-o", "record.png"},
        {"plot", "out/fields.nc", "--step", "60", "-o", "newest.png"},
        {"export", "out", "--plain", "-o", "plain/"}})
    REQUIRE(run_lapl(command).code == 0);
  const auto run = nlohmann::json::parse(file_text("out/run.json"));
  const auto state = [](const char* step) {
    return nlohmann::json::parse(
        run_lapl({"inspect", fmt::format("out/fields/step-0000000{}.nc", step), "--json"})
            .out)["digest"];
  };
  struct Picture {
    const char *name, *steps, *state;
  };
  for (const Picture& picture : {Picture{"p.png", "0, 60", ""},
                                 {"p ]]> & <q>.svg", "0, 60", ""},
                                 {"m.png", "0, 20, 40, 60", ""},
                                 {"one.png", "20", "20"},
                                 {"record.png", "20", ""},
                                 {"newest.png", "60", "60"},
                                 {"plain/step-000000020.png", "20", "20"},
                                 {"plain/step-000000060.png", "60", "60"}}) {
    CAPTURE(picture.name);
    const Outcome shown = run_lapl({"inspect", picture.name, "--json"});
    REQUIRE(shown.code == 0);
    const auto from = nlohmann::json::parse(shown.out)["provenance"];
    CHECK(has(from["source"].get<std::string>(), (fs::current_path() / "out").string()));
    CHECK(from["steps"] == picture.steps);
    CHECK(from.contains("state_digest") == (picture.state != std::string()));
    if (from.contains("state_digest")) CHECK(from["state_digest"] == state(picture.state));
    CHECK(from["commit"] == run["commit"]);
    CHECK(from.contains("config_digest"));
    CHECK(!from.contains("config"));
    CHECK(has(from["drawn_by"].get<std::string>(), "out"));
    CHECK(has(run_lapl({"inspect", picture.name}).out, "picture of /"));
  }
  CHECK(has(file_text("p ]]> & <q>.svg"), "p ]]&gt; &amp; &lt;q&gt;.svg"));
}

TEST_CASE("lapl inspect: damaged pictures, and files that begin like pictures") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "<svg>"}).code == 0);
  // A step file has its title and command line at its start.
  CHECK(has(run_lapl({"inspect", "<svg>/fields/step-000000060.nc"}).out, "good: every byte"));
  write_text("page.html", "<html><svg></svg></html>\n");
  CHECK(run_lapl({"inspect", "page.html"}).code == 4);
  write_text("other.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n");
  CHECK(has(run_lapl({"inspect", "other.svg"}).out, "picture: says nothing of a run"));
  if (lacks_cairo(run_lapl({"plot", "<svg>", "-o", "p.png"}))) return;
  const std::string picture = file_text("p.png");
  std::string damaged = picture;
  damaged[damaged.find("Software") + 12] ^= 1;
  write_text("damaged.png", damaged);
  CHECK(has(run_lapl({"inspect", "damaged.png"}).err, "a wrong checksum (the file is damaged)"));
  for (const std::size_t size : {std::size_t{8}, std::size_t{900}, picture.size() - 12}) {
    write_text("cut.png", picture.substr(0, size));
    const Outcome cut = run_lapl({"inspect", "cut.png"});
    CHECK(cut.code == 4);
    CHECK(has(cut.err, "a PNG that is cut off"));
  }
  REQUIRE(run_lapl({"plot", "<svg>", "-o", "p.pdf"}).code == 0);
  CHECK(has(run_lapl({"inspect", "p.pdf"}).err, "pdfinfo prints where it comes from"));
}
