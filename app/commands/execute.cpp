#include "app/commands/execute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/commands/run_summary.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "io/durable/durable_file.hpp"
#include "io/equation_changes.hpp"
#include "io/initial_source.hpp"
#include "io/provenance.hpp"
#include "io/quantities.hpp"
#include "io/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/background.hpp"
#include "solver/equation_digest.hpp"
#include "solver/initial_field.hpp"
#include "solver/precision_watch.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void restore_state(Backend<T>& backend, const Job& job) {
  const CheckpointHeader& header = job.restart->checkpoint.header;
  if (backend.ranks().count() > 1)
    return restore_rows(backend, {job.restart->path, header.step, header.state_digest},
                        job.config.run);
  const auto* values = std::get_if<std::vector<T>>(&job.restart->checkpoint.values);
  if (values == nullptr)
    throw CheckpointError("{}: holds another precision than compute.precision says",
                          job.restart->path.string());
  backend.set_state(*values, header.step);
}

// What is another from here on; empty where nothing is. Throws ConfigError where that may not be.
std::string equation_change(const Job& job, std::uint64_t digest) {
  if (!job.restart || !job.equation_change.empty()) return job.equation_change;
  const std::optional<std::uint64_t> before = job.restart->checkpoint.header.equation_digest;
  if (!before || *before == digest) return {};
  if (!job.change_equation)
    throw ConfigError(
        "{}: the digest of its equation's canonical form is {}, that of the same config {} now: "
        "this version discretises it otherwise, or a file of its parameters has changed (a restart "
        "may not change it; lapl resume --change-equation does)",
        job.restart->path.string(), digest_text(*before), digest_text(digest));
  return fmt::format("canonical form: {} before, {} from then on", digest_text(*before),
                     digest_text(digest));
}

Json summary_values(const Job& job, const Provenance& provenance) {
  const RunConfig& config = job.config.run;
  // An object from the start: one that null grows into is a crash where memory runs out.
  Json values = Json::object();
  for (const auto& [name, text] : provenance) values[name] = text;
  values["precision"] = name_of(config.precision);
  values["shape"] = config.shape.extents();
  values["steps"] = config.steps;
  values["status"] = "running";
  return values;
}

// The command that goes on with this run: to its end, or beyond it where it is complete.
std::string resume_words(const RunConfig& config, bool complete, bool steady = false) {
  std::string command = fmt::format("{} resume {}", program_name(), shell_quoted(config.directory));
  if (steady)  // or it would find that once more
    command += " --set limits.steady=null";
  else if (complete)
    command += fmt::format(" --set time.steps={}", 2 * std::max<std::int64_t>(config.steps, 1));
  return command;
}

// What makes the missing outputs: a restart where a checkpoint is left from before them.
std::string words_for_missing(const RunConfig& config, bool can_resume) {
  if (can_resume)
    return fmt::format("once there is room, {} makes up for it", resume_words(config, false));
  return fmt::format(
      "no checkpoint from before is left, but {} run {}/config.yaml --output {} --overwrite makes "
      "the whole run again",
      program_name(), shell_quoted(config.directory), shell_quoted(config.directory));
}

bool begins_as_picture(const RunConfig& config) {
  return std::ranges::any_of(config.fields, [&](const std::string& field) {
    return initial_of(config, field).kind == InitialKind::image;
  });
}

std::string summary_text(const RunConfig& config, const RunResult& result,
                         const BackendDescription& by, double cells, std::uint64_t digest) {
  const bool complete = result.complete;
  const bool steady = complete && !result.stopped_by.empty();
  std::string text = complete ? fmt::format("complete: step {}{}", result.step,
                                            steady ? ", steady (limits.steady)" : "")
                              : fmt::format("stopped by {} at step {} of {}, with a checkpoint",
                                            result.stopped_by, result.step, config.steps);
  text += fmt::format(", {} cells, {}, digest {}\n", text_of(config.shape),
                      name_of(config.precision), digest_text(digest));
  text += fmt::format(
      "engine:   {} on {}{}\n", by.engine, by.device,
      by.threads > 0 ? fmt::format(", {} thread{}", by.threads, by.threads == 1 ? "" : "s") : "");
  if (cells > 0)
    text += fmt::format("speed:    {} stepping ({:.4g} s), {} with output ({:.4g} s)\n",
                        cell_rate(cells / result.stepping_seconds), result.stepping_seconds,
                        cell_rate(cells / result.seconds), result.seconds);
  text += fmt::format("{} {}\n",
                      complete ? "go on:   " : "resume:  ", resume_words(config, complete, steady));
  return text;
}

