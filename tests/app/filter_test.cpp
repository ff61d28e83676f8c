// lapl filter, and filters of a run, from the outside.
#include <limits>

#include "io/images/image.hpp"
#include "kernels/backend.hpp"
#include "tests/app/program.hpp"
#include "tests/reference_data.hpp"
#include "tests/test_field.hpp"

using namespace lapl::test;

namespace {

const std::string configs = LAPL_SOURCE_DIR "/configs/filters/";
const std::string reference = LAPL_SOURCE_DIR "/tests/data/reference.h5";
const std::string example_data = LAPL_SOURCE_DIR "/configs/data/examples.h5";

}  // namespace

TEST_CASE("each config in configs/filters/ runs" * doctest::test_suite("without_cuda")) {
  const Sandbox sandbox;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(configs)) {
    CAPTURE(entry.path().string());
    const Outcome run = run_lapl({"filter", entry.path(), "--output", "out.h5", "--overwrite"});
    CAPTURE(run.err);
    CHECK(run.code == 0);
    CHECK(run.out.find("out.h5: ") != std::string::npos);
    ++count;
  }
  CHECK(count >= 6);
}

TEST_CASE("the published image and covariance examples equal SciPy's and the reference's results") {
  const Sandbox sandbox;
  REQUIRE(run_lapl({"filter", configs + "image-13x13.yaml", "--output", "a.h5"}).code == 0);
  const auto expected = dataset(reference, "/convolution/kernel_13x13/convolve/constant");
  const auto found = dataset("a.h5", "/filtered");
  REQUIRE(found.size() == expected.size());
  CHECK(largest_difference(found, expected) < 1e-5 * largest_magnitude(expected));
  REQUIRE(run_lapl({"filter", configs + "covariance.yaml", "--output", "b.h5"}).code == 0);
  const auto sum = dataset("b.h5", "/input"), right = dataset(reference, "/covariance/output");
  REQUIRE(sum.size() == right.size());
  CHECK(largest_difference(sum, right) < 1e-5);
}

TEST_CASE("a sequence is filtered frame by frame, as single frames are") {
  const Sandbox sandbox;
  write_text("f.yaml",
             "input: {path: frames.h5, dataset: /frames}\noutput: {path: out.h5}\n"
             "filter: {kernel: gaussian, sigma: 0.8}\n");
  const std::vector<hsize_t> shape = {5, 7, 9};
  std::vector<float> frames(5 * 7 * 9);
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = static_cast<float>(i * i % 101);
  const auto write = [](const char* file, int rank, const hsize_t* extent, const float* values) {
    const hid_t opened = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5LTmake_dataset_float(opened, "/frames", rank, extent, values) >= 0);
    H5Fclose(opened);
  };
  write("frames.h5", 3, shape.data(), frames.data());
  REQUIRE(run_lapl({"filter", "f.yaml"}).code == 0);
  const auto all = dataset("out.h5", "/filtered");
  REQUIRE(all.size() == frames.size());
  for (std::size_t frame = 0; frame < 5; ++frame) {
    write("one.h5", 2, &shape[1], &frames[frame * 63]);
    REQUIRE(
        run_lapl({"filter", "f.yaml", "--input", "one.h5", "--output", "one-out.h5", "--overwrite"})
            .code == 0);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(frame * 63);
    CHECK(dataset("one-out.h5", "/filtered") == std::vector<double>(first, first + 63));
  }
}

TEST_CASE("a run's outputs hold its filters' results, after a restart too") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config() +
                           "filters:\n  - {name: smooth, kernel: gaussian, edge: wrap}\n"
                           "  - {name: slope, kernel: sobel_rows, edge: constant}\n");
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  CHECK(run_lapl({"validate", "out/config.yaml"}).code == 0);
  write_text("f.yaml",
             "input: {path: out/fields/step-000000060.nc}\noutput: {path: s.h5}\n"
             "filter: {kernel: gaussian, edge: wrap}\n");
  REQUIRE(run_lapl({"filter", "f.yaml"}).code == 0);
  const std::string last = "out/fields/step-000000060.nc";
  CHECK(dataset(last, "/smooth") == dataset("s.h5", "/filtered"));
  CHECK(dataset("out/fields.nc", "/slope").size() == 4 * dataset(last, "/slope").size());

  REQUIRE(run_lapl({"run", "c.yaml", "--output", "part", "--set", "time.steps=20"}).code == 0);
  REQUIRE(run_lapl({"resume", "part", "--set", "time.steps=60"}).code == 0);
  CHECK(dataset("part/fields/step-000000060.nc", "/smooth") == dataset(last, "/smooth"));
}

