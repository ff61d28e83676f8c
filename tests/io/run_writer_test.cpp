// What cannot be stored does not end a run, is named, and can be made up for.
#include "io/run_writer.hpp"

#include <doctest/doctest.h>

#include "io/restart.hpp"
#include "kernels/digest.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {
namespace {

namespace fs = std::filesystem;

/// A run folder in which step after step is stored, with one output and one checkpoint each.
class Stored {
 public:
  explicit Stored(CheckpointHeader from = {}) : from_(std::move(from)) {
    config_.shape = {3, 4};
    config_.coefficient = 0.25;
    config_.steps = 1000;
    config_.checkpoints_kept = 2;
    config_.output_fields = {"field"};
  }

  void step(std::int64_t step) {
    Captured<float> captured;
    captured.field = field_;
    captured.digest = digest_;
    writer_.store({.step = step, .output = true, .checkpoint = true, .cells_per_second = 1},
                  captured);
  }
  /// A folder where the file should be: no file can be renamed to it.
  static void block(const fs::path& path) { fs::create_directories(path / "in the way"); }

  const RunFolder& folder() const { return folder_; }
  std::string missing() const { return writer_.missing(); }
  std::string newest() const {
    return newest_valid_checkpoint(folder_.checkpoints()).path.filename().string();
  }
  bool has_checkpoint(std::int64_t step) const {
    return fs::exists(folder_.checkpoints() / checkpoint_file_name(step));
  }

  std::vector<std::string> warnings;

 private:
  ScratchFolder scratch_;
  CheckpointHeader from_;
  RunConfig config_;
  std::vector<float> field_ = std::vector<float>(12, 1.5f);
  std::uint64_t digest_ = digest_of(std::span<const float>(field_));
  RunFolder folder_ = RunFolder::create(scratch_ / "run", RunFolder::Existing::refuse);
  RunWriter<float> writer_{
      folder_,
      config_,
      "grid: {shape: [3, 4]}\nequation: {coefficient: 0.25}\ntime: {steps: 1000}\n"
      "output: {directory: out}\n",
      {},
      from_,
      {.stored = [](const StoredEvent&) {},
       .progress = [](const Progress&) {},
       .warning = [this](const std::string& text) { warnings.push_back(text); }}};
};

}  // namespace

TEST_CASE("an output that cannot be stored is named, and a restart goes back to make it") {
  Stored run;
  run.step(0);
  run.step(10);
  Stored::block(run.folder().fields() / step_file_name(20));
  run.step(20);
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].starts_with("step 20: "));
  CHECK(contains(run.warnings[0], "fields/step-000000020.nc: cannot rename"));
  fs::remove_all(run.folder().fields() / step_file_name(20));
  run.step(30);
  run.step(40);
  CHECK(run.missing() == "the output of step 20");
  // Two are kept, and the newest of those that were complete.
  CHECK(run.has_checkpoint(40));
  CHECK(run.has_checkpoint(30));
  CHECK_FALSE(run.has_checkpoint(20));
  CHECK(run.has_checkpoint(10));
  CHECK_FALSE(run.has_checkpoint(0));
  CHECK(run.newest() == checkpoint_file_name(10));
  const Restart restart = newest_valid_checkpoint(run.folder().checkpoints());
  REQUIRE(restart.rejected.size() == 2);
  CHECK(contains(restart.rejected[0], "step-000000040.h5: the output of step 20 could not"));
  // With none that is complete, the newest is better than none.
  fs::remove(run.folder().checkpoints() / checkpoint_file_name(10));
  CHECK(run.newest() == checkpoint_file_name(40));
}

TEST_CASE("a checkpoint that cannot be stored is made up for by the next one") {
  Stored run;
  run.step(0);
  Stored::block(run.folder().checkpoints() / checkpoint_file_name(10));
  run.step(10);
  CHECK(run.missing() == "the checkpoint of step 10");
  CHECK(run.warnings.size() == 1);
  run.step(20);
  CHECK(run.missing().empty());
  CHECK(run.newest() == checkpoint_file_name(20));
}

TEST_CASE("what an earlier part of the run is missing stays missing") {
  CheckpointHeader from;
  from.step = 50;
  from.missing_outputs = {20, 30};
  Stored run(from);
  run.step(60);
  CHECK(run.missing() == "the outputs of steps 20, 30");
}

TEST_CASE("before any step was taken, what cannot be stored ends the run") {
  Stored run;
  Stored::block(run.folder().fields() / step_file_name(0));
  CHECK_THROWS_AS(run.step(0), IoError);
}

TEST_CASE("a line that was torn is dropped from the log and from the diagnostics") {
  const ScratchFolder scratch;
  const fs::path path = scratch / "run";
  {
    const RunFolder folder = RunFolder::create(path, RunFolder::Existing::refuse);
    for (const int step : {0, 10}) folder.add_diagnostics(step, step, {}, 1);
    folder.log({{"event", "stored"}});
  }
  const std::string log = read_bytes(path / "log.jsonl");
  const std::string diagnostics = read_bytes(path / "diagnostics.csv");
  write_bytes(path / "log.jsonl", log + "{\"at\": \"2026");
  write_bytes(path / "diagnostics.csv", diagnostics + "2");  // of 20
  const RunFolder folder = RunFolder::open(path);
  folder.drop_diagnostics_from(20);
  CHECK(read_bytes(path / "log.jsonl") == log);
  CHECK(read_bytes(path / "diagnostics.csv") == diagnostics);
}

}  // namespace lapl::test