// What time.step: auto or time.stages: auto has come to, or what is wrong with the step that is
// given.
void say_stable_step(const Job& job, const CoefficientFields& coefficients,
                     const WholeFields& whole, Console& console) {
  if (!job.config.step_note.empty()) return console.note(job.config.step_note);
  const RunConfig& config = job.config.run;
  const StableStep stable = stable_step_of(config, [&] {
    return StateFields{coefficients, whole};
  });
  if (const std::string warning = step_warning(config, stable); !warning.empty())
    console.warning(warning);
}

std::vector<std::string> look(PrecisionWatch& watch, const StoredEvent& event) {
  std::vector<Statistics> statistics;
  std::vector<std::span<const float>> values;
  for (const StoredEvent::Field& field : event.fields) {
    statistics.push_back(field.statistics);
    if (const auto* const held = std::get_if<std::span<const float>>(&field.values))
      values.push_back(*held);
  }
  return watch.look(event.step, statistics, values);
}

// Says what is known of the time step where a state has become infinite: the longest stable one at
// the last checkpoint, of which all values are finite.
std::string step_hint(const RunConfig& config, const RunFolder& folder) try {
  if (is_spectral(config) || run_ranks().count() > 1) return {};
  const Checkpoint last = newest_valid_checkpoint(folder.checkpoints()).checkpoint;
  RunConfig there = config;
  WholeFields whole;
  std::visit(
      [&](const auto& values) {
        auto next = values.begin();
        for (const std::string& field : config.fields) {
          there.initials[field].kind = InitialKind::hdf5;
          const auto first = std::exchange(next, next + config.shape.cells());
          whole[field].assign(first, next);
        }
      },
      last.values);
  const StableStep stable = stable_step_of(there, [&] {
    return StateFields{load_coefficients(config), whole};
  });
  return fmt::format("\ntime.step is {:.7g} s; the largest stable step: {}", time_step_of(config),
                     text_of(stable, fmt::format("at step {}", last.header.step)));
} catch (const CheckpointError&) {  // there is nothing to say
  return {};
}

