#include "app/commands/execute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "app/commands/begin_restart.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/commands/run_summary.hpp"
#include "app/commands/step_notes.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "app/view/plot/plot_source.hpp"
#include "io/durable/durable_file.hpp"
#include "io/hdf5/start_hdf5.hpp"
#include "io/json.hpp"
#include "io/readers/initial_source.hpp"
#include "io/readers/quantities.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_backend.hpp"
#include "io/run/run_changes.hpp"
#include "io/run/run_needs.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/background.hpp"
#include "solver/condition_watch.hpp"
#include "solver/equation_digest.hpp"
#include "solver/initial_field.hpp"
#include "solver/precision_watch.hpp"
#include "solver/refused_state.hpp"
#include "solver/schedule.hpp"
#include "solver/step_words.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

Json summary_values(const Job& job, const Provenance& provenance) {
  const RunConfig& config = job.config.run;
  // An object from the start: nlohmann::json crashes if memory runs out where null becomes one.
  Json values = Json::object();
  for (const auto& [name, text] : provenance) values[name] = text;
  values["precision"] = enum_name(config.precision);
  values["shape"] = config.shape.extents();
  values["steps"] = config.steps;
  values["status"] = "running";
  return values;
}

// The initial fields that the first rank stores whole, and messages about the time step.
struct InitialFields {
  WholeFields whole;
  StepWords words;
};

// Runs a job. Its functions stand in the order in which run_job() calls them. Nothing is written
// before open_folder().
template <class T>
class Execution {
 public:
  Execution(const Job& job, Console& console)
      : job_(job),
        console_(console),
        model_(with_mask_checked(job.config)),
        first_step_(job.restart ? job.restart->checkpoint.header.step : 0),
        config_text_(resolved_yaml(job.config)) {}

  int run_job() {
    make_state();     // 1. memory, parameters, the equation's digest, the backend and its state
    open_folder();    // 2. the run folder, locked
    begin_records();  // 3. run.json, config.yaml, the log and the tables
    const RunResult result = run_steps();  // 4. steps, outputs and checkpoints
    return conclude(result);               // 5. how it ended
  }

 private:
  // The model, without its mask if the mask excludes no cell.
  Model with_mask_checked(const Model& given) {
    Model model = given;
    if (const std::string note = resolve_mask(model); !note.empty()) console_.note(note);
    return model;
  }

  void make_state() {
    // A GPU takes as long to start as the initial fields take to compute, so both happen at once,
    // if host memory suffices even for backend cpu, which needs the most.
    const bool at_once = config_.backend != "cpu" && has_cuda_driver() &&
                         memory_shortage(model_, "cpu", ranks_).empty();
    BackendChoice choice;
    if (!at_once) {
      choice = choose_backend(config_);
      if (const std::string shortage = memory_shortage(model_, choice.backend, ranks_);
          !shortage.empty())
        throw DeviceError(shortage);
    }
    const CoefficientFields coefficients = load_coefficients(config_, &record_notes_);
    WholeFields loaded;
    if (!job_.restart) loaded = load_initial_fields(config_, &record_notes_);
    for (const std::string& note : record_notes_) console_.note(note);
    const auto compute = [&] { return initial_fields(coefficients, std::move(loaded)); };
    std::future<InitialFields> initial =
        at_once ? in_background(compute) : std::async(std::launch::deferred, compute);
    if (at_once) {
      choice = choose_backend(config_);
      if (choice.backend == "cpu")
        initial.wait();  // only one thread at a time may start threads of OpenMP
    }
    digest_ = equation_digest(model_, coefficients);
    change_ = problem_change(job_, digest_);
    begin_at(choice, coefficients, initial);
    if (ranks_.is_first()) watch_.emplace(config_, model_.system, coefficients, backend_->rows());
    if (ranks_.count() == 1) condition_watch_.emplace(config_, model_.system, coefficients);
  }

  InitialFields initial_fields(const CoefficientFields& coefficients, WholeFields whole) const {
    if (job_.restart) return {};
    whole.merge(fractal_fields(config_));
    const StepWords words = words_on_step(model_, job_.config.step_note, coefficients, whole);
    return {std::move(whole), words};
  }