TEST_CASE("a result that is not finite is refused, unless the input is not finite either") {
  const Sandbox sandbox;
  const auto write = [](const std::vector<double>& values) {
    const hsize_t extent[] = {2, values.size() / 2};
    const hid_t opened = H5Fcreate("in.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5LTmake_dataset_double(opened, "/frames", 2, extent, values.data()) >= 0);
    H5Fclose(opened);
  };
  const auto filtered = [](const std::string& kernel) {
    write_text("f.yaml",
               "input: {path: in.h5, dataset: /frames}\noutput: {path: out.h5}\n"
               "compute: {backend: cpu, precision: float32}\nfilter: {kernel: " +
                   kernel + "}\n");
    return run_lapl({"filter", "f.yaml"});
  };
  write({1, 2, 3, 4, 5, 6});
  const Outcome heavy = filtered("[[3e38, 3e38, 3e38]]");
  CHECK(heavy.code == 3);
  CHECK(heavy.err.find("frame 0: filter filtered gives inf at row 0, column 0, where the input is "
                       "finite; nothing was written") != std::string::npos);
  write({1, 2, 3, 4, 1e300, 6});
  const Outcome large = filtered("[[1]]");
  CHECK(large.code == 3);
  CHECK(large.err.find("frame 0: 1e+300 is infinite in float32") != std::string::npos);
  CHECK_FALSE(fs::exists("out.h5"));
  write({1, 2, 3, std::numeric_limits<double>::quiet_NaN(), 5, 6});
  CHECK(filtered("[[1]]").code == 0);  // a NaN in the input spreads (docs/filters.md)
}

TEST_CASE("filter configs: every mistake is named, and nothing is left behind") {
  const Sandbox sandbox;
  const std::string good = "input: {path: " + example_data +
                           ", dataset: /convolution/image}\noutput: {path: out/o.h5}\n";
  const auto refused = [&](const std::string& text, const std::string& message, int code = 2) {
    write_text("f.yaml", text);
    const Outcome run = run_lapl({"filter", "f.yaml"});
    CAPTURE(text);
    CAPTURE(run.err);
    CHECK(run.code == code);
    CHECK(run.err.find(message) != std::string::npos);
    CHECK(!fs::exists("out"));
  };
  const auto filter = [&](const std::string& keys) { return good + "filter: {" + keys + "}\n"; };
  refused(good, "expected one of filter:, filters: and covariance:");
  refused(good + "filter: {kernel: box}\nfilters: [{kernel: box}]\n", "expected one of filter:");
  refused(good + "filters: []\n", "filters: found none");
  refused(good + "filters: [{kernel: box}, {kernel: box}]\n",
          "filters: name: found filtered, which is taken");
  refused(good + "filters: [{kernel: box, name: a/b}]\n", "name: found a/b (expected a letter");
  refused("input: {path: " + example_data + ", dataset: /convolution/image}\n" +
              "output: {path: out/o.h5, dataset: /r}\nfilters: [{kernel: box}]\n",
          "output.dataset: given besides filters");
  refused(filter(""), "filter.kernel: missing");
  refused(filter("kernel: gausian"), "did you mean gaussian?");
  refused(filter("kernel: []"), "found no numbers");
  refused(filter("kernel: [[1, 2], [3]]"), "found rows of 2 and of 1 numbers");
  refused(filter("kernel: [1, .nan]"), ".nan");
  refused(filter("kernel: box, size: 0"), "out of range");
  refused(filter("kernel: box, sigma: 2"), "filter.sigma: does not apply to kernel box");
  refused(filter("kernel: laplacian, size: 5"), "filter.size: does not apply to kernel laplacian");
  refused(filter("kernel: box, edge: zero"), "filter.edge: found zero (expected constant");
  refused(filter("kernel: box, edge: wrap, edge: wrap"), "repeated");
  refused(filter("kernel: box, size: 99, mode: valid"), "does not fit into the input's");
  refused(filter("kernel: [[1, 2], [3, 4]], method: separable"),
          "no product of a column and a row");
  refused(filter("kernel: box, origin: 2"),
          "origin: found 2 with a window of 3 cells (expected -1 to 1)");
  refused(filter("kernel: box, origin: 1, mode: full"),
          "origin: found 1 (expected 0, or mode same");
  refused(filter("kernel: [1, 2, 3], origin: [1, 0]"), "expected one number: the window is a row");
  refused(filter("kernel: box, origin: left"), "filter.origin: found left");
  refused(filter("kernel: laplacian, nan: skip"),
          "nan: skip: found the weight -4 (expected weights of 0 and more");
  refused(filter("kernel: box, nan: skip, method: fft"), "nan: skip: found method fft");
  refused(filter("kernel: box, nan: drop"), "filter.nan: found drop (expected spread or skip)");
  refused(filter("kernel: {path: nowhere.h5}"), "nowhere.h5", 4);
  refused("input: {path: x.png}\nouput: {path: o.h5}\nfilter: {kernel: box}\n",
          "f.yaml:2:1: ouput: unknown key (did you mean output?)");
  refused("input: {path: x.png}\noutput: {path: out/o.h5}\nfilter: {kernel: box}\n", "x.png", 4);
  refused(good + "covariance: {}\n", "no dataset /c;", 4);
  if (!lapl::cuda_unavailable().empty())
    refused(filter("kernel: box") + "compute: {backend: cuda}\n", "backend cuda: ", 5);
  write_text("f.yaml", filter("kernel: box"));
  REQUIRE(run_lapl({"filter", "f.yaml"}).code == 0);
  const Outcome again = run_lapl({"filter", "f.yaml"});
  CHECK(again.code == 2);
  CHECK(again.err.find("o.h5: exists already (--overwrite replaces it)") != std::string::npos);
}

TEST_CASE("a run refuses weights from a file whose results would not have the grid's shape") {
  const Sandbox sandbox;
  const std::vector<hsize_t> extent = {3, 3};
  const hsize_t length = 31;
  const std::vector<float> weights(31, 1);
  const hid_t file = H5Fcreate("k.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5LTmake_dataset_float(file, "/square", 2, extent.data(), weights.data()) >= 0);
  REQUIRE(H5LTmake_dataset_float(file, "/line", 1, &length, weights.data()) >= 0);
  H5Fclose(file);
  const auto filtered = [](const std::string& keys) {
    write_text("c.yaml", small_config("filters: [{" + keys + "}]\n"));
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"kernel: {path: k.h5, dataset: /square}, mode: full", "gives 22 x 32 cells"},
      {"kernel: {path: k.h5, dataset: /square}, mode: valid", "gives 18 x 28 cells"},
      {"kernel: {path: k.h5, dataset: /line}", "gives 20 x 31 cells on a grid of 20 x 30"}};
  for (const auto& [keys, message] : wrong) {
    filtered(keys);
    for (const char* command : {"validate", "plan", "run"}) {
      const Outcome refused = run_lapl({command, "c.yaml"});
      const std::string filter = keys;
      CAPTURE(filter);
      CAPTURE(command);
      CAPTURE(refused.err);
      CHECK(refused.code == 2);
      CHECK(refused.err.find(message) != std::string::npos);
      CHECK(!fs::exists("out"));
    }
  }
  filtered("kernel: {path: k.h5, dataset: /square}");
  CHECK(run_lapl({"run", "c.yaml"}).code == 0);
}

TEST_CASE("--overwrite replaces results of lapl filter alone, and none that is read") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string job =
      "input: {path: in.h5, dataset: /filtered}\noutput: {path: out.h5}\n"
      "filter: {kernel: {path: kernel.h5, dataset: /filtered}}\n";
  write_text("f.yaml", job);
  fs::create_symlink("out.h5", "link.h5");
  fs::create_hard_link("f.yaml", "f2.yaml");
  for (const std::string name : {"in.h5", "kernel.h5"}) {
    write_text("make.yaml", "input: {path: out/fields/step-000000000.nc}\noutput: {path: " + name +
                                "}\nfilter: {kernel: box, size: 19, mode: valid}\n");
    REQUIRE(run_lapl({"filter", "make.yaml"}).code == 0);
  }
  fs::copy_file("in.h5", "kernel.h5", fs::copy_options::overwrite_existing);
  write_text("f.yaml", job);
  REQUIRE(run_lapl({"filter", "f.yaml", "--set"}).code == 2);
  const auto refused = [](const std::string& output, const std::string& words) {
    const std::string before = fs::is_regular_file(output) ? file_text(output) : "";
    const Outcome run = run_lapl({"filter", "f.yaml", "--output", output, "--overwrite"});
    CAPTURE(output);
    CAPTURE(run.err);
    CHECK(run.code == 2);
    CHECK(run.err.find(words) != std::string::npos);
    CHECK((fs::is_regular_file(output) ? file_text(output) : "") == before);
  };
  refused("in.h5", "in.h5: is read by this job");
  refused("kernel.h5", "kernel.h5: is read by this job");
  refused("f.yaml", "f.yaml: is no result of lapl filter: ");
  refused("out/checkpoints/step-000000060.h5", "it is a checkpoint file of lapl");
  refused("out/fields/step-000000060.nc", "it is a step file of lapl");
  refused("link.h5", "it is not a regular file");
  refused("/dev/null", "it is not a regular file");
  REQUIRE(run_lapl({"filter", "make.yaml", "--output", "other.h5"}).code == 0);
  CHECK(run_lapl({"filter", "f.yaml", "--output", "other.h5", "--overwrite"}).code != 2);
}

