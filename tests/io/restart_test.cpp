// What a checkpoint says must agree with its own config and name, however right its seal is.
#include "io/restart.hpp"

#include <array>
#include <bit>
#include <functional>
#include <limits>

#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/digest.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {
namespace {

/// A checkpoint as a run of 100 steps on 4 x 6 cells writes it.
void write_state(const ScratchFolder& folder, std::int64_t step,
                 const std::function<void(CheckpointHeader&, std::vector<float>&)>& forge = {}) {
  const LoadedConfig config = parse_config(
      "grid: {shape: [4, 6], spacing: 0.5}\nequation: {coefficient: 0.2}\ntime: {steps: 100}\n"
      "output: {directory: out}\n",
      "c.yaml", "/", {});
  std::vector<float> values = random_field<float>({4, 6});
  CheckpointHeader header{.config = resolved_yaml(config),
                          .shape = {4, 6},
                          .step = step,
                          .time_step = equation_of(config.run).time_step(config.run),
                          .coefficient = diffusion::coefficient(config.run),
                          .outputs = {{step_file_name(0), 1}},
                          .missing_outputs = {}};
  if (forge) forge(header, values);
  header.state_digest = digest_of(std::span<const float>(values));
  header.outputs.emplace_back(step_file_name(step), header.state_digest);
  write_checkpoint(folder / checkpoint_file_name(step), header, std::span<const float>(values));
}

}  // namespace

TEST_CASE("a checkpoint that contradicts its config or its name is refused, an older one used") {
  struct Case {
    std::function<void(CheckpointHeader&, std::vector<float>&)> forge;
    std::string reason;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto resize = [](Shape shape) {
    return [=](CheckpointHeader& header, std::vector<float>& values) {
      header.shape = shape;
      values.resize(static_cast<std::size_t>(shape.cells()));
    };
  };
  using Header = CheckpointHeader;
  using Values = std::vector<float>;
  const Case cases[] = {
      {resize({10, 10}), "its grid is 10 x 10 (expected 4 x 6"},
      {resize({2, 2}), "its grid is 2 x 2 (expected 4 x 6"},
      {resize({6, 4}), "its grid is 6 x 4 (expected 4 x 6"},
      {[=](Header& header, Values&) { header.coefficient = nan; },
       "coefficient is nan (expected 0.2"},
      {[](Header& header, Values&) { header.coefficient = std::nextafter(0.2, 1); },
       "coefficient is 0.2"},
      {[](Header& header, Values&) { header.time_step = 7; }, "time_step is 7 (expected 0.05"},
      {[](Header& header, Values&) { header.step = 30; }, "step is 30 (expected 40"},
      {[](Header& header, Values&) { header.step = 1000; }, "step is 1000 (expected at most 100"},
      {[](Header& header, Values&) { header.outputs[0].first = "step-000000050.nc"; },
       "an output is step-000000050.nc (expected one of a step from 0 to 40"},
      {[](Header& header, Values&) { header.outputs[0].first = "\033[2J"; }, "an output is ?[2J"},
      {[](Header& header, Values&) { header.outputs[0].first = step_file_name(40); },
       "the digest of output step-000000040.nc is 1 (expected "},
      {[](Header& header, Values&) { header.missing_outputs = {41}; },
       "a missing output is 41 (expected a step from 0 to 40"},
      {[](Header& header, Values&) { header.config += "time: 3\n"; }, "its config is wrong: "},
      {[](Header& header, Values&) { header.config = ""; }, "its config is wrong: "},
      {[=](Header&, Values& values) { values[7] = static_cast<float>(nan); },
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
    CHECK_THROWS_AS(checkpoint_from("", folder / checkpoint_file_name(40)), CheckpointError);
  }
}

TEST_CASE("a checkpoint of another precision than its config says is refused") {
  const ScratchFolder folder;
  write_state(folder, 40, [](CheckpointHeader& header, std::vector<float>&) {
    header.config.replace(header.config.find("float32"), 7, "float64");
  });
  CHECK(contains(message_of<CheckpointError>([&] { newest_valid_checkpoint(folder.path()); }),
                 "a value is 4 bytes (expected float64"));
}

TEST_CASE("a checkpoint under a name of somebody's own can be gone on from") {
  const ScratchFolder folder;
  write_state(folder, 40);
  std::filesystem::rename(folder / checkpoint_file_name(40), folder / "kept.h5");
  CHECK(checkpoint_from("", folder / "kept.h5").checkpoint.header.step == 40);
}

}  // namespace lapl::test
