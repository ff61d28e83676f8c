#include "io/run_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/error.hpp"
#include "solver/frozen.hpp"

namespace lapl {

std::string digest_text(std::uint64_t digest) { return fmt::format("{:#018x}", digest); }

template <class T>
RunWriter<T>::RunWriter(const RunFolder& folder, const RunConfig& config, std::string config_text,
                        Provenance provenance, const CheckpointHeader& from, Callbacks callbacks)
    : folder_(folder),
      config_(config),
      config_text_(std::move(config_text)),
      provenance_(std::move(provenance)),
      first_step_(from.step),
      missing_outputs_(from.missing_outputs),
      callbacks_(std::move(callbacks)) {
  for (const auto& [name, digest] : from.outputs) add_output(name, digest);
}

template <class T>
void RunWriter<T>::progress(const Progress& progress) {
  callbacks_.progress(progress);
}

template <class T>
void RunWriter<T>::store(const Storing& storing, const Captured<T>& captured) {
  const std::int64_t step = storing.step;
  StoredEvent event{.step = step,
                    .time = static_cast<double>(step) * config_.step_seconds(),
                    .statistics = statistics_of(captured.field, config_.shape, config_.spacing),
                    .digest = captured.digest,
                    .output = "",
                    .checkpoint = "",
                    .field = captured.field,
                    .shape = config_.shape};
  require_finite(event.statistics, step);
  last_digest_ = captured.digest;
  if (storing.output) warn_if_frozen(step, captured.field);
  // The output first: a checkpoint holds which of the outputs before it are there.
  if (storing.output) try {
      event.output = write_output(storing, captured, event.statistics);
    } catch (const IoError& error) {
      not_stored(step, error);
      missing_outputs_.push_back(step);
    }
  if (storing.checkpoint) try {
      event.checkpoint = write_state(step, captured);
      missing_checkpoint_.reset();
    } catch (const IoError& error) {
      not_stored(step, error);
      missing_checkpoint_ = step;
    }
  if (event.output.empty() && event.checkpoint.empty()) return;
  try {
    folder_.log({{"event", "stored"},
                 {"step", step},
                 {"time", event.time},
                 {"digest", digest_text(event.digest)},
                 {"output", event.output},
                 {"checkpoint", event.checkpoint}});
  } catch (const IoError& error) {
    not_stored(step, error);
  }
  callbacks_.stored(event);
}

template <class T>
std::string RunWriter<T>::write_output(const Storing& storing, const Captured<T>& captured,
                                       const Statistics& statistics) {
  const std::int64_t step = storing.step;
  const auto path = folder_.fields() / step_file_name(step);
  const double time = static_cast<double>(step) * config_.step_seconds();
  StepRecord record{.shape = config_.shape,
                    .spacing = config_.spacing,
                    .step = step,
                    .time = time,
                    .title = "diffusion, " + folder_.path().filename().string(),
                    .fields = {},
                    .provenance = provenance_};
  record.provenance.emplace_back("state_digest", digest_text(captured.digest));
  for (const std::string& name : config_.output_fields) {
    if (name == "field")
      record.fields.push_back({name, "field", "1", captured.field});
    else
      record.fields.push_back({name, "5-point Laplacian of field", "m-2", captured.laplacian});
  }
  for (std::size_t i = 0; i < captured.filtered.size(); ++i) {
    const FilterConfig& filter = config_.filters[i];
    record.fields.push_back(
        {filter.name,
         fmt::format("field, {} with {}", name_of(filter.kind), name_of(filter.kernel)), "1",
         captured.filtered[i]});
  }
  write_step_file(path, record);
  folder_.add_diagnostics(step, time, statistics, storing.cells_per_second);
  add_output(path.filename().string(), captured.digest);
  std::erase(missing_outputs_, step);
  rewrite_index(step, true);
  return path.string();
}

template <class T>
void RunWriter<T>::add_output(const std::string& name, std::uint64_t digest) {
  std::erase_if(outputs_, [&](const auto& entry) { return entry.first == name; });
  outputs_.emplace_back(name, digest);
  std::error_code error;  // one that is gone already is found at the end
  written_[name] = std::filesystem::last_write_time(folder_.fields() / name, error);
}

// What somebody else has changed since it was stored is verified, and is missing where it is not
// the same any more; whether there was any.
template <class T>
bool RunWriter<T>::take_out_changed() {
  const auto count = missing_outputs_.size();
  std::erase_if(outputs_, [&](const auto& output) {
    const auto& [name, digest] = output;
    const auto path = folder_.fields() / name;
    std::error_code error;
    const auto now = std::filesystem::last_write_time(path, error);
    if (!error && now == written_.at(name)) return false;
    const std::string problem = output_problem(path, digest);
    if (problem.empty()) return false;
    if (warned_.insert(problem).second) callbacks_.warning(problem);
    missing_outputs_.push_back(step_of_file_name(name));
    return true;
  });
  std::ranges::sort(missing_outputs_);
  return missing_outputs_.size() > count;
}

// The outputs are worth more than the index over them: it is made anew with the next one.
template <class T>
void RunWriter<T>::rewrite_index(std::int64_t step, bool just_written) try {
  for (const std::string& problem :
       write_index(folder_.index(), folder_.fields(), just_written ? step : -1))
    if (warned_.insert(problem).second)
      callbacks_.warning(fmt::format("{}; left out of {}", problem, folder_.index().string()));
  missing_index_ = false;
} catch (const IoError& error) {
  missing_index_ = true;
  callbacks_.warning(
      fmt::format("step {}: {}; the next output writes it again", step, error.what()));
}

template <class T>
std::string RunWriter<T>::write_state(std::int64_t step, const Captured<T>& captured) {
  const auto path = folder_.checkpoints() / checkpoint_file_name(step);
  take_out_changed();
  write_checkpoint(path,
                   {.config = config_text_,
                    .shape = config_.shape,
                    .step = step,
                    .time_step = config_.step_seconds(),
                    .coefficient = config_.step_coefficient(),
                    .state_digest = captured.digest,
                    .outputs = outputs_,
                    .missing_outputs = missing_outputs_},
                   captured.field);
  remove_old_checkpoints(path);
  return path.string();
}

// Older ones go only now that the newest is safe. Those of later steps, left by a run that was
// resumed from before them, are not counted and stay; so does the one that the first missing
// output can be made from.
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
      throw IoError(fmt::format("{}: cannot remove: {}", old.string(), error.message()));
  }
} catch (const IoError& error) {
  callbacks_.warning(error.what());  // nothing is lost but room
}

template <class T>
void RunWriter<T>::warn_if_frozen(std::int64_t step, std::span<const T> field) {
  if (warned_of_frozen_) return;
  const std::string warning = frozen_warning(config_, field);
  warned_of_frozen_ = !warning.empty();
  if (warned_of_frozen_) callbacks_.warning(fmt::format("step {}: {}", step, warning));
}

template <class T>
void RunWriter<T>::not_stored(std::int64_t step, const IoError& error) const {
  if (step == first_step_) throw error;
  callbacks_.warning(
      fmt::format("step {}: {}; the run goes on and tries the next one", step, error.what()));
}

template <class T>
std::string RunWriter<T>::missing() {
  const bool changed = take_out_changed();
  if (changed || missing_index_ || !std::filesystem::exists(folder_.index()))
    rewrite_index(first_step_, false);

  std::vector<std::string> parts;
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

template class RunWriter<float>;
template class RunWriter<double>;

}  // namespace lapl