  // Makes the backend while the initial fields may still be computed, then sets its state.
  void begin_at(const BackendChoice& choice, const CoefficientFields& coefficients,
                std::future<InitialFields>& initial) {
    const bool changed = job_.after_change || !change_.empty();
    steps_.from = first_steps(job_, changed);
    share_run(ranks_, job_.config, config_.mask.has_value(), choice.backend, job_.restart,
              steps_.from, changed);
    backend_ = run_backend<T>(first_model(model_, steps_.from), choice, coefficients, ranks_,
                              [&](const std::string& text) { console_.note(text); });
    steps_.with_other_stages =
        other_stages(backend_, model_, steps_.from, choice, coefficients, ranks_);
    const auto made = Clock::now();
    auto [whole, words] = initial.get();
    if (job_.restart) {
      restore_state(*backend_, job_);
      if (changed)
        words = recheck_step(*backend_, model_, coefficients, first_step_, steps_.from);
      else if (job_.folder)
        words.warning = earlier_step_warning(*job_.folder);
    } else {
      set_initial_state(*backend_, config_, coefficients, whole);
      warn_of_empty_fractals();
      require_finite_start(*backend_, model_);
      if (!words.refusal.empty()) throw ConfigError("{}", words.refusal);
    }
    if (!words.note.empty()) console_.note(words.note);
    if (!words.warning.empty()) console_.warning(words.warning);
    step_warning_ = words.warning;
    phases_.initial_field = seconds_since(made);
  }

  void warn_of_empty_fractals() {
    for (const std::string& field : config_.fields)
      if (const InitialConfig& initial = field_initial(config_, field);
          initial.kind == InitialKind::fractal && crops_all(initial.fractal, config_.shape))
        console_.warning(
            fmt::format("field {} is 0 in every cell: initial.crop_radius leaves none of a grid "
                        "of {} cells (null crops nothing)",
                        field, shape_text(config_.shape)));
  }

  void open_folder() {
    if (!job_.folder) created_.emplace(RunFolder::create(config_.directory, job_.existing));
    if (job_.folder && !job_.restart) folder().start_anew();
    if (job_.goes_back)
      if (const auto aside = folder().set_aside_after(first_step_); !aside.empty()) {
        folder().log({{"event", "set aside"}, {"step", first_step_}, {"folder", path_text(aside)}});
        console_.note(
            fmt::format("what the run had stored of later steps is in {} now", aside.string()));
      }
    if (!job_.restart)
      if (const std::string shortage = disk_of_run(config_).shortage; !shortage.empty())
        console_.warning(shortage + ": what finds no room is named at the end");
    if (!folder().is_locked())
      console_.warning(fmt::format(
          "{}: its file system has no locks: a second run that writes there is not noticed",
          config_.directory));
  }

