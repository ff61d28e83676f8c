#include "io/run_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.hpp"

namespace lapl {
namespace {

void require_finite(const Statistics& statistics, std::int64_t step) {
  const auto& [min, max, mean, mass, l2] = statistics;
  for (const auto& [name, value] : {std::pair("mean", mean), {"mass", mass}, {"l2", l2}})
    if (!std::isfinite(value))
      throw NumericalError(
          fmt::format("step {}: {} is not finite: the values, from {} to {}, are too large to be "
                      "summed up; nothing of this step was stored",
                      step, name, min, max));
}

}  // namespace

std::string digest_text(std::uint64_t digest) { return fmt::format("{:#018x}", digest); }

template <class T>
RunWriter<T>::RunWriter(const RunFolder& folder, const RunConfig& config, std::string config_text,
                        Provenance provenance, const CheckpointHeader& from, Callbacks callbacks)
    : folder_(folder),
      config_(config),
      config_text_(std::move(config_text)),
      provenance_(std::move(provenance)),
      first_step_(from.step),
      outputs_(from.outputs),
      missing_outputs_(from.missing_outputs),
      callbacks_(std::move(callbacks)) {}

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
  write_index(folder_.index(), folder_.fields());

  const auto same_name = [&](const auto& entry) { return entry.first == path.filename(); };
  std::erase_if(outputs_, same_name);
  outputs_.emplace_back(path.filename().string(), captured.digest);
  return path.string();
}

template <class T>
std::string RunWriter<T>::write_state(std::int64_t step, const Captured<T>& captured) {
  const auto path = folder_.checkpoints() / checkpoint_file_name(step);
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
  const std::string missing =
      missing_outputs_.empty() ? "" : checkpoint_file_name(missing_outputs_.front());
  bool has_missing = missing.empty();
  std::int64_t kept = 0;
  for (const auto& old : list_checkpoints(folder_.checkpoints())) {
    if (old.filename() > newest.filename()) continue;
    const bool makes_missing = !has_missing && old.filename() < missing;
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
void RunWriter<T>::not_stored(std::int64_t step, const IoError& error) const {
  if (step == first_step_) throw error;
  callbacks_.warning(
      fmt::format("step {}: {}; the run goes on and tries the next one", step, error.what()));
}

template <class T>
std::string RunWriter<T>::missing() const {
  std::string text;
  if (!missing_outputs_.empty())
    text = fmt::format("the output{} of step{} {}", missing_outputs_.size() == 1 ? "" : "s",
                       missing_outputs_.size() == 1 ? "" : "s", fmt::join(missing_outputs_, ", "));
  if (missing_checkpoint_)
    text += fmt::format("{}the checkpoint of step {}", text.empty() ? "" : " and ",
                        *missing_checkpoint_);
  return text;
}

template class RunWriter<float>;
template class RunWriter<double>;

}  // namespace lapl
