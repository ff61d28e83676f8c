// A failed output or checkpoint does not end the run; it is named, and stored later.
#include "io/run/run_writer.hpp"

#include <doctest/doctest.h>

#include "io/run/restart.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/times.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {
namespace {

namespace fs = std::filesystem;

std::string config_text(const std::string& coefficient = "0.25") {
  return "grid: {shape: [3, 4]}\nequation: {coefficient: " + coefficient +
         "}\ntime: {steps: 1000}\noutput: {directory: out}\n";
}

/// A run folder and a writer; each stored step has an output and a checkpoint.
class Stored {
 public:
  explicit Stored(CheckpointHeader from) : Stored(config_text(), std::move(from)) {}
  explicit Stored(std::string text = config_text(), CheckpointHeader from = {})
      : from_(std::move(from)), text_(std::move(text)) {}

  void step(std::int64_t step) {
    Captured<float> captured;
    captured.state = field_;
    captured.rows = {0, 3};
    captured.cells = std::ssize(field_);
    captured.digest = digest_;
    writer_.store({.step = step,
                   .output = true,
                   .checkpoint = true,
                   .cells_per_second = 1,
                   .time = time_at_step(model_.run, step)},
                  captured);
  }
  static Model parsed_model(const std::string& text) {
    RunConfig config;
    config.shape = {3, 4};
    config.equation = parse_config(text, "c.yaml", ".", {}).run.equation;
    config.steps = 1000;
    config.checkpoints_kept = 2;
    config.output_fields = {"field"};
    return Model(config);
  }
  /// Puts a folder at the path of a file, so that no file can be renamed to it.
  static void block(const fs::path& path) { fs::create_directories(path / "in the way"); }

  const RunFolder& folder() const { return folder_; }
  std::string missing() { return writer_.missing(); }
  bool can_make_missing() const { return writer_.can_make_missing(); }
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
  std::string text_;
  Model model_ = parsed_model(text_);
  std::vector<float> field_ = std::vector<float>(12, 1.5f);
  std::uint64_t digest_ = field_digest(std::span<const float>(field_));
  RunFolder folder_ = RunFolder::create(scratch_ / "run", RunFolder::Existing::refuse);
  RunWriter<float> writer_{
      folder_,
      model_,
      text_,
      {},
      from_,
      {.stored = [](const StoredEvent&) {},
       .progress = [](const Progress&) {},
       .warning = [this](const std::string& text) { warnings.push_back(text); }}};
};

}  // namespace

TEST_CASE("the run that is replaced goes with the first output") {
  Stored run;
  fs::create_directory(run.folder().path() / ".replaced");
  run.step(0);
  CHECK_FALSE(fs::exists(run.folder().path() / ".replaced"));
}

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
  // The two newest checkpoints are kept, and the newest one without missing outputs.
  CHECK(run.has_checkpoint(40));
  CHECK(run.has_checkpoint(30));
  CHECK_FALSE(run.has_checkpoint(20));
  CHECK(run.has_checkpoint(10));
  CHECK_FALSE(run.has_checkpoint(0));
  CHECK(run.newest() == checkpoint_file_name(10));
  const Restart restart = newest_valid_checkpoint(run.folder().checkpoints());
  REQUIRE(restart.rejected.size() == 2);
  CHECK(
      contains(restart.rejected[0], "step-000000040.h5: lacks the output of step 20; an earlier"));
  // If all checkpoints miss outputs, the newest one is still better than none.
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

