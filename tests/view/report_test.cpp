// Parts of the page of lapl report.
#include <doctest/doctest.h>

#include <fstream>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/report/graphs.hpp"
#include "app/view/report/html.hpp"
#include "app/view/report/mathml.hpp"
#include "app/view/report/page.hpp"
#include "io/images/image.hpp"
#include "tests/io/config_helpers.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/text.hpp"

using namespace lapl;
using lapl::test::has;

namespace {

Panel grey_panel(Shape shape, std::vector<double> values) {
  return {"field", "", shape, shape, std::move(values), {0, 1}, colormap_named("gray"), {}};
}

}  // namespace

TEST_CASE("html: nothing in a text is taken for markup") {
  CHECK(html_escaped("<b a='1' c=\"2\">&amp;") ==
        "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  CHECK(html_escaped("grün ×") == "grün ×");
  CHECK(html_escaped(std::string("a\0b\x1b\xff", 5)) == "a\ufffdb\ufffd\ufffd");
  CHECK(html_with_superscripts("×10^{−9} + <") == "×10<sup>−9</sup> + &lt;");
  CHECK(html_with_superscripts("a^{b") == "a^{b");
}

TEST_CASE("base64 has the values of RFC 4648's examples") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("an indexed PNG has the panel's pixels, with the first row at the bottom") {
  const test::ScratchFolder folder;
  Panel panel = grey_panel({2, 3}, {0, 0.5, 1, 2, -1, std::numeric_limits<double>::quiet_NaN()});
  std::ofstream(folder / "a.png") << indexed_png(panel);
  const GreyImage image = read_png(folder / "a.png");
  REQUIRE(image.shape.rows == 2);
  REQUIRE(image.shape.columns == 3);
  const std::vector<double> expected = {1, 0, 0xb0 / 255.0, 0, 0.5, 1};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(image.values[i] == doctest::Approx(expected[i]).epsilon(0.01));
  panel.axes.first_row_below = false;
  std::ofstream(folder / "b.png") << indexed_png(panel);
  CHECK(read_png(folder / "b.png").values[2] == 1);
}

TEST_CASE("resolved keys are those from which the resolved config was written") {
  const LoadedConfig config =
      parse(smallest_config + "output: {directory: \"a  # b\"}\n" +
                "filters: [{name: smooth, kernel: gaussian, sigma: 2}, {name: b, kernel: box}]\n",
            {"grid.spacing=2"});
  const std::vector<ResolvedKey> keys = resolved_keys(resolved_yaml(config));
  REQUIRE(keys.size() == config.keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK(keys[i].key == config.keys[i].key);
    CHECK(keys[i].value == config.keys[i].value);
    CHECK(keys[i].origin == config.keys[i].origin);
  }
  CHECK(resolved_keys("").empty());
  CHECK(resolved_keys("\n#\n  # :\nno colon\n").empty());
}

TEST_CASE("report page: texts from files stay texts, and nothing comes from the network") {
  const std::string evil = "<script>alert(1)</script>\"'&";
  ReportContent content;
  content.run.name = content.run.note = content.run.device = content.run.status = evil;
  content.run.fields = {""};
  content.run.labels = {{evil, evil, evil}};
  content.run.units = {evil, evil};
  content.run.diagnostics = {{0, 0, {{0, 1, 0.5, 1, 1}}, 0}, {10, 1, {{0, 1, 0.5, 1, 1}}, 1e9}};
  content.run.digests[10] = evil;
  Panel panel = grey_panel({2, 3}, {0, 0, 0, 1, 1, 1});
  panel.title = panel.unit = evil;
  panel.axes.units = {evil, evil};
  content.steps = {{0, 0, {panel}}, {10, 1, {panel}}};
  content.outputs = 2;
  content.config = {{evil, evil, evil}};
  content.provenance = {{evil, evil}};
  content.citation = content.commands = content.generator = evil;
  const std::string page = report_page(content);
  CHECK(!has(page, "<script>alert"));
  CHECK(!has(page, "\"'&"));
  CHECK(has(page, "default-src 'none'"));
  for (const char* part : {"http:", "https:", "url(", "src=\"/", "href=", "@import"})
    CHECK_MESSAGE(!has(page, part), part);
  CHECK(has(page, "id=\"step=10\""));
  CHECK(has(page, "--ratio:1.5000"));  // three columns, two rows
}

TEST_CASE("report page: a field of one axis is a graph, with a gap where a value is not finite") {
  ReportContent content;
  content.outputs = 1;
  Panel panel = grey_panel({1, 4, 1, 1}, {0, 1, std::numeric_limits<double>::quiet_NaN(), 0.25});
  panel.line = true;
  content.run.units.time = "h &";
  content.steps = {{0, 0, {panel}}};
  const std::string page = report_page(content);
  CHECK(!has(page, "<img"));
  CHECK(has(page, "points=\"125.0,400.0 125.0,400.0 375.0,0.0\"/>"));
  CHECK(has(page, "points=\"875.0,300.0 875.0,300.0\"/>"));
  CHECK(has(page, "aria-label=\"field at step 0, t = 0 h &amp;, from 0 to 1\""));
}

TEST_CASE(
    "report page: values that are not finite, a single output and missing diagnostics do no harm") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ReportContent content;
  content.outputs = 1;
  content.run.fields = {""};
  content.run.labels.resize(1);
  content.steps = {{0, 0, {grey_panel({1, 1}, {nan})}}};
  CHECK(has(report_page(content), "There are none yet."));
  content.run.diagnostics = {{0, 0, {{nan, nan, nan, nan, nan}}, 0}};
  CHECK(!has(report_page(content), "<polyline"));
  content.run.diagnostics = {{7, 0, {{1, 1, 1, 1, 1}}, 0}};
  CHECK(has(report_page(content), "<polyline"));
}

