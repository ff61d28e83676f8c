// Runs on grids with a mask: what their files, pictures and tables hold, and restarts.
#include <hdf5.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "solver/precision.hpp"
#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl;
using namespace lapl::test;

namespace {

std::string mask_ring(const std::string& more = "") {
  return "grid: {shape: [24, 30], mask: {formula: 'abs((x - 14)^2 + (y - 11)^2 - 60) < 50'}}\n"
         "equation: {kind: formula, field: laplacian(field)}\nboundary: insulated\n"
         "initial: {kind: formula, formula: 1 + random}\ntime: {step: 0.1, steps: 40}\n"
         "output: {directory: out, every: 20, fields: [field, laplacian, s], derived: {s: "
         "{formula: "
         "field^2}}, integrals: {area: 1 + 0 * field}}\ncheckpoint: {every: 10}\n" +
         more;
}

nlohmann::json mask_content(const std::string& file) {
  return nlohmann::json::parse(run_lapl({"inspect", file, "--json"}).out);
}

bool is_in_ring(std::int64_t index) {
  const double x = static_cast<double>(index % 30) - 14, y = static_cast<double>(index / 30) - 11;
  return std::abs(x * x + y * y - 60) < 50;
}

// The stored values of a record, as other programs see them.
std::vector<float> mask_stored(const std::string& path, const std::string& name,
                               std::size_t record) {
  const Hdf5Session session;
  const OpenedFile opened = open_verified(path);
  const Hdf5Dataset dataset(H5Dopen2(opened.file, name.c_str(), H5P_DEFAULT), "open");
  CHECK(std::isnan(read_number_attribute<double>(dataset, "_FillValue")));
  CHECK(H5Aexists(dataset, "missing_value") == 0);
  DatasetLayout layout = field_layout(dataset, name);
  layout.packing = {};
  return std::get<std::vector<float>>(read_values(dataset, name, layout, record));
}

}  // namespace