TEST_CASE("old checkpoints are removed beyond step 10^9, too, where names are longer") {
  Stored run;
  for (const std::int64_t step : {999'999'980, 999'999'990, 1'000'000'000, 1'000'000'010}) {
    run.step(step);
    if (step == 1'000'000'000) CHECK(run.has_checkpoint(999'999'990));
  }
  CHECK(run.has_checkpoint(1'000'000'010));
  CHECK(run.has_checkpoint(1'000'000'000));
  CHECK_FALSE(run.has_checkpoint(999'999'990));
  CHECK_FALSE(run.has_checkpoint(999'999'980));
  Stored::block(run.folder().fields() / step_file_name(1'000'000'020));
  for (const std::int64_t step : {1'000'000'020, 1'000'000'030, 1'000'000'040}) run.step(step);
  CHECK(run.has_checkpoint(1'000'000'010));  // from it, a restart computes the missing output
}

TEST_CASE("an old output that was changed, cut short or removed costs no later one") {
  Stored run;
  for (const std::int64_t step : {0, 10, 20, 30}) run.step(step);
  const auto file = [&](std::int64_t step) { return run.folder().fields() / step_file_name(step); };
  const std::string whole = read_bytes(file(0));
  fs::remove(file(0));
  write_bytes(file(10), read_bytes(file(10)) + "more");
  fs::remove(file(20));
  fs::copy_file(file(30), file(20));
  // The file's time equals that of the checkpoint, as in the same tick of the file system's clock.
  fs::last_write_time(file(20),
                      fs::last_write_time(run.folder().checkpoints() / checkpoint_file_name(30)));
  write_bytes(run.folder().config(), config_text());
  const auto restart = [&] {
    return newest_valid_checkpoint(run.folder().checkpoints(), check_for(run.folder()));
  };
  CHECK(restart().checkpoint.header.missing_outputs == std::vector<std::int64_t>{0, 10, 20});
  CHECK(restart().damaged.size() == 3);
  CHECK(contains(restart().rejected.front(), "lacks the output of step 0 and that of step 10"));
  write_bytes(file(0), whole);  // with a matching seal, and of this run
  CHECK(restart().damaged.size() == 2);
  fs::remove(file(0));

  run.step(40);
  REQUIRE(run.warnings.size() == 3);  // one for each file
  CHECK(contains(run.warnings[0], "step-000000000.nc: No such file"));
  CHECK(contains(run.warnings[1], "step-000000010.nc: has no seal"));
  CHECK(contains(run.warnings[2], "step-000000020.nc: holds step 30, but its name says 20"));
  CHECK(read_content(run.folder().index()).steps == std::vector<std::int64_t>{30, 40});
  CHECK(run.missing() == "the outputs of steps 0, 10, 20");
  CHECK_FALSE(run.can_make_missing());
  CHECK(restart().checkpoint.header.step == 40);
  CHECK(restart().checkpoint.header.missing_outputs == std::vector<std::int64_t>{0, 10, 20});
}

TEST_CASE("an index that cannot be written gives a warning, and the next one makes up for it") {
  Stored run;
  run.step(0);
  fs::remove(run.folder().index());
  Stored::block(run.folder().index());
  run.step(10);
  REQUIRE(run.warnings.size() == 1);
  CHECK(contains(run.warnings[0], "step 10: "));
  CHECK(contains(run.warnings[0], "fields.nc: cannot rename"));
  CHECK(run.missing() == "fields.nc");
  fs::remove_all(run.folder().index());
  CHECK(run.missing().empty());
  CHECK(read_content(run.folder().index()).steps == std::vector<std::int64_t>{0, 10});
}

TEST_CASE("a checkpoint of another run is named, and an older one of this run used") {
  Stored run, other(config_text("0.2"));
  for (const std::int64_t step : {0, 10}) run.step(step);
  other.step(20);
  const fs::path own = run.folder().checkpoints();
  const fs::path foreign = other.folder().checkpoints() / checkpoint_file_name(20);
  fs::copy_file(foreign, own / checkpoint_file_name(20));
  CHECK(contains(thrown_message<IoError>([&] { check_for(run.folder()); }), "config.yaml"));
  write_bytes(run.folder().config(), config_text());
  const CheckpointCheck check = check_for(run.folder());
  const Restart restart = newest_valid_checkpoint(own, check);
  CHECK(restart.path.filename() == checkpoint_file_name(10));
  REQUIRE(restart.rejected.size() == 1);
  const std::string words =
      "is of another run than config.yaml: equation.coefficient: 0.2 in it, 0.25 now";
  CHECK(contains(restart.rejected[0], checkpoint_file_name(20) + ": " + words));
  for (const std::string& from : {std::string("20"), foreign.string()})
    CHECK(contains(thrown_message<CheckpointError>([&] { checkpoint_from(own, from, check); }),
                   words));
}

TEST_CASE("outputs that an earlier part of the run missed stay missing") {
  CheckpointHeader from;
  from.step = 50;
  from.missing_outputs = {20, 30};
  Stored run(from);
  run.step(60);
  CHECK(run.missing() == "the outputs of steps 20, 30");
}

TEST_CASE("before the first step a failure to store ends the run") {
  Stored run;
  Stored::block(run.folder().fields() / step_file_name(0));
  CHECK_THROWS_AS(run.step(0), IoError);
}

TEST_CASE("a table keeps the lines of earlier steps, and matches columns by name") {
  const ScratchFolder scratch;
  const fs::path path = scratch / "diagnostics.csv";
  const RunTable first(path, {"min", "energy"});
  first.begin(0);
  first.add("0,0,1,10\n5,2.5,2,20\n10,5,3,30\n");
  RunTable(path, {"max", "energy"}).begin(10);
  CHECK(read_bytes(path) == "step,time,max,energy\n0,0,nan,10\n5,2.5,nan,20\n");
}

TEST_CASE("a line that was torn is dropped from the log and from the diagnostics") {
  const ScratchFolder scratch;
  const fs::path path = scratch / "run";
  {
    const RunFolder folder = RunFolder::create(path, RunFolder::Existing::refuse);
    const RunTable table(folder.diagnostics(), {"min"});
    table.begin(0);
    table.add("0,0,1\n10,10,1\n");
    folder.log({{"event", "stored"}});
  }
  const std::string log = read_bytes(path / "log.jsonl");
  const std::string diagnostics = read_bytes(path / "diagnostics.csv");
  write_bytes(path / "log.jsonl", log + "{\"at\": \"2026");
  write_bytes(path / "diagnostics.csv", diagnostics + "2");  // an incomplete line of step 20
  const RunFolder folder = RunFolder::open(path);
  RunTable(folder.diagnostics(), {"min"}).begin(20);
  CHECK(read_bytes(path / "log.jsonl") == log);
  CHECK(read_bytes(path / "diagnostics.csv") == diagnostics);
}

}  // namespace lapl::test
