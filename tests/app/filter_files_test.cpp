// The inputs of lapl filter: arrays as PyTorch stores them, .npy files, covariances; and several
// filters in one call.
#include "tests/app/program.hpp"
#include "tests/reference_data.hpp"

using namespace lapl::test;

namespace {

void write_dataset(hid_t file, const char* name, const std::vector<hsize_t>& extent,
                   const std::vector<double>& values, hid_t type = H5T_NATIVE_DOUBLE) {
  const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * i % 17) / 8;
  return values;
}

// Writes an array as numpy.save does.
void write_npy(const std::string& path, const std::string& type, const std::string& shape,
               const std::vector<double>& values, bool fortran_order = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header;
  for (const double value : values)
    if (type == "<f8") {
      file.write(reinterpret_cast<const char*>(&value), 8);
    } else if (type == ">f4") {
      const auto single = static_cast<float>(value);
      const char* const bytes = reinterpret_cast<const char*>(&single);
      file << bytes[3] << bytes[2] << bytes[1] << bytes[0];
    } else {
      file << static_cast<char>(static_cast<int>(value));
    }
}

}  // namespace

TEST_CASE("weights and input may have leading axes of length 1, as in PyTorch") {
  const Sandbox sandbox;
  const hid_t file = H5Fcreate("in.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset(file, "/field", {1, 1, 5, 6}, counted(30));
  write_dataset(file, "/plain", {5, 6}, counted(30));
  write_dataset(file, "/kernel", {1, 1, 3, 3}, counted(9));
  write_dataset(file, "/window", {3, 3}, counted(9));
  write_dataset(file, "/many", {2, 3, 3}, counted(18));
  H5Fclose(file);
  const auto filtered = [](const std::string& dataset, const std::string& kernel) {
    write_text("f.yaml", "input: {path: in.h5, dataset: " + dataset +
                             "}\noutput: {path: out.h5}\ncompute: {backend: cpu}\n"
                             "filter: {kernel: {path: in.h5, dataset: " +
                             kernel + "}}\n");
    return run_lapl({"filter", "f.yaml", "--overwrite"});
  };
  REQUIRE(filtered("/plain", "/window").code == 0);
  const auto expected = dataset("out.h5", "/filtered");
  const Outcome four = filtered("/field", "/kernel");
  CAPTURE(four.err);
  REQUIRE(four.code == 0);
  CHECK(dataset("out.h5", "/filtered") == expected);
  const hid_t out = H5Fopen("out.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  int axes = 0;
  CHECK(H5LTget_dataset_ndims(out, "/filtered", &axes) >= 0);
  H5Fclose(out);
  CHECK(axes == 4);
  const Outcome many = filtered("/field", "/many");
  CHECK(many.code == 2);
  CHECK(many.err.find("in.h5 holds 2 windows of 3 x 3 (expected one: ") != std::string::npos);
}

TEST_CASE("several filters in one call keep the input's precision, and each has its time") {
  const Sandbox sandbox;
  const hid_t file = H5Fcreate("in.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset(file, "/field", {3, 8, 9}, counted(216));
  write_dataset(file, "/single", {8, 9}, counted(72), H5T_IEEE_F32LE);
  H5Fclose(file);
  const std::string filters =
      "filters:\n  - {name: smooth, kernel: gaussian}\n"
      "  - {name: inner, kernel: [[1, 2], [3, 4]], mode: valid}\n";
  write_text("f.yaml", "input: {path: in.h5}\noutput: {path: out.h5}\n" + filters);
  const Outcome both = run_lapl({"filter", "f.yaml"});
  CAPTURE(both.err);
  REQUIRE(both.code == 0);
  for (const char* words : {"out.h5: /smooth, 3 frames of 8 x 9, float64, ", " s of filtering",
                            "out.h5: /inner, 3 frames of 7 x 8, float64, "})
    CHECK(both.out.find(words) != std::string::npos);
  CHECK(dataset("out.h5", "/inner").size() == 3 * 56);
  write_text("g.yaml",
             "input: {path: in.h5}\noutput: {path: one.h5}\nfilter: {kernel: gaussian}\n");
  REQUIRE(run_lapl({"filter", "g.yaml"}).code == 0);
  CHECK(dataset("out.h5", "/smooth") == dataset("one.h5", "/filtered"));
  write_text("h.yaml",
             "input: {path: in.h5, dataset: /single}\noutput: {path: two.h5}\n" + filters);
  CHECK(run_lapl({"filter", "h.yaml"}).out.find("float32") != std::string::npos);
}

TEST_CASE("input, weights and initial fields can be .npy files") {
  const Sandbox sandbox;
  const auto values = counted(30);
  std::vector<double> turned(30);  // in Fortran order
  for (std::size_t i = 0; i < 30; ++i) turned[i % 6 * 5 + i / 6] = values[i];
  write_npy("a.npy", "<f8", "(5, 6)", values);
  write_npy("b.npy", "<f8", "(1, 5, 6)", turned, true);
  write_npy("c.npy", ">f4", "(5, 6)", values);
  write_npy("k.npy", "|i1", "(3,)", {1, 2, -1});
  const auto filtered = [](const std::string& input) {
    write_text("f.yaml", "input: {path: " + input +
                             "}\noutput: {path: out.h5}\nfilter: {kernel: {path: k.npy}, "
                             "edge: constant}\n");
    const Outcome run = run_lapl({"filter", "f.yaml", "--overwrite"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    return dataset("out.h5", "/filtered");
  };
  const auto found = filtered("a.npy");
  REQUIRE(found.size() == 30);
  CHECK(found[1] == values[2] + 2 * values[1] - values[0]);
  CHECK(filtered("b.npy") == found);
  CHECK(filtered("c.npy") == found);
  write_text("c.yaml",
             "grid: {shape: [5, 6]}\ninitial: {kind: hdf5, path: a.npy}\n"
             "equation: {coefficient: 0.2}\ntime: {steps: 0}\noutput: {directory: out}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  CHECK(dataset("out/fields.nc", "/field") == values);

  const auto refused = [](const std::string& words) {
    write_text("f.yaml", "input: {path: x.npy}\noutput: {path: no.h5}\nfilter: {kernel: box}\n");
    const Outcome run = run_lapl({"filter", "f.yaml"});
    CAPTURE(run.err);
    CAPTURE(words);
    CHECK(run.code == 4);
    CHECK(run.err.find("x.npy: " + words) != std::string::npos);
    CHECK_FALSE(fs::exists("no.h5"));
  };
  struct Row {
    std::string type, shape, words;
    bool fortran_order = false;
  };
  for (const Row& row :
       {Row{"<f8", "(5, 7)",
            "is 368 bytes long, too short for an array of (5, 7) values of 8 bytes"},
        {"<f8", "(4294967296, 4294967296, 4294967296)", "is 368 bytes long, too short"},
        {"<f8", "(99999999999999999999, 2)", "its header is none of an array of numbers"},
        {"<c8", "(3, 5)", "holds values of type <c8"},
        {"<f8", "(0, 6)", "the array holds no values"},
        {"<f8", "()", "the array has the axes ()"},
        {"<f8", "(2, 3, 5)", "holds 2 records in Fortran's order", true}}) {
    write_npy("x.npy", row.type, row.shape, values, row.fortran_order);
    refused(row.words);
  }
  const std::string good = file_text("a.npy");
  for (const std::size_t length : {7, 9, 40}) {
    write_text("x.npy", good.substr(0, length));
    refused(length == 7 ? "is an .npy file of version" : "its header is cut short");
  }
}

TEST_CASE(
    "covariance: float64, a single number for c and a missing batch are accepted, and inspect "
    "reads the result") {
  const Sandbox sandbox;
  const auto job = [](const std::string& compute) {
    write_text("f.yaml",
               "input: {path: in.h5, dataset: /input}\noutput: {path: out.h5, dataset: /sum}\n"
               "compute: {backend: cpu" +
                   compute + "}\ncovariance: {}\n");
    return run_lapl({"filter", "f.yaml", "--overwrite"});
  };
  // One channel, one output, 2 x 1 cells, window 1 x 2.
  const auto write = [](const std::vector<hsize_t>& batch, const std::vector<hsize_t>& c,
                        hid_t type) {
    const hid_t file = H5Fcreate("in.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const auto of = [&](std::vector<hsize_t> extent) {
      extent.insert(extent.begin(), batch.begin(), batch.end());
      return extent;
    };
    write_dataset(file, "/input", of({2, 2, 1, 2, 2, 1}), std::vector<double>(16, 1. / 3), type);
    write_dataset(file, "/mu", of({1, 2, 2}), {0.1, 0.2, 0.3, 0.4}, type);
    write_dataset(file, "/gamma", of({1, 2, 2, 1, 2, 2}), std::vector<double>(16, 0.7), type);
    write_dataset(file, "/c", c, std::vector<double>(c.empty() ? 1 : c[0], 0.9), type);
    H5Fclose(file);
  };
  const double first = 1. / 3 + 0.9 * (0.1 * 0.1 + 0.7 + 0.2 * 0.2 + 0.7);
  for (const std::vector<hsize_t>& batch : {std::vector<hsize_t>{1}, {}})
    for (const std::vector<hsize_t>& c : {std::vector<hsize_t>{2}, {1}, {}}) {
      write(batch, c, H5T_IEEE_F64LE);
      const Outcome run = job("");
      CAPTURE(run.err);
      REQUIRE(run.code == 0);
      CHECK(run.out.find("float64, cpu") != std::string::npos);
      CHECK(dataset("out.h5", "/sum")[0] == doctest::Approx(first).epsilon(1e-15));
    }
  const Outcome inspected = run_lapl({"inspect", "out.h5"});
  CHECK(inspected.code == 0);
  for (const char* words : {"sum ", "2, 2, 1, 2, 2, 1", "float64", "max"})
    CHECK(inspected.out.find(words) != std::string::npos);
  write({1}, {2}, H5T_IEEE_F32LE);
  CHECK(job("").out.find("float32, cpu") != std::string::npos);
  CHECK(job(", precision: float64").out.find("float64, cpu") != std::string::npos);
  write({1}, {3}, H5T_IEEE_F32LE);
  CHECK(job("").err.find("dataset /c is (3) (expected (2)") != std::string::npos);
}
