// lapl new: every config that it writes is valid, runs, and shows the real defaults.
#include <regex>
#include <sstream>

#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/gallery.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

// Creates the input files for `lapl new image` and `lapl new own-field`.
void add_inputs() {
  fs::copy(LAPL_SOURCE_DIR "/configs/pictures/letters.png", "picture.png");
  write_text("o.yaml", small_config());
  REQUIRE(run_lapl({"run", "o.yaml", "--output", "own", "--set", "grid.shape=[48, 64]", "--set",
                    "time.steps=0"})
              .code == 0);
  fs::copy("own/fields/step-000000000.nc", "field.h5");
}

// Turns every comment "#key: value" of the config into an entry.
std::string uncommented(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)( *)#(?=[a-z])"), "$1$2");
}

}  // namespace

TEST_CASE("new: the config of each use is valid and runs") {
  const Sandbox sandbox;
  add_inputs();
  const std::string list = run_lapl({"new", "--list"}).out;
  REQUIRE(lapl::config_uses().size() >= 6);
  for (const lapl::EmbeddedConfig& use : lapl::config_uses()) {
    CAPTURE(use.name);
    CHECK(list.find(use.name + " ") != std::string::npos);
    const std::string file = use.name + ".yaml";
    REQUIRE(run_lapl({"new", use.name, "-o", file}).code == 0);
    CHECK(file_text(file) == run_lapl({"new", use.name}).out);
    const Outcome valid = run_lapl({"validate", file});
    CAPTURE(valid.err);
    CHECK(valid.code == 0);
    std::vector<std::string> command = {"run", file, "--quiet", "--overwrite"};
    for (const char* setting : {"time.steps=2", "limits.wall_time=null", "output.directory=out"}) {
      command.emplace_back("--set");
      command.emplace_back(setting);
    }
    // Large grids take long; a fractal field fits any shape.
    if (file_text(file).find("kind: fractal") != std::string::npos)
      command.insert(command.end(), {"--set", "grid.shape=[64, 48]"});
    const Outcome run = run_lapl(command);
    CAPTURE(run.err);
    CHECK(run.code == 0);
  }
  CHECK(run_lapl({"new"}).out == run_lapl({"new", "quick"}).out);
}

TEST_CASE("new: the defaults shown are the defaults, and every key that applies is there") {
  for (const lapl::EmbeddedConfig& use : lapl::config_uses()) {
    CAPTURE(use.name);
    const std::string text = lapl::config_for(use.name);
    const std::string file = use.name + ".yaml";
    const auto as_written = lapl::parse_config(text, file, ".", {});
    const auto all = lapl::parse_config(uncommented(text), file, ".", {});
    REQUIRE(all.keys.size() == as_written.keys.size());
    for (std::size_t i = 0; i < all.keys.size(); ++i) {
      CAPTURE(all.keys[i].key);
      CHECK(all.keys[i].value == as_written.keys[i].value);
      CHECK(all.keys[i].origin.starts_with(file + ":"));
      CHECK(text.find("# " + lapl::find_config_key(all.keys[i].key)->meaning.substr(0, 30)) !=
            std::string::npos);
    }
  }
}

TEST_CASE(
    "new: the message about an unknown use suggests the nearest one, and no file is replaced") {
  const Sandbox sandbox;
  write_text("old.yaml", "old");
  const Outcome unknown = run_lapl({"new", "tutorail", "-o", "a.yaml"});
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("use tutorail: not known (did you mean tutorial?)") != std::string::npos);
  CHECK(run_lapl({"new", "xyz"}).err.find("quick, tutorial") != std::string::npos);
  CHECK(!fs::exists("a.yaml"));
  CHECK(run_lapl({"new", "quick", "-o", "old.yaml"}).code == 2);
  CHECK(file_text("old.yaml") == "old");
}

TEST_CASE("new --list: all summaries begin in the same column") {
  const Sandbox sandbox;
  std::istringstream lines(run_lapl({"new", "--list"}).out);
  std::size_t count = 0;
  std::string::size_type first = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CAPTURE(line);
    const std::size_t name_end = line.find(' ');
    const std::size_t at = line.find_first_not_of(' ', name_end);
    CHECK(at >= name_end + 2);
    if (count == 0) first = at;
    CHECK(at == first);
  }
  CHECK(count == lapl::names_of_new().size());
}

TEST_CASE("new --run writes the config and runs it, but replaces no file and no run") {
  const Sandbox sandbox;
  const Outcome run = run_lapl({"new", "wave", "--run"});
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(file_text("wave.yaml") == lapl::config_for("wave"));
  CHECK(run.out.starts_with("wave.yaml: wave\n"));
  CHECK(has(run.out, "complete: step 140"));
  CHECK(!has(run.err + run.out, "\033"));
  CHECK(!has(run.err, "--live"));
  CHECK(fs::exists("runs/wave/fields/step-000000140.nc"));

  CHECK(has(run_lapl({"new", "wave", "-o", "wave.yaml"}).err, "wave.yaml: exists already"));
  fs::remove("wave.yaml");
  const Outcome kept = run_lapl({"new", "wave", "--run"});
  CHECK(kept.code == 2);
  CHECK(has(kept.err, "runs/wave: a run is there already (-o FILE names another config"));
  CHECK(!fs::exists("wave.yaml"));
  write_text("plate.yaml", "old");
  CHECK(run_lapl({"new", "plate", "--run"}).code == 2);
  CHECK(file_text("plate.yaml") == "old");
  CHECK(!fs::exists("runs/plate"));
  CHECK(run_lapl({"new", "wave", "--run", "-o", "other.yaml"}).code == 0);
  CHECK(fs::exists("runs/other/run.json"));
  CHECK(run_lapl({"new", "--run", "--list"}).code == 2);
  CHECK(run_lapl({"new", "waev", "--run"}).code == 2);
  CHECK(!fs::exists("waev.yaml"));
}

TEST_CASE("new: a config of the gallery is its file, valid, and says what it is and from where") {
  const Sandbox sandbox;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(LAPL_SOURCE_DIR "/configs/gallery")) {
    const std::string name = entry.path().stem().string(), text = file_text(entry.path());
    CAPTURE(name);
    CHECK(lapl::config_for(name) == text);
    CHECK(text.find("\n# Source: ") == text.find('\n'));
    CHECK_NOTHROW(lapl::parse_config(text, name + ".yaml", ".", {}));
    ++files;
  }
  CHECK(files == lapl::gallery().size());
  CHECK(run_lapl({"new", "gray-scott-coral"}).out == lapl::config_for("gray-scott-coral"));
  CHECK(run_lapl({"new", "--list"}).out.find("gray-scott-coral") != std::string::npos);
  CHECK(run_lapl({"new", "gray-scott-corl"}).err.find("did you mean gray-scott-coral?") !=
        std::string::npos);
}