TEST_CASE("formulas become MathML that has their meaning") {
  const auto math = [](const std::string& text) {
    return formula_mathml(parse_formula("rate", text));
  };
  CHECK(math("2 * (a + b)") ==
        "<mrow><mn>2</mn><mspace width=\"0.2em\"></mspace><mrow><mo "
        "stretchy=\"false\">(</mo><mrow><mi>a</mi><mo>+</mo>"
        "<mi>b</mi></mrow><mo stretchy=\"false\">)</mo></mrow></mrow>");
  CHECK(math("-u^2") == "<mrow><mo>\u2212</mo><msup><mi>u</mi><mn>2</mn></msup></mrow>");
  CHECK(has(math("(-u)^2"),
            "<msup><mrow><mo stretchy=\"false\">(</mo><mrow><mo>\u2212</mo><mi>u</mi></mrow>"));
  CHECK(math("a - (b - c)") != math("a - b - c"));
  CHECK(math("(a / b) / c") == "<mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mi>c</mi></mfrac>");
  CHECK(math("a / b^2") == "<mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac>");
  CHECK(has(math("divergence(D * gradient(u))"),
            "<mo>\u2207</mo><mo>·</mo><mrow><mo stretchy=\"false\">(</mo>"));
  CHECK(has(math("alpha * d2_dxdy(u_re)"), "<msub><mi>u</mi><mi>re</mi></msub>"));
  CHECK(has(math("where(u < 1 and not (v >= 2), 1.5e-3, f_)"), "&lt;"));
  CHECK(has(math("1.5e-30 * x"), "<msup><mn>10</mn><mn>-30</mn></msup>"));
  CHECK(math("2 * laplacian(u)").find("(") == std::string::npos);
  CHECK(math("laplacian(u) * v") != math("laplacian(u * v)"));
  CHECK(has(math("a * laplacian(u) * v"), "<mo stretchy=\"false\">(</mo><mrow><mi>a</mi>"));
  CHECK(math("2 * 3") == "<mrow><mn>2</mn><mo>×</mo><mn>3</mn></mrow>");
}

TEST_CASE("the equations and boundary conditions of a config are drawn") {
  const RunConfig run =
      parse(
          "grid: {shape: [8, 8]}\nparameters: {k: 0.5}\ntime: {step: 0.1, steps: 1}\n"
          "equation: {u: laplacian(u) - k * u}\n"
          "boundary: {x: periodic, top: {u: {value: 1 + x}}, bottom: {u: {derivative: 2}}}\n")
          .run;
  const std::string equations = equations_html(run);
  CHECK(has(equations, "<mo>∂</mo><mi>u</mi>"));
  CHECK(has(equations, "<mi>k</mi><mo>=</mo><mn>0.5</mn>"));
  const std::string sides = boundaries_html(run, true);
  CHECK(has(sides, "class=\"box top-value right-periodic bottom-flux left-periodic\""));
  CHECK(has(boundaries_html(run, false), "class=\"box top-flux"));
}

TEST_CASE("a line of very many values is drawn by its peaks") {
  std::vector<double> steps(100000), values(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<double>(i);
  values[77777] = 5;
  const std::string graph = graph_html("g", {}, {{"a", "class=\"max\"", steps, steps, values}});
  CHECK(graph.size() < 60000);
  CHECK(has(graph, "777.8,18.2"));
  CHECK(has(graph, "<g class=\"over-time\">"));
  CHECK(has(graph, "<g class=\"over-step\">"));
}

TEST_CASE("report page: parts of a run without an end were killed, except the one that runs") {
  ReportContent content;
  content.outputs = 1;
  content.steps = {{0, 0, {grey_panel({1, 1}, {1})}}};
  content.run.status = "running";
  content.run.parts = {{"10:00", 0, 40, "node<7>", "4", "lapl run", ""},
                       {"11:00", 40, 60, "node8", "2", "lapl resume", ""}};
  const std::string page = report_page(content);
  CHECK(has(page, "<td>start<td>0 to 40<td>killed<td>node&lt;7&gt;<td>4</tr>"));
  CHECK(has(page, "<td>resume<td>40 to 60<td>running<td>node8<td>2</tr>"));
}
