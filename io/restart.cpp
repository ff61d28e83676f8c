#include "io/restart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

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

}  // namespace

Restart newest_valid_checkpoint(const std::filesystem::path& folder) {
  std::vector<std::string> rejected;
  std::filesystem::path incomplete;
  for (const auto& path : list_checkpoints(folder)) {
    try {
      Checkpoint checkpoint = read_checkpoint(path);
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
  if (!incomplete.empty()) return {incomplete, read_checkpoint(incomplete), rejected};
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
  return {path, read_checkpoint(path), {}};
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
