// Mistakes of users: each has its message and exit code and leaves nothing behind.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

struct Mistake {
  std::vector<std::string> arguments;
  int code;
  const char* message;  // a part of stderr
};

}  // namespace

TEST_CASE("wrong command lines are refused with their exit code and message") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  write_text("not.h5", "this is no HDF5 file");
  fs::create_directory("empty");
  fs::create_symlink("loop", "loop");
  const std::string long_name(300, 'n');
  const std::vector<Mistake> mistakes = {
      {{"rnu", "c.yaml"}, 2, "rnu: lapl has no such command (did you mean run? see lapl --help)"},
      {{"run"}, 2, "CONFIG is required"},
      {{"run", "missing.yaml"}, 4, "missing.yaml"},
      {{"run", "empty"}, 4, "empty"},
      {{"inspect", "loop"}, 4, "error: loop: Too many levels of symbolic links"},
      {{"inspect", "loop/x"}, 4, "error: loop/x: Too many levels of symbolic links"},
      {{"inspect", long_name}, 4, "nnn: File name too long"},
      {{"run", "c.yaml", "--output", "loop"}, 4, "loop/run.json: Too many levels"},
      {{"run", "c.yaml", "--output", long_name}, 4, "nnn/run.json: File name too long"},
      {{"resume", "empty", "--from", ""}, 2, "--from: found an empty word (expected a value)"},
      {{"run", "c.yaml", "--output", ""}, 2, "--output: found an empty word (expected a value)"},
      {{"validate", ""}, 2, "CONFIG: found an empty word (expected a value)"},
      {{"run", "c.yaml", "--colour"}, 2, "--colour"},
      {{"run", "c.yaml", "extra"}, 2, "extra"},
      {{"run", "c.yaml", "--set"}, 2, "--set"},
      {{"run", "c.yaml", "--set", "steps"}, 2, "steps"},
      {{"run", "c.yaml", "--set", "steps=5"}, 2, "time.steps"},
      {{"run", "c.yaml", "--set", "time.steps=ten"}, 2, "time.steps"},
      {{"run", "c.yaml", "--set", "time.steps=-1"}, 2, "time.steps"},
      {{"run", "c.yaml", "--set", "equation.coefficient=0.26"}, 2, "0.25"},
      {{"run", "c.yaml", "--set", "grid.shape=[0, 5]"}, 2, "grid.shape"},
      {{"run", "c.yaml", "--set", "grid.shape=[5, 5, 5, 5]"}, 2, "grid.shape"},
      {{"run", "c.yaml", "--set", "output.fields=[]"}, 2, "output.fields"},
      {{"run", "c.yaml", "--set", "output.fields=[gradient]"}, 2, "laplacian"},
      {{"run", "c.yaml", "--backend", "gpu"}, 2, "--backend: gpu not in"},
      {{"run", "c.yaml", "--set", "compute.engine=tlie"}, 2, "tile"},
      {{"run", "c.yaml", "--backend", "cpu", "--set", "compute.engine=tile"}, 2, "tile"},
      {{"run", "c.yaml", "--overwrite", "--auto-resume"}, 2, "excludes"},
      {{"run", "c.yaml", "--set", "initial.kind=image"}, 2, "initial.path"},
      {{"run", "c.yaml", "--set", "initial.kind=image", "--set", "initial.path=no.png"},
       4,
       "no.png"},
      {{"run", "c.yaml", "--set", "initial.kind=image", "--set", "initial.path=not.h5"},
       4,
       "not.h5"},
      {{"run", "c.yaml", "--set", "initial.kind=hdf5", "--set", "initial.path=not.h5"},
       4,
       "not.h5"},
      {{"run", "c.yaml", "--set", "initial.kind=hdf5", "--set",
        "initial.path=" LAPL_SOURCE_DIR "/configs/data/examples.h5", "--set",
        "initial.dataset=/fractal/fild"},
       4,
       "fractal"},
      {{"run", "c.yaml", "--set", "initial.kind=hdf5", "--set",
        "initial.path=" LAPL_SOURCE_DIR "/configs/data/examples.h5", "--set",
        "initial.dataset=/fractal/field"},
       2,
       "holds 48 x 64 values, grid.shape is [20, 30]"},
      {{"run", "c.yaml", "--backend", "cpu", "--set", "grid.shape=[1048576, 1048576]"},
       5,
       " TB of host memory, "},
      {{"run", "c.yaml", "--output", "/proc/nothing"}, 4, "/proc/nothing"},
      {{"run", "c.yaml", "--output", "c.yaml"}, 2, "c.yaml: is not a folder"},
      {{"resume"}, 2, "RUN_DIR is required"},
      {{"resume", "nowhere"}, 2, "nowhere: not a run folder"},
      {{"resume", "empty"}, 2, "empty: not a run folder"},
      {{"validate", "not.h5"}, 2, "not.h5"},
      {{"inspect", "nowhere"}, 4, "nowhere: no such file or folder"},
      {{"inspect", "empty"}, 4, "empty: not a run folder"},
      {{"inspect", "not.h5"}, 4, "not.h5"},
      {{"diff", "not.h5"}, 2, "B is required"},
      {{"diff", "nowhere", "not.h5"}, 4, "nowhere"},
      {{"diff", "empty", "not.h5"}, 2, "two files or two run folders"},
      {{"diff", "empty", "empty"}, 4, "no outputs to compare"},
      {{"diff", "not.h5", "not.h5"}, 4, "not.h5"},
      {{"diff", "not.h5", "not.h5", "--rtol", "-1"}, 2, "--rtol"},
      {{"schema", "c.yaml"}, 2, "c.yaml"},
      {{"verify-restart"}, 2, "CONFIG is required"},
      {{"verify-restart", "missing.yaml"}, 4, "missing.yaml"},
      {{"verify-restart", "c.yaml", "--splits", "0"}, 2, "--splits"},
      {{"verify-restart", "c.yaml", "--splits", "60"}, 2, "the run has 60 steps"},
      {{"verify-restart", "c.yaml", "--set", "steps=5"}, 2, "time.steps"},
      {{"verify-restart", "c.yaml", "--backend", "cpu", "--set", "compute.engine=tile"}, 2, "tile"},
  };
  CHECK(mistakes.size() >= 40);
  for (const Mistake& mistake : mistakes) {
    std::string line = "lapl";
    for (const std::string& argument : mistake.arguments) line += " " + argument;
    CAPTURE(line);
    const Outcome outcome = run_lapl(mistake.arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == mistake.code);
    CHECK(outcome.err.find("lapl: error: ") != std::string::npos);
    CHECK(outcome.err.find(mistake.message) != std::string::npos);
    CHECK(outcome.out.empty());
    CHECK(!fs::exists("out"));
  }
}

