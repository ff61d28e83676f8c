#include "io/run/restart.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "io/config/config_text.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/output_list.hpp"
#include "io/run/run_changes.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/equation/equation.hpp"
#include "solver/schedule.hpp"
#include "solver/step_control.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// Moves outputs whose files are missing or changed to the header's missing outputs.
std::vector<std::string> remove_damaged(const fs::path& fields, fs::file_time_type unchanged_since,
                                        CheckpointHeader& header) {
  std::vector<std::string> problems;
  std::erase_if(header.outputs, [&](const auto& output) {
    const auto& [name, digest] = output;
    std::string problem = output_problem(fields / name, digest, unchanged_since);
    if (problem.empty()) return false;
    problems.push_back(std::move(problem));
    header.missing_outputs.push_back(step_of_file_name(name));
    return true;
  });
  std::ranges::sort(header.missing_outputs);
  return problems;
}

struct Require {
  const fs::path& path;
  void operator()(bool good, const std::string& what, const auto& found,
                  const auto& expected) const {
    if (!good)
      throw CheckpointError("{}: {} is {} (expected {}, as its config and its name say)",
                            path.string(), what, found, expected);
  }
};

void require_outputs(const fs::path& path, const CheckpointHeader& header) {
  const Require require{path};
  for (const auto& [name, digest] : header.outputs) {
    const std::int64_t step = step_of_file_name(name);
    require(step >= 0 && step <= header.step, "an output", shown(name),
            fmt::format("one of a step from 0 to {}", header.step));
    require(step != header.step || digest == header.state_digest, "the digest of output " + name,
            digest, header.state_digest);
  }
}

// Reads the outputs that a header's mark describes from the list in the checkpoint's folder, or,
// for a checkpoint elsewhere, from the run's list. Throws IoError if neither matches.
void add_listed_outputs(const fs::path& path, CheckpointHeader& header, const fs::path& of_run) {
  OutputDigests outputs;
  if (header.output_list) try {
      outputs = read_output_list(output_list_beside(path), *header.output_list);
    } catch (const IoError&) {
      if (of_run.empty()) throw;
      outputs = read_output_list(of_run, *header.output_list);
    }
  for (const auto& [step, digest] : outputs)
    header.outputs.emplace_back(step_file_name(step), digest);
  require_outputs(path, header);
}

// If the list is lost, assumes all outputs that were due, with the digests in their files.
void add_due_outputs(CheckpointHeader& header, const RunConfig& run, const fs::path& fields) {
  if ((run.scheme.varies || run.since) && run.output_time) return;  // their steps are unknown
  const Schedule schedule(run);
  for (std::int64_t before = -1, step = 0; step > before && step <= header.step;
       before = std::exchange(step, schedule.next_output_after(step))) {
    const std::string name = step_file_name(step);
    if (std::ranges::count(header.missing_outputs, step) == 0)
      header.outputs.emplace_back(
          name, step == header.step ? header.state_digest : state_digest_in(fields / name));
  }
}

// Throws CheckpointError unless the header agrees with the checkpoint's config and file name.
void require_consistent(const fs::path& path, const Checkpoint& checkpoint, const RunConfig& run,
                        bool finite) {
  const CheckpointHeader& header = checkpoint.header;
  const Require require{path};
  require(header.shape == run.shape, "its grid", shape_text(header.shape), shape_text(run.shape));
  const std::vector<std::string>& fields = run.fields;
  require(header.fields == fields, "its state", fmt::format("{}", fmt::join(header.fields, ", ")),
          fmt::format("{}", fmt::join(fields, ", ")));
  const Precision precision = value_precision(as_view(checkpoint.values));
  require(precision == run.precision, "a value", fmt::format("{} bytes", byte_size(precision)),
          enum_name(run.precision));
  require(as_bits(header.time_step) == as_bits(step_seconds(run)), "time_step", header.time_step,
          step_seconds(run));
  require(as_bits(header.coefficient) == as_bits(stored_coefficient(run)), "coefficient",
          header.coefficient, stored_coefficient(run));
  require(header.step_state.size() == (run.scheme.varies ? step_state_words : 0), "step_state",
          header.step_state.size(), run.scheme.varies ? "the state of steps that vary" : "none");
  const auto steps = StepState::of_words(header.step_state);
  if (steps)
    require(steps->is_sound(header.step), "step_state",
            fmt::format("{}", fmt::join(header.step_state, ", ")), "the state of a run's steps");
  const double time = steps ? steps->clock.time(header.step) : time_at_step(run, header.step);
  require(std::abs(header_time(header) - time) <= 1e-9 * std::abs(time), "time",
          header_time(header), time);
  require(run.ends_by_time() || header.step <= run.steps, "step", header.step,
          fmt::format("at most {}", run.steps));
  const std::int64_t named = step_of_checkpoint(path.filename().string());
  require(named < 0 || named == header.step, "step", header.step, named);
  for (const std::int64_t step : header.missing_outputs)
    require(step >= 0 && step <= header.step, "a missing output", step,
            fmt::format("a step from 0 to {}", header.step));
  if (!finite) throw CheckpointError(path.string() + ": holds a value that is not finite");
}