  void begin_records() {
    provenance_ = make_provenance(backend_->description());
    const Json before = job_.restart ? summary_if_any(folder().path()) : Json::object();
    for (const auto& [name, given] :
         {std::pair("initial_from", job_.origin), {"swept", swept_values}})
      if (const std::string text = before.value(name, given); !text.empty())
        provenance_.emplace_back(name, text);
    if (ranks_.count() > 1) provenance_.emplace_back("ranks", std::to_string(ranks_.count()));
    summary_.emplace(folder().summary(), summary_values(job_, provenance_),
                     [&](const std::string& text) { console_.warning(text); });
    if (!step_warning_.empty()) summary_->values["step_warning"] = step_warning_;
    summary_->save();
    // The log before config.yaml: without its entry, checkpoints from before the change would count
    // as those of another run.
    for (const auto& [event, changes] :
         {std::pair(changed_event, change_), {output_changed_event, job_.changes.of_outputs}})
      if (!changes.empty())
        folder().log({{"event", event}, {"step", first_step_}, {"changes", changes}});
    replace_file(folder().config(), config_text_);
    if (config_.initials.empty() && config_.initial.kind == InitialKind::fractal)
      provenance_.emplace_back("seed", std::to_string(config_.initial.fractal.seed));
    provenance_.emplace_back("config", config_text_);
    provenance_.emplace_back("parent_checkpoint",
                             job_.restart ? path_text(job_.restart->path) : "");
    if (job_.restart)
      if (const std::string changes = run_changes_text(run_changes(folder()), first_step_);
          !changes.empty()) {
        provenance_.emplace_back("changes", changes);
        summary_->values["changes"] = changes;
      }
    begin_table(diagnostics_table(folder(), config_), first_step_ + 1);
    if (config_.probes) {
      const bool records_first = Schedule(config_).is_probe(first_step_) ||
                                 (config_.scheme.varies && job_.restart &&
                                  is_multiple(config_, config_.probes->time,
                                              header_time(job_.restart->checkpoint.header)));
      begin_table(probes_table(folder(), config_), first_step_ + (records_first ? 0 : 1),
                  job_.moved_probes);
    }
    console_.begin(folder().path(), !is_drawn_as_picture(config_));
    folder().log({{"event", job_.restart ? "resumed" : "started"},
                  {"step", first_step_},
                  {"host", host_name()},
                  {"ranks", std::to_string(ranks_.count())},
                  {"command_line", summary_->values["command_line"]}});
    for (const std::string& note : record_notes_)
      folder().log({{"event", "record read"}, {"step", first_step_}, {"note", note}});
  }

  void begin_table(const RunTable& table, std::int64_t step,
                   const std::vector<std::string>& moved = {}) {
    if (const auto aside = table.begin(step, moved); !aside.empty())
      console_.note(fmt::format("{}: other columns from step {} on; the earlier table is {}",
                                table.path().string(), first_step_, aside.string()));
  }

  RunResult run_steps() {
    writer_.emplace(folder(), model_, config_text_, provenance_,
                    job_.restart ? job_.restart->checkpoint.header : CheckpointHeader{},
                    typename RunWriter<T>::Callbacks{
                        .stored = [&](const StoredEvent& event) { stored(event); },
                        .progress =
                            [&](const Progress& progress) {
                              console_.progress(progress);
                              note_setback(progress.step);
                              summary_->progress(progress);
                            },
                        .warning = [&](const std::string& text) { console_.warning(text); }},
                    digest_);
    phases_.start = seconds_since(process_began) - phases_.initial_field;
    try {
      set_estimates(steps_, model_, folder(), console_);
      const RunResult result =
          run(*backend_, model_, first_step_, *writer_, stop_signal, steps_, checkpoint_was_asked);
      end_shared_run();
      if (const std::string missing = writer_->missing(); !missing.empty())
        throw IoError("{}: missing, because not stored or damaged since: {}; {}", config_.directory,
                      missing, words_for_missing(config_, writer_->can_make_missing()));
      return result;
    } catch (const NotFiniteError& error) {
      const std::string what = error.what() + step_hint(model_, folder());
      save_failure(what);
      throw NotFiniteError(what);
    } catch (const std::exception& error) {
      save_failure(error.what());
      throw;
    }
  }

  void stored(const StoredEvent& event) {
    console_.stored(event);
    if (event.output.empty()) return;
    for (const std::string& warning : check_precision(*watch_, event))
      console_.warning(fmt::format("step {}: {}", event.step, warning));
    warn_of_conditions(event);
  }

  void warn_of_conditions(const StoredEvent& event) {
    if (!condition_watch_ || !condition_watch_->is_needed()) return;
    std::vector<double> state;
    for (const auto& field : event.fields)
      std::visit([&](auto values) { state.insert(state.end(), values.begin(), values.end()); },
                 field.values);
    const std::string what = condition_watch_->check(state, event.time);
    if (what.empty()) return;
    condition_watch_.reset();
    console_.warning(fmt::format("step {}: {}", event.step, what));
    folder().log({{"event", "warning"}, {"step", event.step}, {"what", what}});
    if (step_warning_.empty()) summary_->values["step_warning"] = step_warning_ = what;
  }

