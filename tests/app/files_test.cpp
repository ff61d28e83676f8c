// The files that runs read and write, as users meet them: records, masks, names, digests, titles.
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/dataset_names.hpp"
#include "tests/app/program.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/text.hpp"

using namespace lapl;
using namespace lapl::test;

namespace {

std::string records_config(const std::string& initial, const std::string& directory) {
  return "grid: {shape: [6, 7]}\nequation: {coefficient: 0.1}\ninitial: " + initial +
         "\ntime: {steps: 4}\noutput: {directory: " + directory +
         ", every: 2}\ncompute: {backend: cpu, precision: float64}\n";
}

std::vector<double> values_in(const std::string& file, const std::string& name,
                              const RecordChoice& record = {}) {
  return as_doubles(as_view(read_field(file, name, record).values));
}

nlohmann::json json_of_command(const std::vector<std::string>& command) {
  const Outcome outcome = run_lapl(command);
  CAPTURE(outcome.err);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a run says which of several records it starts from, and takes another") {
  const Sandbox sandbox;
  write_text("a.yaml", records_config("{kind: checkerboard, tile: 1}", "a"));
  REQUIRE(run_lapl({"run", "a.yaml"}).code == 0);
  REQUIRE(run_lapl({"export", "a", "-o", "all.nc"}).code == 0);
  const std::vector<std::pair<std::string, std::size_t>> choices = {
      {"", 0}, {", record: 1", 1}, {", record: last", 2}, {", record: {time: 0.4}", 2}};
  for (const std::string file : {"a/fields.nc", "all.nc"})
    for (const std::pair<std::string, std::size_t>& row : choices) {
      const std::string& choice = row.first;
      const std::size_t record = row.second;
      CAPTURE(file + choice);
      write_text("b.yaml", records_config("{kind: hdf5, path: " + file + choice + "}", "b"));
      const Outcome run = run_lapl({"run", "b.yaml", "--overwrite"});
      CAPTURE(run.err);
      REQUIRE(run.code == 0);
      const std::string said = "has 3 records; record " + std::to_string(record) + ", at time";
      CHECK(has(run.err, said));
      CHECK(has(file_text("b/log.jsonl"), said));
      CHECK(has(run_lapl({"validate", "b.yaml"}).err, said));
      CHECK(values_in("b/fields/step-000000000.nc", "field") ==
            values_in("a/fields.nc", "field", record));
      CHECK(run_lapl({"resume", "b", "--set", "time.steps=6"}).code == 0);
    }
  const auto refused = [&](const std::string& choice) {
    write_text("b.yaml", records_config("{kind: hdf5, path: all.nc" + choice + "}", "never"));
    const Outcome run = run_lapl({"run", "b.yaml"});
    CHECK(run.code != 0);
    CHECK(!fs::exists("never"));
    return run.err;
  };
  CHECK(has(refused(", record: 3"), "dataset /field has no record 3, only 3 from 0 on"));
  CHECK(has(refused(", record: {time: 3}"), "has no record at time 3; the nearest are "));
  CHECK(has(refused(", record: first"), "initial.record: found first (expected last, "));
  // A file with one record needs no words. Parameters choose as initial fields do.
  write_text("b.yaml",
             records_config("{kind: hdf5, path: a/fields/step-000000002.nc, record: last}", "b"));
  CHECK(!has(run_lapl({"run", "b.yaml", "--overwrite"}).err, "record"));
  write_text("p.yaml",
             "grid: {shape: [6, 7]}\nparameters: {k: {hdf5: all.nc, record: last}}\n"
             "equation: {kind: formula, field: k}\ninitial: {kind: uniform, value: 0}\n"
             "time: {scheme: euler, step: 1, steps: 1}\noutput: {directory: p, fields: [field]}\n"
             "compute: {backend: cpu, precision: float64}\n");
  const Outcome parameter = run_lapl({"run", "p.yaml"});
  CAPTURE(parameter.err);
  REQUIRE(parameter.code == 0);
  CHECK(has(parameter.err, "parameters.k: "));
  CHECK(values_in("p/fields/step-000000001.nc", "field") == values_in("all.nc", "field", 2));
}

TEST_CASE("outputs of earlier versions, with netCDF's fill value outside a mask, are read as NaN") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [6, 7], mask: {formula: x > 1}}\n"
             "equation: {kind: formula, field: laplacian(field)}\nboundary: insulated\n"
             "initial: {kind: formula, formula: 1 + random}\ntime: {step: 0.1, steps: 4}\n"
             "output: {directory: out, every: 2, fields: [field]}\n"
             "compute: {backend: cpu}\n");
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "whole", "--set", "time.steps=8"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const auto as_before = [](hid_t file) {
    std::vector<float> values(42);
    const Hdf5Dataset field(H5Dopen2(file, "field", H5P_DEFAULT), "open");
    H5Dread(field, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    for (float& value : values)
      if (std::isnan(value)) value = static_cast<float>(fill_value);
    H5Dwrite(field, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Adelete(field, "_FillValue");
    write_attribute(field, "_FillValue", std::vector{static_cast<float>(fill_value)});
  };
  for (const char* const step : {"0", "2", "4"})
    edit_sealed(std::string("out/fields/step-00000000") + step + ".nc", as_before);
  REQUIRE(fs::remove("out/fields.nc"));
  const Outcome resumed = run_lapl({"resume", "out", "--set", "time.steps=8"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(last_digest(resumed.out) ==
        json_of_command({"inspect", "whole", "--json"})["summary"]["digest"].get<std::string>());
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  CHECK(run_lapl({"diff", "out", "whole"}).code == 0);
  const Hdf5Session session;
  for (std::size_t record = 0; record < 5; ++record)
    for (const std::string file : {"out/fields.nc", "all.nc"}) {
      const std::vector<double> values = values_in(file, "field", record);
      for (std::size_t i = 0; i < values.size(); ++i) CHECK(std::isnan(values[i]) == (i % 7 < 2));
    }
  // Other programs see the index through its attributes, and exported files as they are.
  const auto missing_in = [](const char* path) {
    const Hdf5File file(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), "open");
    const Hdf5Dataset field(H5Dopen2(file, "field", H5P_DEFAULT), "open");
    CHECK(std::isnan(read_number_attribute<double>(field, "_FillValue")));
    if (H5Aexists(field, "missing_value") <= 0) return 0.0;
    return read_number_attribute<double>(field, "missing_value");
  };
  CHECK(missing_in("out/fields.nc") == fill_value);
  CHECK(missing_in("whole/fields.nc") == 0);
  CHECK(missing_in("all.nc") == 0);
}

TEST_CASE("fields keep the order of the config, also where it is a map") {
  const Sandbox sandbox;
  struct Row {
    std::string fields, first;
  };
  for (const Row& row :
       {Row{"{u: real, a: real}", "u"}, {"{psi: complex, a: real}", "psi_re"}, {"[u, a]", "u"}}) {
    const std::string &fields = row.fields, &first = row.first;
    CAPTURE(fields);
    const std::string name = first == "u" ? "u" : "psi";
    write_text("c.yaml", "grid: {shape: [6, 7]}\nfields: " + fields +
                             "\nequation: {kind: formula, " + name + ": laplacian(" + name +
                             "), a: laplacian(a)}\ninitial: {" + name +
                             ": {kind: formula, "
                             "formula: \"" +
                             (first == "u" ? "1" : "1 + 2*i") +
                             "\"}, a: {kind: uniform, value: 2}}\n"
                             "time: {step: 0.1, steps: 1}\noutput: {directory: out}\n"
                             "compute: {backend: cpu}\n");
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    const Outcome exported = run_lapl({"export", "out", "-o", "o.npy", "--overwrite"});
    CHECK(has(exported.out, "o.npy: " + first + " of"));
    const std::string watched = run_lapl({"watch", "out", "--once"}).out;
    CHECK(has(watched, first));
  }
}

TEST_CASE("the digest that inspect shows is the state's, also beside a field called field") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [6, 7]}\nfields: [field, v]\nequation: {kind: formula, field: "
             "laplacian(v), v: laplacian(field)}\ninitial: {field: {kind: formula, formula: "
             "random}, v: {kind: formula, formula: x}}\n"
             "time: {step: 0.1, steps: 2}\noutput: {directory: out}\ncompute: {backend: cpu}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  REQUIRE(run.code == 0);
  for (const std::string file : {"fields/step-000000002.nc", "checkpoints/step-000000002.h5"}) {
    const auto seen = json_of_command({"inspect", "out/" + file, "--json"});
    CHECK(seen["digest"] == last_digest(run.out));
    CHECK(seen["digest"] != seen["fields"]["field"]["digest"]);
  }
  CHECK(!json_of_command({"inspect", "out/fields.nc", "--json"}).contains("digest"));
}

TEST_CASE("diff names the first differing cell on every axis") {
  const Sandbox sandbox;
  const auto differing = [](const std::string& shape, const std::string& place) {
    for (const char* const name : {"a", "b"})
      write_text(std::string(name) + ".yaml",
                 "grid: {shape: " + shape +
                     "}\nequation: {coefficient: 0.01}\ninitial: {kind: "
                     "formula, formula: \"where(" +
                     place + ", " + (name[0] == 'a' ? "1" : "2") +
                     ", 0)\"}\ntime: {steps: 0}\noutput: {directory: " + name + "}\n");
    for (const char* const name : {"a", "b"})
      REQUIRE(run_lapl({"run", std::string(name) + ".yaml", "--overwrite"}).code == 0);
    return std::pair(run_lapl({"diff", "a", "b"}).out,
                     nlohmann::json::parse(run_lapl({"diff", "a", "b", "--json"}).out));
  };
  const auto [volume, of_volume] =
      differing("[4, 5, 6]", "abs(z - 2) + abs(y - 3) + abs(x - 4) < 0.5");
  CHECK(has(volume, "plane 2, row 3, column 4"));
  CHECK(of_volume[0]["first"] == nlohmann::json({2, 3, 4}));
  const auto [plane, of_plane] = differing("[5, 6]", "abs(y - 3) + abs(x - 4) < 0.5");
  CHECK(has(plane, "row 3, column 4"));
  CHECK(of_plane[0]["first"] == nlohmann::json({3, 4}));
  const auto [line, of_line] = differing("[6]", "abs(x - 4) < 0.5");
  CHECK(of_line[0]["first"] == nlohmann::json({4}));
}

TEST_CASE("no field has the name of a dataset that files need, and files hold no others") {
  const Sandbox sandbox;
  const auto with_field = [](const std::string& name) {
    return "grid: {shape: [6, 7]}\nfields: [" + name + "]\nequation: {kind: formula, " + name +
           ": laplacian(" + name +
           ")}\ninitial: {kind: uniform, value: 1}\n"
           "time: {scheme: bs23, tolerance: 1e-3, step: 0.1, end: 1}\n"
           "output: {directory: out, every: {time: 0.5}, fields: [" +
           name +
           "]}\n"
           "compute: {backend: cpu}\n";
  };
  std::vector<std::string> taken(checkpoint_parts.begin(), checkpoint_parts.end());
  taken.insert(taken.end(), output_parts.begin(), output_parts.end());
  for (const std::string& name : taken) {
    CAPTURE(name);
    write_text("c.yaml", with_field(name));
    CHECK(run_lapl({"run", "c.yaml"}).code == 2);
    CHECK(!fs::exists("out"));
  }
  write_text("c.yaml", with_field("u"));
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(run_lapl({"export", "out", "-o", "all.nc"}).code == 0);
  std::vector<fs::path> files = {"out/fields.nc", "all.nc"};
  for (const char* const folder : {"out/fields", "out/checkpoints"})
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  const Hdf5Session session;
  for (const fs::path& path : files) {
    if (path.extension() == ".csv") continue;
    CAPTURE(path);
    const Hdf5File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
    std::vector<std::string> names;
    const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* found) -> herr_t {
      static_cast<std::vector<std::string>*>(found)->emplace_back(name);
      return 0;
    };
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
    REQUIRE(names.size() > 3);
    for (const std::string& name : names)
      CHECK_MESSAGE((name == "u" || std::ranges::count(taken, name) > 0), name);
  }
}

