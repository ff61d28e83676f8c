// Section kernels, and the mistakes in it.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.hpp"
#include "tests/text.hpp"

using namespace lapl::test;

namespace {

const char* const with_window =
    "grid: {shape: [24, 20]}\n"
    "boundary: {rows: insulated, columns: periodic}\n"
    "initial: random\n"
    "equation: {u: \"convolve(w, u) - u + 0.1*convolve(g, u^2)\"}\n"
    "time: {step: 0.1, steps: 20, scheme: rk4}\n"
    "compute: {backend: cpu, precision: float64}\n"
    "output: {directory: out, every: 5}\n"
    "checkpoint: {every: 5}\n";

}  // namespace

TEST_CASE(
    "weights of a file, of numbers and of a name give one window, and restarts keep its bits") {
  const Sandbox sandbox;
  const std::string gaussian = "g: {kernel: gaussian, sigma: 1}}\n";
  write_text("a.yaml", with_window + ("kernels: {w: {kernel: box, size: 3}, " + gaussian));
  write_text("b.yaml", with_window + ("kernels: {w: {kernel: [[1, 1, 1], [1, 1, 1], [1, 1, 1]], "
                                      "normalize: true}, " +
                                      gaussian));
  const auto digest = [](const std::string& config) {
    const Outcome run = run_lapl({"run", config, "--overwrite"});
    CHECK_MESSAGE(run.code == 0, run.err);
    return last_digest(run.out);
  };
  const auto expected = digest("a.yaml");
  CHECK(digest("b.yaml") == expected);
  CHECK(last_digest(run_lapl({"verify-restart", "a.yaml"}).out) == expected);
  // Other weights are another equation.
  REQUIRE(run_lapl({"run", "a.yaml", "--overwrite", "--set", "time.steps=10"}).code == 0);
  const Outcome other =
      run_lapl({"resume", "out", "--set", "time.steps=20", "--set",
                "kernels={w: {kernel: box, size: 5}, g: {kernel: gaussian, sigma: 1}}"});
  CHECK(other.code != 0);
  CHECK(has(other.err, "equation"));
  CHECK(run_lapl({"plan", "a.yaml"}).code == 0);
  // So are transforms, whose bits are others.
  const Outcome transformed = run_lapl(
      {"resume", "out", "--set", "time.steps=20", "--set",
       "kernels={w: {kernel: box, size: 3, method: fft}, g: {kernel: gaussian, sigma: 1}}"});
  CHECK(transformed.code != 0);
  CHECK(has(transformed.err, "equation"));
}

TEST_CASE("a file of weights is found from the folder of its config, and from everywhere later") {
  const Sandbox sandbox;
  std::filesystem::create_directories("sub");
  write_text("sub/c.yaml", std::string(with_window) +
                               "kernels: {w: {kernel: {path: w.npy}}, g: {kernel: "
                               "gaussian, sigma: 1}}\n");
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }";
  header.resize(117, ' ');
  const std::vector<double> weights(9, 1.0 / 9);
  write_text("sub/w.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                              std::string(reinterpret_cast<const char*>(weights.data()),
                                          weights.size() * sizeof(double)));
  write_text("a.yaml",
             std::string(with_window) +
                 "kernels: {w: {kernel: box, size: 3}, g: {kernel: gaussian, sigma: 1}}\n");
  const Outcome named = run_lapl({"run", "a.yaml", "--overwrite"});
  const Outcome run = run_lapl({"run", "sub/c.yaml", "--overwrite"});
  REQUIRE_MESSAGE(run.code == 0, run.err);
  CHECK(last_digest(run.out) == last_digest(named.out));
  CHECK(run_lapl({"run", "out/config.yaml", "--output", "again"}).code == 0);
}

TEST_CASE("a varying coefficient beside a far shift is refused by etdrk4, not a crash") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 9]}\ninitial: random\n"
             "time: {scheme: etdrk4, step: 0.05, steps: 3}\n"
             "equation: {u: \"x*laplacian(u) + 0.1*shift(u, 2, 0)\"}\n");
  const Outcome run = run_lapl({"validate", "c.yaml"});
  CHECK(run.code == 2);
  CHECK(has(run.err, "by a factor that depends on x"));
}

TEST_CASE("what only a convolution or a mean over the grid reads counts as used") {
  const Sandbox sandbox;
  write_text("c.yaml",
             "grid: {shape: [8, 9]}\ninitial: random\ntime: {step: 0.05, steps: 3}\n"
             "boundary: {x: {u: insulated, q: {value: mean(u)}}, y: insulated}\n"
             "parameters: {p: {formula: x}, s: {formula: y}}\n"
             "kernels: {w: {kernel: box, size: 3}}\n"
             "equation: {let: {q: u^2}, u: \"convolve(w, p) + convolve(w, q) - mean(s)*u\"}\n");
  const Outcome run = run_lapl({"validate", "c.yaml"});
  CHECK_MESSAGE(run.code == 0, run.err);
}