TEST_CASE("filter: an output that ends in .png is one picture") {
  const Sandbox sandbox;
  const auto filter = [&](const std::string& kernel, const std::vector<std::string>& more) {
    write_text("f.yaml",
               "input: {path: " + letters + "}\noutput: {path: a.png}\nfilter: " + kernel);
    std::vector<std::string> words = {"filter", "f.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return run_lapl(words);
  };
  const Outcome same = filter("{kernel: [[1]]}", {});
  CAPTURE(same.err);
  REQUIRE(same.code == 0);
  const lapl::GreyImage began = lapl::read_png(letters);
  CHECK(lapl::read_png("a.png").shape == began.shape);
  CHECK(lapl::read_png("a.png").values == began.values);
  CHECK(filter("{kernel: box}", {}).err.find("exists already") != std::string::npos);
  const Outcome edges = filter("{kernel: sobel_rows}", {"--overwrite"});
  CHECK(edges.code == 0);
  CHECK(edges.err.find("of 24576 values lie outside 0 to 1") != std::string::npos);
  CHECK(lapl::read_png("a.png").values != began.values);

  CHECK(filter("{kernel: sobel_rows}", {"--output", "b.h5"}).code == 0);
  CHECK(file_text("b.h5").starts_with("\x89HDF"));
  fs::create_directory("frames");
  for (const char* name : {"frames/1.png", "frames/2.png"}) fs::copy_file(letters, name);
  struct Row {
    std::vector<std::string> options;
    std::string message;
  };
  for (const Row& row :
       {Row{{"--input", "frames", "--output", "c.png"}, "c.png: is a picture, and "},
        Row{{"--output", "c.jpg"}, "c.jpg: cannot be written as .jpg (expected .png, or .h5"}}) {
    const Outcome refused = filter("{kernel: sobel_rows}", row.options);
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.find(row.message) != std::string::npos);
    CHECK(!fs::exists(row.options.back()));
  }
  const Outcome covariance = run_lapl({"filter", configs + "covariance.yaml", "--output", "c.png"});
  CHECK(covariance.code == 2);
  CHECK(covariance.err.find("a covariance is no picture") != std::string::npos);
}