  // Warns once: a compiler beside the run may fail at any time.
  void note_setback(std::int64_t step) {
    const std::string setback = backend_->description().setback;
    if (setback.empty() || summary_->values.contains("setback")) return;
    console_.warning(setback);
    summary_->values["setback"] = setback;
    folder().log({{"event", "setback"}, {"step", step}, {"reason", setback}});
  }

  void save_failure(const std::string& what) {
    summary_->values["status"] = "failed";
    summary_->values["error"] = what;
    try {
      folder().log({{"event", "failed"}, {"error", what}});
      summary_->save();
    } catch (const IoError& unwritten) {  // must not hide `what`
      console_.warning(unwritten.what());
    }
  }

  int conclude(const RunResult& result) {
    const double cells =
        static_cast<double>(config_.shape.cells()) * static_cast<double>(result.step - first_step_);
    const bool complete = result.complete;
    note_setback(result.step);
    Json& summary = summary_->values;
    summary["status"] = complete ? "complete" : "stopped";
    summary["stopped_by"] = result.stopped_by;
    summary["step"] = result.step;
    if (complete && config_.ends_by_time()) summary["steps"] = result.step;  // until now a guess
    summary["digest"] = digest_text(writer_->last_digest());
    summary["stepping_seconds"] = result.stepping_seconds;
    summary["seconds"] = result.seconds;
    summary["cells_per_second"] = cells > 0 ? cells / result.stepping_seconds : 0;
    summary["resume"] = resume_words(config_, complete, result.stopped_by);
    summary["finished"] = utc_now();
    phases_.stepping = result.stepping_seconds;
    phases_.estimating = result.estimating_seconds;
    phases_.storing =
        std::max(result.seconds - result.stepping_seconds - result.estimating_seconds, 0.0);
    phases_.end = seconds_since(process_began) - phases_.sum();
    summary["phases"] = phases_json(phases_);
    summary_->save();
    folder().log(
        {{"event", summary["status"]}, {"step", result.step}, {"phases", phases_json(phases_)}});
    console_.summary(summary_text(config_, result, backend_->description(), cells,
                                  writer_->last_digest(), phases_),
                     summary);
    if (!step_warning_.empty())
      console_.warning(step_warning_ + "; the values of this run may be wrong");
    return complete ? exit_complete : exit_stopped_early;
  }

  const RunFolder& folder() const { return job_.folder ? *job_.folder : *created_; }

  const Job& job_;
  Console& console_;
  RecordNotes record_notes_;
  const Model model_;
  const RunConfig& config_ = model_.run;
  const std::int64_t first_step_;
  VaryingSteps<T> steps_;
  const std::string config_text_;
  Ranks& ranks_ = run_ranks();
  std::uint64_t digest_ = 0;  // equation_digest of the run
  std::string change_;        // of what is computed, from first_step_ on; else empty
  std::shared_ptr<Backend<T>> backend_;
  std::optional<PrecisionWatch> watch_;
  std::optional<ConditionWatch> condition_watch_;
  std::string step_warning_;  // printed at the start
  std::optional<RunFolder> created_;
  Provenance provenance_;
  std::optional<RunSummary> summary_;
  Phases phases_;
  std::optional<RunWriter<T>> writer_;
};

}  // namespace

int execute(const Job& job, Console& console) {
  if (!job.restart && job.config.run.since)
    throw ConfigError(
        "time.since: given for a new run (expected null; its time begins at time.start)");
  start_hdf5();
  if (has_nothing_to_do(job)) {
    const Json summary = summary_if_any(job.folder->path());
    console.summary(
        fmt::format("complete already: step {}, digest {}; nothing was written\ngo on:    {}\n",
                    job.restart->checkpoint.header.step,
                    digest_text(job.restart->checkpoint.header.state_digest),
                    summary.value("resume", "")),
        summary);
    return exit_complete;
  }
  return with_precision(job.config.run.precision,
                        [&]<class T>() { return Execution<T>(job, console).run_job(); });
}

}  // namespace lapl
