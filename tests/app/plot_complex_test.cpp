// lapl plot of complex fields: what is shown of psi, whose parts are stored.
#include <cmath>
#include <numbers>

#include "app/view/plot/complex_views.hpp"
#include "app/view/plot/plot_panels.hpp"
#include "tests/app/pictures.hpp"

using namespace lapl::test;

namespace {

// A wave psi and a real field v: the run out.
void run_wave(const std::string& shape) {
  write_text("c.yaml",
             "grid: {shape: " + shape +
                 ", spacing: 0.5}\nfields: {psi: {kind: complex, unit: m, label: Wave}, v: real}\n"
                 "equation: {psi: i * 0.5 * laplacian(psi), v: \"0*v\"}\nboundary: zero\n"
                 "initial: {psi: \"exp(-(x - 4)^2 / 8 + 2*i*x)\", v: 1}\n"
                 "time: {step: 0.05, steps: 40, scheme: leapfrog}\n"
                 "output: {directory: out, every: 20, fields: [psi, v]}\n"
                 "checkpoint: {every: 40}\n");
  const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
}

}  // namespace

TEST_CASE("plot: values shown of a complex field follow from its parts") {
  const Sandbox sandbox;
  run_wave("[6, 20]");
  const fs::path file = "out/fields/step-000000040.nc";
  const auto values = [&](const char* name) {
    return lapl::as_doubles(lapl::as_view(lapl::read_shown(file, name, 0).values));
  };
  const auto re = values("psi_re"), im = values("psi_im"), size = values("abs(psi)"),
             phase = values("phase(psi)");
  REQUIRE(re.size() == 120);
  for (std::size_t i = 0; i < re.size(); ++i) {
    CHECK(size[i] * size[i] == doctest::Approx(re[i] * re[i] + im[i] * im[i]));
    CHECK(size[i] * std::cos(phase[i]) == doctest::Approx(re[i]));
    CHECK(size[i] * std::sin(phase[i]) == doctest::Approx(im[i]));
  }
  CHECK(values("real(psi)") == re);
  CHECK(values("imag(psi)") == im);
  const lapl::DrawnContent content(lapl::read_output(file));
  using Names = std::vector<std::string>;
  CHECK(lapl::shown_fields(content, "psi", "out") == Names{"abs(psi)", "phase(psi)"});
  CHECK(lapl::shown_fields(content, "psi_re", "out") == Names{"psi_re"});
  CHECK(content.labels.at("abs(psi)").unit == "m");
  CHECK(content.labels.at("abs(psi)").label == "absolute value of Wave");
  CHECK(content.labels.at("phase(psi)").unit.empty());
}

TEST_CASE("plot: phases have limits of their own, and means that do not cancel") {
  const lapl::Shape shape{8, 8}, box{1, 1};
  std::vector<double> angles(64);  // all close to pi, on both sides of the jump
  for (std::size_t i = 0; i < angles.size(); ++i) angles[i] = i % 2 == 0 ? 3.1 : -3.1;
  const lapl::FieldView view{std::span<const double>(angles)};
  const auto panel = [&](const lapl::PlotStyle& style) {
    return lapl::make_panel(lapl::drawn_field("phase(psi)", view, shape, box, style), "", style,
                            {});
  };
  CHECK(std::abs(panel({}).pixels.front()) > 3.1);
  CHECK(panel({}).limits.high == std::numbers::pi);
  CHECK(panel({}).limits.low == -std::numbers::pi);
  CHECK(panel({}).scale == lapl::Scale::angle);
  lapl::PlotStyle limited;
  limited.limits = lapl::Limits{0, 1};
  CHECK(panel(limited).limits.high == 1);
  CHECK(panel(limited).scale == lapl::Scale::linear);
  CHECK(lapl::value_ticks(lapl::Scale::angle, -1, 1, 7).ticks[1].label == "−π/2");
  CHECK(lapl::value_ticks(lapl::Scale::angle, -1, 1, 4).ticks.size() == 3);
}

TEST_CASE("plot: --field psi draws the absolute value and the phase of a complex field") {
  const Sandbox sandbox;
  run_wave("[12, 20]");
  if (lacks_cairo(run_lapl({"plot", "out", "-o", "a.png"}))) return;
  const std::string both = drawn({"--field", "psi"});
  CHECK(both == drawn({"--field", "abs(psi)", "--field", "phase(psi)"}));
  CHECK(drawn({"--field", "real(psi)"}) != drawn({"--field", "imag(psi)"}));
  CHECK(drawn({"--field", "abs(psi)", "--log"}) != drawn({"--field", "abs(psi)"}));
  drawn({"--field", "psi", "--line", "y:3", "--steps", "0,20,40"});
  drawn({"--field", "psi", "--movie"});
  const std::string checkpoint = "out/checkpoints/step-000000040.h5";
  CHECK(run_lapl({"plot", checkpoint, "--field", "psi", "-o", "p.png"}).code == 0);
  expect_refused({"plot", "out", "-o", "none.png"},
                 {{{"--field", "abs(v)"}, 2, "out has no complex field v (it has: psi)"},
                  {{"--field", "arg(psi)"}, 2, "no such field (it has: psi_im, psi_re, v)"},
                  {{"--field", "phase(psi)", "--log"}, 2, "(expected values above 0"}});
  CHECK(!fs::exists("none.png"));
  run_wave("[4, 6, 20]");
  drawn({"--field", "psi"});
  drawn({"--field", "phase(psi)", "--slice", "y:2"});
}
