#include "app/commands/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/run_ranks.hpp"
#include "io/durable/durable_file.hpp"
#include "io/json.hpp"
#include "io/readers/quantities.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/background.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

using namespace std::chrono_literals;

constexpr auto between_saves = 2s;

}  // namespace

nlohmann::ordered_json phases_json(const Phases& phases) {
  return {{"start", phases.start},       {"initial_field", phases.initial_field},
          {"stepping", phases.stepping}, {"estimating", phases.estimating},
          {"storing", phases.storing},   {"end", phases.end}};
}

std::string resume_words(const RunConfig& config, bool complete, const std::string& stopped_by) {
  std::string command = fmt::format("{} resume {}", program_name(), shell_quoted(config.directory));
  if (const int ranks = run_ranks().count(); ranks > 1)
    command += fmt::format(" --ranks {}", ranks);
  if (complete && !stopped_by.empty())  // else it would stop at once again
    command += fmt::format(" --set {}=null",
                           stopped_by == stopped_by_steady ? "limits.steady" : stopped_by);
  else if (complete && config.ends_by_time())
    command += fmt::format(" --set time.end={}", *config.end + run_seconds(config));
  else if (complete)
    command += fmt::format(" --set time.steps={}", 2 * std::max<std::int64_t>(config.steps, 1));
  return command;
}

std::string words_for_missing(const RunConfig& config, bool can_resume) {
  if (can_resume)
    return fmt::format("once there is room, {} makes up for it", resume_words(config, false));
  if (config.since) return "no checkpoint from before is left";  // config.yaml starts in between
  return fmt::format(
      "no checkpoint from before is left, but {} run {}/config.yaml --output {} --overwrite makes "
      "the whole run again",
      program_name(), shell_quoted(config.directory), shell_quoted(config.directory));
}

std::string summary_text(const RunConfig& config, const RunResult& result,
                         const BackendDescription& by, double cells, std::uint64_t digest,
                         const Phases& phases) {
  const bool complete = result.complete;
  std::string text =
      complete ? fmt::format("complete: step {}{}", result.step,
                             result.stopped_by.empty()                ? ""
                             : result.stopped_by == stopped_by_steady ? ", steady (limits.steady)"
                                                                      : ", where limits.stop holds")
               : fmt::format("stopped by {} at step {}{}, with a checkpoint", result.stopped_by,
                             result.step,
                             config.ends_by_time() ? "" : fmt::format(" of {}", config.steps));
  text += fmt::format(", {} cells, {}, digest {}\n", shape_text(config.shape),
                      enum_name(config.precision), digest_text(digest));
  text += fmt::format(
      "engine:   {} on {}{}\n", by.engine, by.device,
      by.threads > 0 ? fmt::format(", {} thread{}", by.threads, by.threads == 1 ? "" : "s") : "");
  if (cells > 0)
    text += fmt::format("speed:    {} stepping ({:.4g} s), {} with output ({:.4g} s)\n",
                        cell_rate(cells / result.stepping_seconds), result.stepping_seconds,
                        cell_rate(cells / result.seconds), result.seconds);
  text += fmt::format(
      "time:     {:.3f} s: start {:.3f}, initial field {:.3f}, stepping {:.3f}, {}storing {:.3f}, "
      "end {:.3f}\n",
      phases.sum(), phases.start, phases.initial_field, phases.stepping,
      phases.estimating > 0
          ? fmt::format("estimates of the stable step {:.3f}, ", phases.estimating)
          : "",
      phases.storing, phases.end);
  if (config.scheme.kind != Scheme::steady || !complete)
    text += fmt::format("{} {}\n", complete ? "go on:   " : "resume:  ",
                        resume_words(config, complete, result.stopped_by));
  return text;
}

RunSummary::RunSummary(std::filesystem::path path, nlohmann::ordered_json first_values,
                       std::function<void(const std::string&)> warn)
    : values(std::move(first_values)), path_(std::move(path)), warn_(std::move(warn)) {}

void RunSummary::save() {
  finish_saving();
  replace_file(path_, json_text(values, 2) + "\n");
}

void RunSummary::progress(const Progress& progress) {
  if (Clock::now() - last_saved_ < between_saves) return;
  if (saving_.valid() && saving_.wait_for(0s) != std::future_status::ready) return;
  finish_saving();
  last_saved_ = Clock::now();
  nlohmann::ordered_json now = values;
  now["step"] = progress.step;
  now["steps"] = progress.last_step;
  now["cells_per_second"] = progress.cells_per_second;
  now["seconds_left"] = progress.seconds_left;
  saving_ =
      in_background([path = path_, text = json_text(now, 2) + "\n"] { replace_file(path, text); });
}

void RunSummary::finish_saving() try {
  if (saving_.valid()) saving_.get();
} catch (const IoError& error) {
  if (!std::exchange(warned_, true))
    warn_(std::string("progress could not be saved (the run goes on): ") + error.what());
}

}  // namespace lapl