TEST_CASE(
    "the report of a run whose steps vary is over time or steps, with titles for its columns") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [6, 7]}\nequation: {kind: formula, field: laplacian(field)}\n"
             "initial: {kind: gaussian}\ntime: {scheme: rkl2, tolerance: 1e-3, end: 2}\n"
             "output: {directory: out, every: {time: 1}, integrals: {heat: field}}\n"
             "compute: {backend: cpu}\n");
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  REQUIRE(run_lapl({"report", "out", "-o", "r.html"}).code == 0);
  const std::string page = file_text("r.html");
  for (const char* const title : {"Step size", "Error of the last step", "Rejected steps",
                                  "Stages of a step", "<b>heat</b>", ">t</div>", "step</div>"})
    CHECK_MESSAGE(has(page, title), title);
  for (const char* const wrong : {"Integral step", "Integral rej", "Integral stages"})
    CHECK_MESSAGE(!has(page, wrong), wrong);
  CHECK(has(page, "data-times=\"0 2\""));
  CHECK(has(page, "data-time=\"2\""));
  CHECK(has(run_lapl({"validate", "c.yaml", "--set", "output.integrals={step_size: field}"}).err,
            "step_size, which is taken"));
}

TEST_CASE("verify-restart makes its folder, and a config too long to be resumed is refused") {
  const Sandbox sandbox;
  write_text("c.yaml", records_config("{kind: checkerboard, tile: 1}", "a"));
  const Outcome verified = run_lapl({"verify-restart", "c.yaml", "--output", "deep/er"});
  CAPTURE(verified.err);
  CHECK(verified.code == 0);
  std::string probes =
      "grid: {shape: [6, 7]}\nequation: {coefficient: 0.1}\ntime: {steps: 4}\n"
      "output: {directory: long, probes: {at: {";
  for (int i = 0; i < 70000; ++i) probes += "p" + std::to_string(i) + ": [1,1],";
  write_text("long.yaml", probes + "}}}\n");
  REQUIRE(file_text("long.yaml").size() < (1 << 20));
  for (const char* const command : {"validate", "run"}) {
    const Outcome refused = run_lapl({command, "long.yaml"});
    CHECK(refused.code == 2);
    CHECK(has(refused.err, "long.yaml: with all defaults it has "));
  }
  CHECK(!fs::exists("long"));
}