TEST_CASE("a file of another kind is named as what it is") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  struct Row {
    std::string name, bytes, kind;
  };
  for (const Row& row :
       {Row{"a.npy", "\x93NUMPY\x01", "is a NumPy array (.npy), expected "},
        Row{"a.jpg", "\xff\xd8\xff\xe0", "is a JPEG picture (magick IN.jpg OUT.png), expected "},
        Row{"a.hdf", "\x0e\x03\x13\x01", "is HDF4 (h4toh5 IN.hdf OUT.h5), expected "},
        Row{"a.grib", "GRIB", "is GRIB (cdo -f nc4 copy IN.grib OUT.nc), expected "},
        Row{"a.fits", "SIMPLE  =", "is FITS (python3 -c "},
        Row{"a.gz", "\x1f\x8b", "is compressed by gzip (gunzip IN.gz), expected "}}) {
    write_text(row.name, row.bytes + std::string(600, 'x'));
    const Outcome inspect = run_lapl({"inspect", row.name});
    CAPTURE(inspect.err);
    CHECK(inspect.code == 4);
    CHECK(inspect.err.find(row.name + ": " + row.kind) != std::string::npos);
    CHECK(inspect.err.find("expected HDF5") != std::string::npos);
    const Outcome image = run_lapl(
        {"run", "c.yaml", "--set", "initial.kind=image", "--set", "initial.path=" + row.name});
    CHECK(image.code == 4);
    CHECK(image.err.find(row.kind) != std::string::npos);
    CHECK(image.err.find("expected a PNG picture") != std::string::npos);
    const Outcome hdf5 = run_lapl(
        {"run", "c.yaml", "--set", "initial.kind=hdf5", "--set", "initial.path=" + row.name});
    CHECK(hdf5.code == 4);  // .npy files are accepted, and this one is damaged
    CHECK(hdf5.err.find(row.name == "a.npy" ? "a.npy: " : row.kind) != std::string::npos);
    CHECK(!fs::exists("out"));
  }
}

