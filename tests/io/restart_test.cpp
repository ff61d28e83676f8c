// A checkpoint must agree with its own config and name, even if its seal matches.
#include "io/run/restart.hpp"

#include <array>
#include <bit>
#include <functional>
#include <limits>

#include "io/durable/lines.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run/output_list.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/equation/equation.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {
namespace {

using Forge = std::function<void(CheckpointHeader&, std::vector<float>&, OutputDigests&)>;

/// Writes a checkpoint like that of a run of 100 steps on 4 x 6 cells, changed by `forge`.
void write_state(const ScratchFolder& folder, std::int64_t step, const Forge& forge = {}) {
  const LoadedConfig config = parse_config(
      "grid: {shape: [4, 6], spacing: 0.5}\nequation: {coefficient: 0.2}\ntime: {steps: 100}\n"
      "output: {directory: out}\n",
      "c.yaml", "/", {});
  std::vector<float> values = random_field<float>({4, 6});
  CheckpointHeader header{.config = resolved_yaml(config),
                          .shape = {4, 6},
                          .step = step,
                          .time_step = step_seconds(config.run),
                          .coefficient = stored_coefficient(config.run),
                          .missing_outputs = {}};
  OutputDigests outputs = {{0, 1}};
  if (forge) forge(header, values, outputs);
  header.state_digest = field_digest(std::span<const float>(values));
  if (!outputs.contains(step)) outputs[step] = header.state_digest;
  header.output_list = OutputList(output_list_beside(folder / "any"), outputs, {}).store();
  write_checkpoint(folder / checkpoint_file_name(step), header, std::span<const float>(values));
}

}  // namespace