TEST_CASE("outputs are NaN outside a mask for every reader, and their digests are the state's") {
  const Sandbox sandbox;
  write_text("c.yaml", mask_ring());
  const Outcome outcome = run_lapl({"run", "c.yaml", "--backend", "cpu"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  for (const std::string name : {"field", "laplacian", "s"})
    for (const auto& [file, record] :
         {std::pair("out/fields/step-000000040.nc", 0), {"all.nc", 2}}) {
      CAPTURE(name);
      const std::vector<float> values = mask_stored(file, name, record);
      for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(std::isnan(values[i]) == !is_in_ring(static_cast<std::int64_t>(i)));
    }
  const auto seen = mask_content("out/fields/step-000000040.nc");
  CHECK(seen["digest"] == last_digest(outcome.out));
  CHECK(seen["digest"] == seen["provenance"]["state_digest"]);
  CHECK(seen["fields"]["field"]["min"].get<double>() >= 1);
  CHECK(seen["fields"]["field"]["max"].get<double>() <= 2);
  const auto indexed = std::get<std::vector<float>>(read_field("out/fields.nc", "field", 2).values);
  for (std::int64_t i = 0; i < 720; ++i) CHECK(std::isnan(indexed[i]) == !is_in_ring(i));
  CHECK(mask_content("out/checkpoints/step-000000040.h5")["digest"] == seen["digest"]);
  const std::string lines = file_text("out/diagnostics.csv");
  int inside = 0;
  for (std::int64_t i = 0; i < 720; ++i) inside += is_in_ring(i) ? 1 : 0;
  CHECK(has(lines, "," + std::to_string(inside) + ","));
  REQUIRE(run_lapl({"export", "out", "-o", "all.csv", "--field", "field"}).code == 0);
  CHECK(has(file_text("all.csv"), "40,4,0,0,nan\n"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"watch", "out", "--once"},
        {"report", "out", "-o", "r.html"},
        {"plan", "c.yaml", "--backend", "cpu"},
        {"verify-restart", "c.yaml", "--backend", "cpu"},
        {"diff", "out/fields/step-000000040.nc", "out/fields/step-000000040.nc"},
        {"plot", "out", "-o", "p.png"}}) {
    CAPTURE(command.front());
    const Outcome done = run_lapl(command);
    CAPTURE(done.err);
    CHECK((lacks_cairo(done) || done.code == 0));
  }
}

TEST_CASE("each file of fields has the mask, and hides the nodes outside from VTK") {
  const Sandbox sandbox;
  write_text("c.yaml", mask_ring());
  // 257 outputs: the index reads a bundle
  REQUIRE(run_lapl({"run", "c.yaml", "--quiet", "--set", "output.every=1", "--set",
                    "output.compression=3", "--set", "time.steps=256"})
              .code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc", "--steps", "255:256:1", "--quiet"}).code == 0);
  const auto bytes = [](const std::string& path, const char* name) {
    const Hdf5Session session;
    const Hdf5File file = open_hdf5_file(path);
    const Hdf5Dataset dataset(H5Dopen2(file, name, H5P_DEFAULT), "open");
    return read_all<std::uint8_t>(dataset, name, memory_type<std::uint8_t>());
  };
  const auto is_mask = [](const std::vector<std::uint8_t>& values, std::uint8_t inside,
                          std::uint8_t outside) {
    bool is = !values.empty() && values.size() % 720 == 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      is = is && values[i] == (is_in_ring(static_cast<std::int64_t>(i % 720)) ? inside : outside);
    return is;
  };
  for (const char* const path : {"out/fields/step-000000256.nc", "out/fields.nc", "all.nc",
                                 "out/fields/bundle-000000000.nc"}) {
    CAPTURE(path);
    CHECK(is_mask(bytes(path, "mask"), 1, 0));
  }
  CHECK(is_mask(bytes("out/fields/step-000000256.nc", "VTKHDF/PointData/vtkGhostType"), 0, 2));
  const auto of_series = bytes("all.nc", "VTKHDF/PointData/vtkGhostType");
  CHECK(of_series.size() == 2 * 720);
  CHECK(is_mask(of_series, 0, 2));
}

TEST_CASE("a restart keeps the mask to the bit, and refuses another") {
  const Sandbox sandbox;
  write_text("c.yaml", mask_ring());
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu", "--output", "whole"}).code == 0);
  const auto digest = mask_content("whole/fields/step-000000040.nc")["digest"];
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu", "--set", "time.steps=20"}).code == 0);
  const Outcome other =
      run_lapl({"resume", "out", "--set", "time.steps=40", "--set", "grid.mask={formula: x < 9}"});
  CHECK(other.code == 2);
  CHECK(has(other.err, "grid.mask: {formula: "));
  CHECK(has(other.err, "(a restart may not change it; lapl resume --change equation does)"));
  CHECK(
      has(run_lapl({"resume", "out", "--set", "time.steps=40", "--set", "boundary.mask=zero"}).err,
          "(a restart may not change it; lapl resume --change boundary does)"));
  const Outcome same = run_lapl({"resume", "out", "--set", "time.steps=40", "--set",
                                 "grid.mask={formula: '50 > abs((x - 14)^2 + (y - 11)^2 - 60)'}"});
  CAPTURE(same.err);
  CHECK(same.code == 0);
  CHECK(mask_content("out/fields/step-000000040.nc")["digest"] == digest);
}

TEST_CASE("a mask that no cell is outside of leaves no trace in outputs") {
  const Sandbox sandbox;
  std::string config = mask_ring();  // with a rate whose stable step is estimated
  config.insert(config.find("laplacian(field)}"), "-field^3 + ");
  write_text("c.yaml", config);
  REQUIRE(run_lapl({"run", "c.yaml", "--backend", "cpu", "--set", "grid.mask={formula: 1}"}).code ==
          0);
  const auto all = mask_content("out/fields/step-000000040.nc")["digest"];
  REQUIRE(run_lapl({"resume", "out", "--set", "time.steps=45"}).code == 0);
  const Outcome none = run_lapl(
      {"run", "c.yaml", "--backend", "cpu", "--set", "grid.mask=null", "--output", "none"});
  CAPTURE(none.err);
  REQUIRE(none.code == 0);
  CHECK(mask_content("none/fields/step-000000040.nc")["digest"] == all);
  const std::string lone = "grid.mask={formula: 'where(abs(x - 2) + abs(y - 3) < 0.5, 1, x > 6)'}";
  for (const char* const command : {"validate", "run"}) {
    const Outcome noted =
        run_lapl({command, "c.yaml", "--set", lone, "--set", "output.directory=lone"});
    CHECK(noted.code == 0);
    CHECK(
        has(noted.err,
            "grid.mask: 1 cell inside has no cell inside beside it, the first at row 3, column 2"));
  }
  for (const char* const command : {"validate", "run", "plan"}) {
    const Outcome wrong = run_lapl(
        {command, "c.yaml", "--set", "grid.mask={formula: 0}", "--set", "output.directory=never"});
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err, "grid.mask: is 0 in every cell"));
  }
  CHECK(!fs::exists("never"));
  const std::string picture = LAPL_SOURCE_DIR "/configs/data/obstacles.png";
  CHECK(has(run_lapl({"validate", "c.yaml", "--set", "grid.mask={image: " + picture + "}"}).err,
            "obstacles.png holds 96 x 160 values, grid.shape is [24, 30]"));
  CHECK(run_lapl({"validate", "c.yaml", "--set", "grid.mask={image: " + picture + "}", "--set",
                  "grid.shape=[96, 160]"})
            .code == 0);
}