TEST_CASE("a run on the CPU says so in a line that fits") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome run = run_lapl({"run", "c.yaml"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK(run.err.find("compute.backend") == std::string::npos);
  CHECK(run.err.find("compiled in") == std::string::npos);
}

TEST_CASE("backend cuda without a GPU is an error that says why" *
          doctest::test_suite("without_cuda")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome outcome = run_lapl({"run", "c.yaml", "--backend", "cuda"});
  if (outcome.code == 0) return;  // with a GPU the run works; tests/cuda covers it
  CHECK(outcome.code == 5);
  CHECK(outcome.err.find("backend cuda: ") != std::string::npos);
  CHECK(!fs::exists("out"));
}

TEST_CASE("help and version exit with 0, in every way to ask for them") {
  const Sandbox sandbox;
  for (const char* command :
       {"run", "resume", "validate", "inspect", "diff", "bench", "schema", "verify-restart"}) {
    const Outcome help = run_lapl({command, "--help"});
    CHECK(help.code == 0);
    CHECK(help.out.find(command) != std::string::npos);
    CHECK(run_lapl({"--help"}).out.find(command) != std::string::npos);
  }
  CHECK(run_lapl({"--version"}).out.starts_with("lapl "));
  CHECK(run_lapl({"version"}).out == run_lapl({"--version"}).out);
  CHECK(run_lapl({"help"}).out == run_lapl({"--help"}).out);
  // In new processes: the order in which CLI11 lists excluded options depends on addresses.
  CHECK(finish(start({"help", "plot"})).out == finish(start({"plot", "--help"})).out);
  CHECK(run_lapl({"help", "plott"}).err.find("did you mean plot?") != std::string::npos);
  const Outcome bare = run_lapl({});
  CHECK(bare.code == 2);
  CHECK(bare.err == run_lapl({"--help"}).out);
  CHECK(run_lapl({"schema"}).out.find("\"$schema\"") != std::string::npos);
}

TEST_CASE("validate --json prints each mistake, or warnings and notes, and --quiet only mistakes") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const auto json = [](const Outcome& outcome) { return nlohmann::json::parse(outcome.out); };
  const Outcome good = run_lapl({"validate", "c.yaml", "--json"});
  CHECK(good.code == 0);
  CHECK(json(good)["valid"] == true);
  CHECK(json(good)["notes"].size() >= 1);
  const Outcome bad =
      run_lapl({"validate", "c.yaml", "--json", "--set", "time.steps=x", "--set", "a=1"});
  CHECK(bad.code == 2);
  CHECK(json(bad)["valid"] == false);
  CHECK(json(bad)["mistakes"].size() == 2);
  const Outcome quiet = run_lapl({"validate", "c.yaml", "--quiet"});
  CHECK(quiet.code == 0);
  CHECK((quiet.out + quiet.err).empty());
  CHECK_FALSE(run_lapl({"validate", "c.yaml", "--quiet", "--set", "a=1"}).err.empty());
}

TEST_CASE("a full standard output is an error") {
  const Sandbox sandbox;
  const std::string command = lapl_program() + " schema > /dev/full 2> err.txt";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 4);
}
