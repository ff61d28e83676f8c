#include "io/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/config/config_text.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/digest.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

// "0.25" and "0.250" say the same.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double number_a = std::strtod(a.c_str(), &end_a);
  const double number_b = std::strtod(b.c_str(), &end_b);
  return !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0' && number_a == number_b;
}

bool is_fixed(const std::string& key) {
  constexpr std::array sections = {"grid.", "boundary", "initial.", "equation."};
  return std::ranges::any_of(sections, [&](const char* s) { return key.starts_with(s); }) ||
         key == "time.step" || key == "compute.precision";
}

std::map<std::string, std::string> fixed_values(const LoadedConfig& config) {
  std::map<std::string, std::string> values;
  for (const ResolvedKey& key : config.keys)
    if (is_fixed(key.key)) values[key.key] = key.value;
  return values;
}

// What a header says must follow from the checkpoint's own config, and from the file's name.
void require_consistent(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  const CheckpointHeader& header = checkpoint.header;
  const RunConfig run = parse_config(header.config, "its config", ".", {}).run;
  const auto require = [&](bool good, const std::string& what, const auto& found,
                           const auto& expected) {
    if (!good)
      throw CheckpointError(
          fmt::format("{}: {} is {} (expected {}, as its config and its name say)", path.string(),
                      what, found, expected));
  };
  require(header.shape == run.shape, "its grid",
          fmt::format("{} x {}", header.shape.rows, header.shape.columns),
          fmt::format("{} x {}", run.shape.rows, run.shape.columns));
  require(value_size_of(view_of(checkpoint.values)) == size_of(run.precision), "a value",
          fmt::format("{} bytes", value_size_of(view_of(checkpoint.values))),
          name_of(run.precision));
  require(bits_of(header.time_step) == bits_of(run.step_seconds()), "time_step", header.time_step,
          run.step_seconds());
  require(bits_of(header.coefficient) == bits_of(run.step_coefficient()), "coefficient",
          header.coefficient, run.step_coefficient());
  require(header.step <= run.steps, "step", header.step, fmt::format("at most {}", run.steps));
  const std::int64_t named = step_of_checkpoint(path.filename().string());
  require(named < 0 || named == header.step, "step", header.step, named);
  for (const auto& [name, digest] : header.outputs) {
    const std::int64_t step = step_of_file_name(name);
    require(step >= 0 && step <= header.step, "an output", shown(name),
            fmt::format("one of a step from 0 to {}", header.step));
    require(step != header.step || digest == header.state_digest, "the digest of output " + name,
            digest, header.state_digest);
  }
  for (const std::int64_t step : header.missing_outputs)
    require(step >= 0 && step <= header.step, "a missing output", step,
            fmt::format("a step from 0 to {}", header.step));
  const auto finite = [](const auto& held) {
    return std::ranges::all_of(held, [](auto value) { return std::isfinite(value); });
  };
  if (!std::visit(finite, checkpoint.values))
    throw CheckpointError(path.string() + ": holds a value that is not finite");
}

// A checkpoint that a run can go on from. Throws CheckpointError.
Checkpoint read_consistent(const std::filesystem::path& path) {
  Checkpoint checkpoint = read_checkpoint(path);
  try {
    require_consistent(path, checkpoint);
  } catch (const ConfigError& error) {
    throw CheckpointError(fmt::format("{}: its config is wrong: {}", path.string(), error.what()));
  }
  return checkpoint;
}

}  // namespace

Restart newest_valid_checkpoint(const std::filesystem::path& folder) {
  std::vector<std::string> rejected;
  std::filesystem::path incomplete;
  for (const auto& path : list_checkpoints(folder)) {
    try {
      Checkpoint checkpoint = read_consistent(path);
      const auto& missing = checkpoint.header.missing_outputs;
      if (missing.empty()) return {path, std::move(checkpoint), rejected};
      rejected.push_back(
          fmt::format("{}: the output of step {} could not be stored; an earlier checkpoint makes "
                      "it again",
                      path.string(), fmt::join(missing, ", ")));
      if (incomplete.empty()) incomplete = path;
    } catch (const CheckpointError& error) {
      rejected.push_back(error.what());
    }
  }
  // Better than none: the run ends with the outputs named that are missing.
  if (!incomplete.empty()) return {incomplete, read_consistent(incomplete), rejected};
  std::string message = fmt::format("{}: no checkpoint to go on from", folder.string());
  for (const std::string& reason : rejected) message += "\n  " + reason;
  throw CheckpointError(message);
}

Restart checkpoint_from(const std::filesystem::path& folder, const std::string& from) {
  const bool is_step = !from.empty() && from.find_first_not_of("0123456789") == std::string::npos;
  if (is_step && from.size() > 15)
    throw ConfigError(fmt::format("--from {}: not a step that a run can have", from));
  const auto path =
      is_step ? folder / checkpoint_file_name(std::stoll(from)) : std::filesystem::path(from);
  return {path, read_consistent(path), {}};
}

void require_same_problem(const LoadedConfig& of_checkpoint, const LoadedConfig& now) {
  const auto before = fixed_values(of_checkpoint);
  auto after = fixed_values(now);
  std::string message;
  const auto differs = [&](const std::string& key, const std::string& was, const std::string& is) {
    message += fmt::format("{}{}: {} in the checkpoint, {} now (a restart may not change it)",
                           message.empty() ? "" : "\n", key, was, is);
  };
  for (const auto& [key, was] : before) {
    const auto found = after.find(key);
    if (found == after.end())
      differs(key, was, "not set");
    else if (!same_value(was, found->second))
      differs(key, was, found->second);
    after.erase(key);
  }
  for (const auto& [key, is] : after) differs(key, "not set", is);
  if (!message.empty()) throw ConfigError(message);
}

}  // namespace lapl