TEST_CASE("mistakes in windows, convolutions and shifts have messages") {
  const auto message = [](const std::string& kernels, const std::string& rate,
                          const std::string& more = "boundary: periodic\n") {
    const Sandbox sandbox;
    write_text("c.yaml",
               "grid: {shape: [8, 6]}\ninitial: 0\ntime: {steps: 4, step: 0.1}\nkernels: " +
                   kernels + "\nequation: {u: \"" + rate + "\"}\n" + more);
    const Outcome run = run_lapl({"validate", "c.yaml"});
    CHECK(run.code != 0);
    return run.err;
  };
  const std::string box = "{w: {kernel: box, size: 3}}";
  CHECK(has(message("{}", "convolve(w, u)"),
            "convolve: found w (expected a name of section kernels)"));
  CHECK(has(message(box, "convolve(v, u)"),
            "convolve: found v (expected a name of section kernels: w)"));
  CHECK(has(message(box, "convolve(2, u)"), "convolve: found no name"));
  CHECK(has(message(box, "convolve(w)"), "convolve of 1 argument (expected convolve(NAME, e))"));
  CHECK(has(message(box, "convolve(w, 3)"), "convolve of what is the same in every cell"));
  CHECK(has(message(box, "u"), "kernels: w is not used (no formula convolves with it)"));
  CHECK(has(message("{u: {kernel: box, size: 3}}", "convolve(u, u)"),
            "kernels: found the name u, which is taken"));
  CHECK(
      has(message("{w: {kernel: box}}", "convolve(w, u)"), "size: missing (kernel box needs it)"));
  CHECK(has(message("{w: {kernel: box, size: 4}}", "convolve(w, u)"),
            "w: found a window of 4 cells along an axis (expected an odd number of at most 127"));
  CHECK(has(message("{w: {kernel: disc, radius: 2, sigma: 1}}", "convolve(w, u)"),
            "sigma does not apply to kernel disc"));
  CHECK(has(message("{w: {kernel: ball, radius: 2}}", "convolve(w, u)"), "found ball"));
  CHECK(has(message("{w: {kernel: formula, formula: x + q, size: 3}}", "convolve(w, u)"),
            "unknown name q"));
  CHECK(has(message("{w: {kernel: [1, -1, 0], normalize: true}}", "convolve(w, u)"),
            "the weights add up to 0 (expected another sum to divide them by)"));
  CHECK(has(message("{w: {kernel: {path: none.h5}}}", "convolve(w, u)"), "none.h5"));
  CHECK(has(message("{w: {kernel: disc, radius: 9}}", "convolve(w, u)", ""),
            "found a window that reaches 10 cells along y (expected at most the 8 of the grid"));
  CHECK(has(message("{w: {kernel: box, size: 3}}", "convolve(w, u)",
                    "boundary: {x: {value: u, at: node}, y: zero}\n"),
            "boundary"));
  CHECK(has(message(box, "convolve(w, u) + shift(u, 1)"), "shift of 2 arguments"));
  CHECK(has(message("{w: {kernel: box, size: [3, 3, 3]}}", "convolve(w, u)"),
            "w: size: found 3 numbers on a grid of 2 axes (expected one, or one for each axis)"));
  CHECK(has(message(box, "convolve(w, u) + shift(u, 1.5, 0)"),
            "shift: found 1.5 along x (expected whole numbers of cells from -32 to 32)"));
  CHECK(has(message(box, "convolve(w, u) + shift(u, x, 0)"), "a distance that varies"));
  CHECK(has(message(box, "convolve(w, u) + shift(u, 33, 0)"), "shift: found 33 along x"));
  CHECK(has(message(box, "convolve(w, u) + shift(u, 0, 9)", ""),
            "shift: found 9 along y on a grid of 8 cells"));
  CHECK(has(message(box, "convolve(w, u) + convolve(w, noise)"), "convolve of noise"));
  CHECK(has(message(box, "convolve(w, u)",
                    "boundary: {x: {mixed: {value: mean(u), factor: 2}}, y: zero}\n"),
            "convolve: at a side, the mixed condition of its argument reads fields"));
  CHECK(has(message("{w: {kernel: box, size: 3, method: separable}}", "convolve(w, u)"),
            "kernels: w.method: found separable (expected auto or fft)"));
}