TEST_CASE("diffusion by its coefficient takes a mask beside a parameter that an output reads") {
  const Sandbox sandbox;
  const std::string plain =
      "grid: {shape: [20, 30], mask: {formula: '(x - 12)^2 + (y - 9)^2 < 60'}}\n"
      "equation: {coefficient: 0.2}\ninitial: {kind: gaussian}\ntime: {steps: 40}\n";
  write_text("plain.yaml", plain + "output: {every: 40}\n");
  write_text("read.yaml", plain +
                              "parameters: {p: {formula: 1 + x}}\n"
                              "output: {every: 40, fields: [d], derived: {d: {formula: p * "
                              "field}}}\n");
  std::vector<nlohmann::json> digests;
  for (const char* const name : {"plain", "read"}) {
    const Outcome outcome = run_lapl({"run", std::string(name) + ".yaml", "--backend", "cpu"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::string file = "/checkpoints/step-000000040.h5";
    digests.push_back(mask_content(std::string("runs/") + name + file)["digest"]);
  }
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("validate notes fluxes through a mask boundary that is slanted, and no others") {
  const Sandbox sandbox;
  const auto said = [](const std::string& mask, const std::string& condition) {
    write_text("c.yaml", "grid: {shape: [24, 30], mask: {formula: '" + mask +
                             "'}}\nequation: {kind: formula, field: laplacian(field)}\n"
                             "boundary: {rows: insulated, columns: insulated, mask: " +
                             condition + "}\ninitial: {kind: uniform, value: 1}\n" +
                             "time: {step: 0.1, steps: 1}\n");
    const Outcome valid = run_lapl({"validate", "c.yaml"});
    REQUIRE_MESSAGE(valid.code == 0, valid.err);
    return valid.err;
  };
  const std::string note = "lapl: boundary.mask: the mask boundary is slanted or curved in ";
  for (const std::string flux : {"{derivative: 1}", "{mixed: {value: 1, factor: 2}}"})
    CHECK_MESSAGE(has(said("x + y < 31.5", flux), note), flux);
  const std::string said_of_all = said("x + y < 31.5", "{derivative: 1}");
  CHECK_MESSAGE(has(said_of_all, "so fluxes through it are of first order"), said_of_all);
  CHECK(!has(said("x < 20", "{derivative: 1}"), "slanted"));
  CHECK(!has(said("x + y < 31.5", "insulated"), "slanted"));
  CHECK(!has(said("x + y < 31.5", "{value: 1}"), "slanted"));
}

TEST_CASE("validate notes fluxes beside a coefficient that reads neighbours, and no others") {
  const Sandbox sandbox;
  const auto is_noted = [](const std::string& equation, const std::string& last) {
    write_text("c.yaml", "grid: {shape: [20]}\nequation: {" + equation +
                             "}\nboundary: {columns: {first: insulated, last: " + last +
                             "}}\ninitial: 1\ntime: {step: 0.01, steps: 1}\n");
    const Outcome valid = run_lapl({"validate", "c.yaml"});
    REQUIRE_MESSAGE(valid.code == 0, valid.err);
    return has(valid.err,
               "lapl: equation: a coefficient of a divergence reads neighbours, so "
               "fluxes through sides and the mask boundary are of first order\n");
  };
  const std::string flux = "{derivative: 1}";
  CHECK(is_noted("u: divergence((1 + d_dx(u)^2) * gradient(u))", flux));
  CHECK(is_noted("let: {s: d_dx(u)^2, D: 1 + s}, u: divergence(D * gradient(u))", flux));
  CHECK(!is_noted("let: {D: 1 + u^2}, u: divergence(D * gradient(u)) + laplacian(D)", flux));
  CHECK(!is_noted("let: {m: laplacian(u)}, u: divergence(u * gradient(m))", flux));
  CHECK(!is_noted("u: divergence((1 + d_dx(u)^2) * gradient(u))", "insulated"));
}