TEST_CASE("a checkpoint that contradicts its config or its name is refused, an older one used") {
  struct Case {
    Forge forge;
    std::string reason;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto resize = [](Shape shape) {
    return [=](CheckpointHeader& header, std::vector<float>& values, OutputDigests&) {
      header.shape = shape;
      values.resize(static_cast<std::size_t>(shape.cells()));
    };
  };
  using Header = CheckpointHeader;
  using Values = std::vector<float>;
  using Outputs = OutputDigests;
  const Case cases[] = {
      {resize({10, 10}), "its grid is 10 x 10 (expected 4 x 6"},
      {resize({2, 2}), "its grid is 2 x 2 (expected 4 x 6"},
      {resize({6, 4}), "its grid is 6 x 4 (expected 4 x 6"},
      {[=](Header& header, Values&, Outputs&) { header.coefficient = nan; },
       "coefficient is nan (expected 0.2"},
      {[](Header& header, Values&, Outputs&) { header.coefficient = std::nextafter(0.2, 1); },
       "coefficient is 0.2"},
      {[](Header& header, Values&, Outputs&) { header.time_step = 7; },
       "time_step is 7 (expected 0.05"},
      {[](Header& header, Values&, Outputs&) { header.step = 30; }, "step is 30 (expected 40"},
      {[](Header& header, Values&, Outputs&) { header.step = 1000; },
       "step is 1000 (expected at most 100"},
      {[](Header&, Values&, Outputs& outputs) { outputs[50] = 1; },
       "an output is step-000000050.nc (expected one of a step from 0 to 40"},
      {[](Header&, Values&, Outputs& outputs) { outputs[40] = 1; },
       "the digest of output step-000000040.nc is 1 (expected "},
      {[](Header& header, Values&, Outputs&) { header.missing_outputs = {41}; },
       "a missing output is 41 (expected a step from 0 to 40"},
      {[](Header& header, Values&, Outputs&) { header.config += "time: 3\n"; },
       "its config is wrong: "},
      {[](Header& header, Values&, Outputs&) { header.config = ""; }, "its config is wrong: "},
      {[=](Header&, Values& values, Outputs&) { values[7] = static_cast<float>(nan); },
       "holds a value that is not finite"}};
  for (const Case& wrong : cases) {
    const ScratchFolder folder;
    CAPTURE(wrong.reason);
    write_state(folder, 20);
    write_state(folder, 40, wrong.forge);
    const Restart restart = newest_valid_checkpoint(folder.path());
    CHECK(restart.checkpoint.header.step == 20);
    REQUIRE(restart.rejected.size() == 1);
    CAPTURE(restart.rejected[0]);
    CHECK(contains(restart.rejected[0], (folder / checkpoint_file_name(40)).string() + ": "));
    CHECK(contains(restart.rejected[0], wrong.reason));
    CHECK_THROWS_AS(checkpoint_from(folder.path(), "40"), CheckpointError);
    CHECK_THROWS_AS(checkpoint_from(folder.path(), "123456789012345"), CheckpointError);
    CHECK_THROWS_AS(checkpoint_from(folder.path(), "1234567890123456"), ConfigError);
    CHECK_THROWS_AS(checkpoint_from("", folder / checkpoint_file_name(40)), CheckpointError);
  }
}

TEST_CASE("a checkpoint of another precision than its config says is refused") {
  const ScratchFolder folder;
  write_state(folder, 40, [](CheckpointHeader& header, std::vector<float>&, OutputDigests&) {
    header.config.replace(header.config.find("float32"), 7, "float64");
  });
  CHECK(contains(thrown_message<CheckpointError>([&] { newest_valid_checkpoint(folder.path()); }),
                 "a value is 4 bytes (expected float64"));
}

TEST_CASE("a renamed checkpoint can be resumed") {
  const ScratchFolder folder;
  write_state(folder, 40);
  std::filesystem::rename(folder / checkpoint_file_name(40), folder / "kept.h5");
  CHECK(checkpoint_from("", folder / "kept.h5").checkpoint.header.step == 40);
}

TEST_CASE("a list of outputs only grows, and each checkpoint refers to its own part") {
  const ScratchFolder folder;
  const auto path = output_list_beside(folder / "step-000000010.h5");
  OutputList list(path, {}, {});
  std::vector<OutputListMark> marks = {list.store()};
  CHECK(read_output_list(path, marks[0]).empty());
  std::vector<OutputDigests> expected = {{}};
  const auto then = [&](OutputList& of, const OutputDigests& outputs) {
    marks.push_back(of.store());
    expected.push_back(outputs);
  };
  list.add(0, 7);
  list.add(10, ~std::uint64_t{0});
  then(list, {{0, 7}, {10, ~std::uint64_t{0}}});
  list.remove(0);
  then(list, {{10, ~std::uint64_t{0}}});
  // Restarts from the last checkpoint with one output lost, and from the checkpoint before it.
  OutputList after(path, {}, marks.back());
  after.add(20, 1);
  then(after, {{20, 1}});
  OutputList back(path, expected[1], marks[1]);
  back.add(15, 2);
  then(back, {{0, 7}, {10, ~std::uint64_t{0}}, {15, 2}});
  for (std::size_t i = 0; i < marks.size(); ++i)
    CHECK(read_output_list(path, marks[i]) == expected[i]);
  // Adds an incomplete line and a line of another program.
  append_lines(path, "30,0x00", Durable::now);
  OutputList torn(path, expected.back(), marks.back());
  CHECK(torn.store() == marks.back());
  append_lines(path, "foreign\n", Durable::now);
  CHECK(read_output_list(path, marks.back()) == expected.back());
  torn.add(30, 3);
  const OutputListMark whole = torn.store();
  CHECK(read_output_list(path, whole) ==
        OutputDigests{{0, 7}, {10, ~std::uint64_t{0}}, {15, 2}, {30, 3}});
  CHECK(contains(thrown_message<IoError>([&] { read_output_list(path, marks.back()); }),
                 path.string() + ": its first "));
}

TEST_CASE("if the list of outputs is lost, the outputs in the folder count") {
  const ScratchFolder folder;
  write_state(folder, 40);
  std::filesystem::remove(output_list_beside(folder / "any"));
  CHECK(contains(thrown_message<CheckpointError>([&] { newest_valid_checkpoint(folder.path()); }),
                 "outputs.csv: "));
}

}  // namespace lapl::test