template <class T>
int execute_as(const Job& job, Console& console) {
  const Model model(job.config.run);
  const RunConfig& config = model.run;
  const std::int64_t first_step = job.restart ? job.restart->checkpoint.header.step : 0;
  const BackendChoice choice = choose_backend(config);
  Ranks& ranks = run_ranks();
  require_host_memory(model, choice.backend, ranks);
  CoefficientFields coefficients = load_coefficients(config);
  const std::uint64_t digest = equation_digest(model, coefficients);
  const std::string change = equation_change(job, digest);
  WholeFields whole = job.restart ? WholeFields() : load_initial_fields(config);
  share_run(ranks, job.config, choice.backend, job.restart);
  // A GPU takes as long to start.
  auto fractals =
      in_background([&] { return job.restart ? WholeFields() : fractal_fields(config); });
  const auto backend = run_backend<T>(
      model, choice, coefficients, [&](const std::string& text) { console.note(text); }, ranks);
  const BackendDescription by = backend->description();
  whole.merge(fractals.get());
  if (job.restart) {
    restore_state(*backend, job);
  } else {
    set_initial_state(*backend, config, coefficients, whole);
    for (const std::string& field : config.fields)
      if (const InitialConfig& initial = initial_of(config, field);
          initial.kind == InitialKind::fractal && crops_all(initial.fractal, config.shape))
        console.warning(
            fmt::format("field {} is 0 in every cell: initial.crop_radius leaves none of a grid "
                        "of {} cells (null crops nothing)",
                        field, text_of(config.shape)));
    require_finite_start(*backend, model);
    say_stable_step(job, coefficients, whole, console);
  }
  PrecisionWatch watch(config, coefficients, ranks.count() == 1);
  coefficients.clear();  // the backend has them
  whole.clear();

  const std::string config_text = resolved_yaml(job.config);
  Provenance provenance = provenance_of(by);
  if (ranks.count() > 1) provenance.emplace_back("ranks", std::to_string(ranks.count()));
  std::optional<RunFolder> created;
  const RunFolder& folder =
      job.folder ? *job.folder : created.emplace(RunFolder::create(config.directory, job.existing));
  if (job.folder && !job.restart) folder.start_anew();
  if (job.goes_back)
    if (const auto aside = folder.set_aside_after(first_step); !aside.empty()) {
      folder.log({{"event", "set aside"}, {"step", first_step}, {"folder", path_text(aside)}});
      console.note(
          fmt::format("what the run had stored of later steps is in {} now", aside.string()));
    }
  if (!job.restart)
    if (const std::string shortage = disk_shortage(config, disk_of_run(config)); !shortage.empty())
      console.warning(shortage + ": what finds no room is named at the end");
  if (!folder.is_locked())
    console.warning(fmt::format(
        "{}: its file system has no locks: a second run that writes there is not noticed",
        config.directory));
  RunSummary saved_summary(folder.summary(), summary_values(job, provenance),
                           [&](const std::string& text) { console.warning(text); });
  Json& summary = saved_summary.values;
  saved_summary.save();
  // The log first: it makes checkpoints from before the change ones of this run.
  if (!change.empty())
    folder.log({{"event", equation_changed_event}, {"step", first_step}, {"changes", change}});
  replace_file(folder.config(), config_text);
  if (config.initials.empty() && config.initial.kind == InitialKind::fractal)
    provenance.emplace_back("seed", std::to_string(config.initial.fractal.seed));
  provenance.emplace_back("config", config_text);
  provenance.emplace_back("parent_checkpoint", job.restart ? path_text(job.restart->path) : "");
  if (job.restart)
    if (const std::string changes = text_of(equation_changes(folder), first_step); !changes.empty())
      provenance.emplace_back("equation_changes", changes);
  const auto begin = [&](const RunTable& table, std::int64_t step,
                         const std::vector<std::string>& moved = {}) {
    if (const auto aside = table.begin(step, moved); !aside.empty())
      console.note(fmt::format("{}: other columns from step {} on; the earlier table is {}",
                               table.path().string(), first_step, aside.string()));
  };
  begin(diagnostics_table(folder, config), first_step + 1);
  if (config.probes)
    begin(probes_table(folder, config),
          first_step + (Schedule(config).is_probe(first_step) ? 0 : 1), job.moved_probes);
  console.begin(folder.path(), !begins_as_picture(config));
  folder.log({{"event", job.restart ? "resumed" : "started"},
              {"step", first_step},
              {"command_line", summary["command_line"]}});

  // A compiler that works beside the run may fail at any time.
  const auto say_setback = [&](std::int64_t step) {
    const std::string setback = backend->description().setback;
    if (setback.empty() || summary.contains("setback")) return;
    console.warning(setback);
    summary["setback"] = setback;
    folder.log({{"event", "setback"}, {"step", step}, {"reason", setback}});
  };
  RunWriter<T> writer(folder, model, config_text, provenance,
                      job.restart ? job.restart->checkpoint.header : CheckpointHeader{},
                      {.stored =
                           [&](const StoredEvent& event) {
                             console.stored(event);
                             if (event.output.empty()) return;
                             for (const std::string& warning : look(watch, event))
                               console.warning(fmt::format("step {}: {}", event.step, warning));
                           },
                       .progress =
                           [&](const Progress& progress) {
                             console.progress(progress);
                             say_setback(progress.step);
                             saved_summary.progress(progress);
                           },
                       .warning = [&](const std::string& text) { console.warning(text); }},
                      digest);
  RunResult result;
  try {
    result = run(*backend, model, first_step, writer, stop_signal);
    end_shared_run();
    if (const std::string missing = writer.missing(); !missing.empty())
      throw IoError("{}: missing, because not stored or damaged since: {}; {}", config.directory,
                    missing, words_for_missing(config, writer.can_make_missing()));
  } catch (const std::exception& error) {
    const bool infinite = dynamic_cast<const NotFiniteError*>(&error) != nullptr;
    const std::string what = error.what() + (infinite ? step_hint(config, folder) : "");
    summary["status"] = "failed";
    summary["error"] = what;
    try {
      folder.log({{"event", "failed"}, {"error", what}});
      saved_summary.save();
    } catch (const IoError& unsaid) {  // must not hide the first one
      console.warning(unsaid.what());
    }
    if (infinite) throw NotFiniteError(what);
    throw;
  }

  const double cells =
      static_cast<double>(config.shape.cells()) * static_cast<double>(result.step - first_step);
  const bool complete = result.complete;
  say_setback(result.step);
  summary["status"] = complete ? "complete" : "stopped";
  summary["stopped_by"] = result.stopped_by;
  summary["step"] = result.step;
  summary["digest"] = digest_text(writer.last_digest());
  summary["stepping_seconds"] = result.stepping_seconds;
  summary["seconds"] = result.seconds;
  summary["cells_per_second"] = cells > 0 ? cells / result.stepping_seconds : 0;
  summary["resume"] = resume_words(config, complete, complete && !result.stopped_by.empty());
  summary["finished"] = utc_now();
  saved_summary.save();
  folder.log({{"event", summary["status"]}, {"step", result.step}});
  console.summary(summary_text(config, result, by, cells, writer.last_digest()), summary);
  return complete ? exit_complete : exit_stopped_early;
}

}  // namespace

int execute(const Job& job, Console& console) {
  return with_precision(job.config.run.precision,
                        [&]<class T>() { return execute_as<T>(job, console); });
}

}  // namespace lapl
