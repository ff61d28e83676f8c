// lapl verify-restart CONFIG: compares a run with the same run in several parts, bit by bit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/view/print_text.hpp"
#include "io/run/run_needs.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct VerifyRestartOptions {
  std::string config;
  std::string output;
  ConfigWords words;
  int splits = 3;
  bool keep = false;
  int ranks = 0;
};

// `splits` random step numbers between the first and the last step, equal in each call. Engine
// spectral is split only where it stores or checks something, because its bits depend on where it
// stops.
std::set<std::int64_t> split_steps(const RunConfig& config, std::int64_t steps, int splits) {
  if (splits >= steps)
    throw ConfigError("--splits: {} found, the run has {} steps (expected at least one step more)",
                      splits, steps);
  std::mt19937_64 random(1);
  std::set<std::int64_t> chosen;
  const Schedule schedule(config);
  for (int tries = 0; static_cast<int>(chosen.size()) < splits; ++tries) {
    auto step = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steps - 1));
    if (is_spectral(config)) step = schedule.next_after(step - 1);
    if (step < steps) chosen.insert(step);
    if (tries == 1000 * splits)
      throw ConfigError(
          "--splits: {} found, and engine spectral can be split at {} steps, where it stores or "
          "looks at something",
          splits, chosen.size());
  }
  return chosen;
}

// Runs in `folder` to each of the steps `splits` and then to the end, each time from the previous
// checkpoint. Returns the last checkpoint, or none if a signal stopped a run.
std::optional<Checkpoint> run_in_parts(const std::string& config_text,
                                       const VerifyRestartOptions& options, const fs::path& folder,
                                       const std::set<std::int64_t>& splits) {
  Console console({.quiet = true, .json = false});
  LoadedConfig config =
      parse_config(config_text, options.config, ".",
                   {text_setting("output.directory", folder.string()), "limits.wall_time=null"});
  std::vector<std::optional<std::int64_t>> ends(splits.begin(), splits.end());
  ends.emplace_back();
  std::optional<Restart> last;
  for (const std::optional<std::int64_t>& end : ends) {
    config.run.stops_at = end;
    const auto going_on = [&] {
      return resume_job(config, RunFolder::open(folder), std::move(*last), console);
    };
    const int code = execute(last ? going_on() : Job{.config = config}, console);
    last = newest_valid_checkpoint(folder / "checkpoints", {},
                                   end ? values_to_keep() : StateValues::kept);
    if (code != exit_complete && last->checkpoint.header.step != end) return std::nullopt;
  }
  return std::move(last->checkpoint);
}

// The first cell in which two states differ.
template <class T>
std::string first_difference(const std::vector<T>& whole, const std::vector<T>& split,
                             const CheckpointHeader& header) {
  const auto same_bits = [](T a, T b) { return as_bits(a) == as_bits(b); };
  const auto [a, b] = std::ranges::mismatch(whole, split, same_bits);
  const std::int64_t cells = header.shape.cells(), index = a - whole.begin();
  const std::string field = header.fields.size() == 1 ? "" : header.fields[index / cells] + ", ";
  return fmt::format("{}{}: {} uninterrupted, {} restarted", field,
                     place_text(cell_at(header.shape, index % cells), header.shape.axes), *a, *b);
}

// The differences of the last states and of all outputs before; empty if there are none.
std::string difference(const Checkpoint& whole, const Checkpoint& split) {
  std::string text;
  if (whole.header.step != split.header.step)
    text = fmt::format("\n  {} steps uninterrupted, {} restarted", whole.header.step,
                       split.header.step);
  if (whole.header.state_digest != split.header.state_digest)
    text += fmt::format("\n  step {}, {}", whole.header.step,
                        std::visit(
                            [&](const auto& a) {
                              const auto& b = std::get<std::decay_t<decltype(a)>>(split.values);
                              return first_difference(a, b, whole.header);
                            },
                            whole.values));
  const std::map<std::string, std::uint64_t> others(split.header.outputs.begin(),
                                                    split.header.outputs.end());
  for (const auto& [name, digest] : whole.header.outputs)
    if (const auto other = others.find(name); other != others.end() && digest != other->second)
      return text + fmt::format("\n  from {} on: digest {} uninterrupted, {} restarted", name,
                                digest_text(digest), digest_text(other->second));
  return text;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw IoError("--output {}: cannot make the folder: {}", folder.string(), error.message());
}

int verify_restart_command(const VerifyRestartOptions& options) {
  if (const std::optional<int> code = done_on_ranks(options.ranks)) return *code;
  const LoadedConfig config = load_config(options.config, options.words.all());
  if (!config.run.ends_by_time()) split_steps(config.run, config.run.steps, options.splits);
  if (!options.output.empty()) make_folder(options.output);
  const TemporaryFolder folder(
      options.output.empty() ? nearest_folder(config.run.directory) : fs::path(options.output),
      "verify-restart", options.keep);
  if (options.keep) print_text(stderr, "lapl: both runs are kept in {}\n", folder.path().string());

  const std::string text = resolved_yaml(config);
  const auto whole = run_in_parts(text, options, folder.path() / "whole", {});
  std::set<std::int64_t> splits;
  if (whole) splits = split_steps(config.run, whole->header.step, options.splits);
  const auto split = whole ? run_in_parts(text, options, folder.path() / "split", splits) : whole;
  if (!split) {
    const std::string signal = stop_signal();
    print_text("stopped by {}: nothing was verified\n",
               signal.empty() ? "a signal to another rank" : signal);
    return exit_stopped_early;
  }
  const char* plural = splits.size() == 1 ? "" : "s";
  const std::string splits_text = fmt::format("{} split{} at step{} {}", splits.size(), plural,
                                              plural, fmt::join(splits, ", "));
  const std::string differs = difference(*whole, *split);
  if (!differs.empty()) {
    print_text("restart is not bit-identical: {}{}\n", splits_text, differs);
    return exit_different;
  }
  print_text("restart is bit-identical: {}, digest {}\n", splits_text,
             digest_text(whole->header.state_digest));
  return exit_complete;
}

}  // namespace

void add_verify_restart_command(CommandLine& line) {
  Command command = line.add("verify-restart",
                             "Compare a run to the same run restarted at random steps, bit by bit");
  VerifyRestartOptions& options = command.calls(verify_restart_command);
  command.positional("CONFIG", &options.config, "YAML run config; - is standard input",
                     {.required = true});
  add_set_option(command, options.words.settings);
  command.option("--splits N", &options.splits, "Number of restarts (3)", {.between = {{1, 1000}}});
  add_backend_option(command, options.words.backend);
  command.option(
      "--output DIR", &options.output,
      "Folder for the temporary files, made if need be (else where the run folder would be made)");
  add_ranks_option(command, options.ranks);
  command.flag("--keep", &options.keep, "Keep both run folders");
  command.footer(R"(Examples:
  lapl verify-restart configs/tutorial-small.yaml
  lapl verify-restart configs/tutorial-small.yaml --splits 10 --backend cpu

Exit code 0 where all bits are equal, 7 where any differs.)");
}

}  // namespace lapl