bool is_finite(FieldView values) {
  return std::visit(
      [](auto held) {
        return std::ranges::all_of(held, [](auto value) { return std::isfinite(value); });
      },
      values);
}

// A checkpoint from which a run can continue. Throws CheckpointError.
Restart read_consistent(const fs::path& path, StateValues values) {
  bool finite = true;
  const auto use_piece = [&](FieldView piece) { finite = finite && is_finite(piece); };
  Checkpoint checkpoint =
      values == StateValues::kept ? read_checkpoint(path) : scan_checkpoint(path, use_piece);
  use_piece(as_view(checkpoint.values));
  try {
    LoadedConfig config = parse_config(checkpoint.header.config, "its config", ".", {});
    require_consistent(path, checkpoint, config.run, finite);
    return {path, std::move(checkpoint), std::move(config), {}, {}};
  } catch (const ConfigError& error) {
    throw CheckpointError("{}: its config is wrong: {}", path.string(), error.what());
  }
}

Restart read_restart(const fs::path& path, const CheckpointCheck& check, StateValues values) {
  Restart restart = read_consistent(path, values);
  if (check)
    check(restart);
  else
    try {
      add_listed_outputs(path, restart.checkpoint.header, {});
    } catch (const IoError& error) {
      throw CheckpointError("{}: {}", path.string(), error.what());
    }
  return restart;
}

}  // namespace

CheckpointCheck check_for(const RunFolder& folder, const Permissions& allowed) {
  return [problem = load_config(folder.config(), {}), fields = folder.fields(), allowed,
          own = folder.output_list(), changes = run_changes(folder)](Restart& restart) {
    const fs::path& path = restart.path;
    CheckpointHeader& header = restart.checkpoint.header;
    const std::string differs =
        restart_refusal(changes_between(restart.config, problem), "it",
                        was_changed_at(changes, header.step) ? all_permissions() : allowed);
    if (!differs.empty())
      throw CheckpointError("{}: is of another run than config.yaml: {}", path.string(), differs);
    try {
      add_listed_outputs(path, header, own);
    } catch (const IoError& error) {
      restart.damaged.push_back(fmt::format("{}; the outputs in {} are taken as they are",
                                            error.what(), fields.string()));
      add_due_outputs(header, restart.config.run, fields);
    }
    std::ranges::move(remove_damaged(fields, fs::last_write_time(path), header),
                      std::back_inserter(restart.damaged));
  };
}

Restart newest_valid_checkpoint(const fs::path& folder, const CheckpointCheck& check,
                                StateValues values) {
  std::vector<std::string> rejected;
  fs::path incomplete;
  for (const auto& path : list_checkpoints(folder)) {
    try {
      Restart restart = read_restart(path, check, values);
      const auto& missing = restart.checkpoint.header.missing_outputs;
      if (missing.empty()) {
        restart.rejected = rejected;
        return restart;
      }
      rejected.push_back(fmt::format(
          "{}: lacks the output of step {}{}; an earlier checkpoint makes it again", path.string(),
          fmt::join(missing, " and that of step "),
          restart.damaged.empty() ? "" : fmt::format(" ({})", fmt::join(restart.damaged, "; "))));
      if (incomplete.empty()) incomplete = path;
    } catch (const CheckpointError& error) {
      rejected.push_back(error.what());
    }
  }
  // A checkpoint with missing outputs is better than none; the end of the run names the outputs.
  if (!incomplete.empty()) {
    Restart restart = read_restart(incomplete, check, values);
    restart.rejected = rejected;
    return restart;
  }
  std::string message = fmt::format("{}: no checkpoint to go on from", folder.string());
  for (const std::string& reason : rejected) message += "\n  " + reason;
  throw CheckpointError(message);
}

Restart checkpoint_from(const fs::path& folder, const std::string& from,
                        const CheckpointCheck& check, StateValues values) {
  const bool is_step = !from.empty() && from.find_first_not_of("0123456789") == std::string::npos;
  if (is_step && from.size() > 15)
    throw ConfigError("--from {}: not a step that a run can have", from);
  return read_restart(is_step ? folder / checkpoint_file_name(std::stoll(from)) : fs::path(from),
                      check, values);
}

}  // namespace lapl
