#include "io/run/run_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/error.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/equation.hpp"
#include "solver/outputs.hpp"

namespace lapl {

std::string digest_text(std::uint64_t digest) { return fmt::format("{:#018x}", digest); }

namespace {

// Tells the other ranks, which call heard(), whether the first rank proceeds to a collective
// operation. If it is destroyed before say(), they learn that it does not.
class GoAhead {
 public:
  explicit GoAhead(Ranks& ranks) : ranks_(ranks) {}
  GoAhead(const GoAhead&) = delete;
  GoAhead& operator=(const GoAhead&) = delete;
  ~GoAhead() {
    if (!said_) of_first(ranks_, false);
  }

  void say() {
    said_ = true;
    of_first(ranks_, true);
  }
  static bool heard(Ranks& ranks) { return of_first(ranks, false); }

 private:
  Ranks& ranks_;
  bool said_ = false;
};

OutputDigests header_outputs(const CheckpointHeader& header) {
  OutputDigests outputs;
  for (const auto& [name, digest] : header.outputs) outputs[step_of_file_name(name)] = digest;
  return outputs;
}

}  // namespace

template <class T>
RunWriter<T>::RunWriter(const RunFolder& folder, const Model& model, std::string config_text,
                        Provenance provenance, const CheckpointHeader& from, Callbacks callbacks,
                        std::optional<std::uint64_t> equation_digest)
    : folder_(folder),
      model_(model),
      config_(model.run),
      config_text_(std::move(config_text)),
      provenance_(std::move(provenance)),
      equation_digest_(equation_digest),
      first_step_(from.step),
      diagnostics_(diagnostics_table(folder, model.run)),
      probes_(probes_table(folder, model.run)),
      output_list_(folder.output_list(), header_outputs(from), from.output_list),
      index_(folder.index(), folder.fields()),
      missing_index_(from.step > 0),
      missing_outputs_(from.missing_outputs),
      callbacks_(std::move(callbacks)) {
  for (const auto& [name, digest] : from.outputs) watch_output(step_of_file_name(name), digest);
}

template <class T>
void RunWriter<T>::progress(const Progress& progress) {
  callbacks_.progress(progress);
}

template <class T>
void RunWriter<T>::probed(std::int64_t step, double time, std::span<const T> values) {
  constexpr std::size_t worth_a_write = 1 << 16, most = std::size_t{1} << 28;
  std::string line = fmt::format("{},{}", step, time);
  for (const T value : values) line += fmt::format(",{}", value);
  std::unique_lock lock(probing_);
  probe_lines_ += line + '\n';
  if (probe_lines_.size() > most)
    throw IoError("{}: its lines find no room, and 256 MiB of them wait", probes_.path().string());
  const bool waits = warned_of_probes_ || probe_lines_.size() < worth_a_write;
  if (waits && seconds_since(probes_written_) < 1) return;
  lock.unlock();
  try_to_write_probes();
}

template <class T>
void RunWriter<T>::write_probes() {
  const std::lock_guard lock(probing_);
  if (probe_lines_.empty()) return;
  probes_written_ = Clock::now();
  probes_.add(probe_lines_);
  probe_lines_.clear();
  warned_of_probes_ = false;
}

// Probe lines that cannot be written wait for the next ones; no checkpoint is stored before.
template <class T>
void RunWriter<T>::try_to_write_probes() try {
  write_probes();
} catch (const IoError& error) {
  const std::lock_guard lock(probing_);
  if (!std::exchange(warned_of_probes_, true))
    callbacks_.warning(fmt::format("{} (the run goes on and tries again)", error.what()));
}

template <class T>
void RunWriter<T>::store(const Storing& storing, const Captured<T>& captured) {
  const std::int64_t step = storing.step;
  StoredEvent event{.step = step,
                    .time = storing.time,
                    .time_step = storing.time_step,
                    .fields = {},
                    .digest = captured.digest,
                    .output = "",
                    .checkpoint = "",
                    .shape = config_.shape,
                    .time_unit = config_.units.time};
  const Diagnostics diagnostics = compute_diagnostics(captured, config_);
  require_finite(diagnostics, config_, step);
  for (std::size_t field = 0; field < config_.fields.size(); ++field)
    event.fields.push_back({config_.fields[field], diagnostics.fields[field],
                            captured.field(static_cast<std::int64_t>(field)),
                            config_.mask && !captured.derived.empty()
                                ? FieldView(captured.derived[field])
                                : FieldView()});
  last_digest_ = captured.digest;
  // The output comes first, because the checkpoint records which outputs exist. The values of both
  // are written at once: two files take two threads, whereas Linux lets only one thread at a time
  // write to a file.
  if (storing.output && storing.checkpoint && captured.ranks->count() == 1)
    begin_checkpoint(checkpoint_writer_, folder_.checkpoints() / checkpoint_file_name(step),
                     config_.fields.size(), captured.state);
  if (storing.output) try {
      event.output = write_output(storing, captured, diagnostics);
    } catch (const IoError& error) {
      not_stored(step, error);
      missing_outputs_.push_back(step);
    }
  if (storing.checkpoint) try {
      event.checkpoint = write_state(storing, captured);
      missing_checkpoint_.reset();
    } catch (const IoError& error) {
      not_stored(step, error);
      missing_checkpoint_ = step;
    }
  if (event.output.empty() && event.checkpoint.empty()) return;
  try {
    if (step == first_step_) folder_.drop_replaced();
    nlohmann::ordered_json stored = {
        {"event", "stored"},      {"step", step},
        {"time", event.time},     {"digest", digest_text(event.digest)},
        {"output", event.output}, {"checkpoint", event.checkpoint}};
    if (config_.scheme.kind == Scheme::steady) stored["residuals"] = storing.solves.history;
    folder_.log(stored, Durable::later);
  } catch (const IoError& error) {
    not_stored(step, error);
  }
  callbacks_.stored(event);
}

template <class T>
std::string RunWriter<T>::write_output(const Storing& storing, const Captured<T>& captured,
                                       const Diagnostics& diagnostics) {
  const std::int64_t step = storing.step;
  GoAhead together(*captured.ranks);
  // A restart may begin at the step of an output; an output is never changed once it is written.
  if (step == first_step_ && outputs_.contains(step)) return "";
  const auto path = folder_.fields() / step_file_name(step);
  folder_.make_folders();
  StepRecord record{.shape = config_.shape,
                    .spacing = config_.spacing,
                    .step = step,
                    .time = storing.time,
                    .title = fmt::format("{}, {}", equation_row(config_).name,
                                         folder_.path().filename().string()),
                    .provenance = provenance_,
                    .form = config_.stored,
                    .units = config_.units,
                    .mask = mask_};
  record.provenance.emplace_back("state_digest", digest_text(captured.digest));
  for (const OutputDataset* const dataset : storing.datasets)
    record.fields.push_back({dataset->name, dataset->description, dataset->unit,
                             dataset_values(*dataset, captured), config_.mask.has_value(),
                             complex_parent(config_, dataset->name), dataset->standard_name});
  together.say();
  write_step_file(step_writer_, *captured.ranks, path, record, captured.rows);
  // An interrupted start may have left a line of this step.
  if (step == first_step_) diagnostics_.begin(step);
  std::string line = fmt::format("{},{}", step, storing.time);
  for (const double value : diagnostics_values(diagnostics, config_, storing.steps, storing.solves))
    line += fmt::format(",{}", value);
  diagnostics_.add(line + fmt::format(",{:.4g}\n", storing.cells_per_second));
  try_to_write_probes();
  watch_output(step, captured.digest);
  output_list_.add(step, captured.digest);
  std::erase(missing_outputs_, step);
  try {
    index_.add(record);
    missing_index_ = true;
  } catch (const IoError& error) {
    not_indexed(step, error);
  }
  if (index_is_due()) rewrite_index(step);
  return path.string();
}

template <class T>
void RunWriter<T>::watch_output(std::int64_t step, std::uint64_t digest) {
  std::error_code error;  // a missing file is reported at the end
  const auto path = folder_.fields() / step_file_name(step);
  outputs_[step] = {digest, std::filesystem::last_write_time(path, error)};
}

// Verifies outputs whose files have changed since they were stored; a wrong one becomes missing.
template <class T>
void RunWriter<T>::remove_changed(std::int64_t step) {
  bool changed = false;
  for (auto output = outputs_.begin(); output != outputs_.end();) {
    auto& [of_step, stored] = *output++;
    const auto path = folder_.fields() / step_file_name(of_step);
    std::error_code error;
    const auto now = std::filesystem::last_write_time(path, error);
    if (!error && now == stored.written) continue;
    const std::string problem = output_problem(path, stored.digest);
    if (problem.empty()) {
      stored.written = now;
      continue;
    }
    changed = true;
    if (warned_.insert(problem).second) callbacks_.warning(problem);
    missing_outputs_.push_back(of_step);
    output_list_.remove(of_step);
    index_.remove(of_step);
    outputs_.erase(std::prev(output));
  }
  if (!changed) return;
  std::ranges::sort(missing_outputs_);
  rewrite_index(step);
}

// Rewriting the index takes time for each output, so it may lag by up to a sixteenth of the
// outputs, but for no longer than ten seconds.
template <class T>
bool RunWriter<T>::index_is_due() const {
  return 16 * (index_.size() - indexed_) >= index_.size() || !indexed_at_ ||
         seconds_since(*indexed_at_) >= 10;
}

// Warns if the index cannot be written: the outputs matter more, and the next output writes the
// index again.
template <class T>
void RunWriter<T>::rewrite_index(std::int64_t step) try {
  for (const std::string& problem : index_.write())
    if (warned_.insert(problem).second)
      callbacks_.warning(fmt::format("{}; left out of {}", problem, folder_.index().string()));
  missing_index_ = false;
  indexed_ = index_.size();
  indexed_at_ = Clock::now();
} catch (const IoError& error) {
  not_indexed(step, error);
}

template <class T>
void RunWriter<T>::not_indexed(std::int64_t step, const IoError& error) {
  missing_index_ = true;
  callbacks_.warning(
      fmt::format("step {}: {}; the next output writes it again", step, error.what()));
}

template <class T>
std::string RunWriter<T>::write_state(const Storing& storing, const Captured<T>& captured) {
  const std::int64_t step = storing.step;
  GoAhead together(*captured.ranks);
  // A restart in another precision keeps the checkpoint that it begins with, as its output.
  if (const auto at = outputs_.find(step);
      step == first_step_ && at != outputs_.end() && at->second.digest != captured.digest)
    return "";
  const auto path = folder_.checkpoints() / checkpoint_file_name(step);
  // The checkpoint must not list outputs that are gone; all are looked at once in a while.
  folder_.make_folders();
  saved_checks_ += 64;
  if (saved_checks_ >= outputs_.size()) {
    saved_checks_ = 0;
    remove_changed(step);
  }
  write_probes();
  folder_.sync();
  const OutputListMark output_list = output_list_.store();
  together.say();
  write_checkpoint(
      checkpoint_writer_, *captured.ranks, path,
      {.config = config_text_,
       .shape = config_.shape,
       .fields = config_.fields,
       .step = step,
       .time = storing.time,
       .time_step = step_seconds(config_),
       .coefficient = stored_coefficient(config_),
       .state_digest = captured.digest,
       .equation_digest = equation_digest_,
       .missing_outputs = missing_outputs_,
       .output_list = output_list,
       .step_state = storing.steps ? storing.steps->words() : std::vector<std::uint64_t>()},
      captured.rows, captured.state);
  remove_old_checkpoints(path);
  return path.string();
}

// Removes old checkpoints, now that the newest is safe. Checkpoints of later steps, which a run
// left that was resumed from before them, stay and do not count. The newest checkpoint before the
// first missing output stays, too, because a restart from it makes the output.
template <class T>
void RunWriter<T>::remove_old_checkpoints(const std::filesystem::path& newest) const try {
  const std::int64_t newest_step = step_of_checkpoint(newest.filename().string());
  bool has_missing = missing_outputs_.empty();
  std::int64_t kept = 0;
  for (const auto& old : list_checkpoints(folder_.checkpoints())) {
    const std::int64_t step = step_of_checkpoint(old.filename().string());
    if (step > newest_step) continue;
    const bool makes_missing = !has_missing && step < missing_outputs_.front();
    has_missing = has_missing || makes_missing;
    std::error_code error;
    if (++kept > config_.checkpoints_kept && !makes_missing &&
        !std::filesystem::remove(old, error) && error)
      throw IoError("{}: cannot remove: {}", old.string(), error.message());
  }
} catch (const IoError& error) {
  callbacks_.warning(error.what());  // only disk space is lost
}

template <class T>
void RunWriter<T>::not_stored(std::int64_t step, const IoError& error) const {
  if (step == first_step_) throw error;
  callbacks_.warning(
      fmt::format("step {}: {}; the run goes on and tries the next one", step, error.what()));
}

template <class T>
std::string RunWriter<T>::missing() {
  remove_changed(first_step_);
  if (missing_index_ || !std::filesystem::exists(folder_.index())) rewrite_index(first_step_);

  try_to_write_probes();
  std::vector<std::string> parts;
  if (!probe_lines_.empty()) parts.push_back("the last lines of " + probes_.path().string());
  if (!missing_outputs_.empty())
    parts.push_back(fmt::format("the output{0} of step{0} {1}",
                                missing_outputs_.size() == 1 ? "" : "s",
                                fmt::join(missing_outputs_, ", ")));
  if (missing_checkpoint_)
    parts.push_back(fmt::format("the checkpoint of step {}", *missing_checkpoint_));
  if (missing_index_) parts.push_back(folder_.index().filename().string());
  return fmt::format("{}", fmt::join(parts, " and "));
}

template <class T>
bool RunWriter<T>::can_make_missing() const {
  const auto checkpoints = list_checkpoints(folder_.checkpoints());
  return missing_outputs_.empty() ||
         std::ranges::any_of(checkpoints, [&](const std::filesystem::path& path) {
           return step_of_checkpoint(path.filename().string()) < missing_outputs_.front();
         });
}

template <class T>
void RankWriter<T>::store(const Storing& storing, const Captured<T>& captured) {
  const RunConfig& config = model_.run;
  require_finite(compute_diagnostics(captured, config), config, storing.step);
  const std::filesystem::path folder = config.directory;
  if (storing.output) {  // the first rank has the same errors and reports them
    StepRecord record{.shape = config.shape, .title = {}, .provenance = {}, .form = config.stored};
    for (const OutputDataset* const dataset : storing.datasets)
      record.fields.push_back({dataset->name, "", "", dataset_values(*dataset, captured)});
    if (GoAhead::heard(*captured.ranks)) try {
        write_step_file(writer_, *captured.ranks, folder / "fields" / step_file_name(storing.step),
                        record, captured.rows);
      } catch (const IoError&) {
      }
  }
  CheckpointHeader header;
  header.shape = config.shape;
  header.fields = config.fields;
  if (storing.checkpoint && GoAhead::heard(*captured.ranks)) try {
      write_checkpoint(writer_, *captured.ranks,
                       folder / "checkpoints" / checkpoint_file_name(storing.step), header,
                       captured.rows, captured.state);
    } catch (const IoError&) {
    }
}
template class RankWriter<float>;
template class RankWriter<double>;
template class RunWriter<float>;
template class RunWriter<double>;

}  // namespace lapl
