// Turns the outputs and checkpoints of a run into the files of its folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/run_index.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/output_list.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_table.hpp"
#include "kernels/error.hpp"
#include "solver/clock.hpp"
#include "solver/diagnostics.hpp"
#include "solver/run.hpp"

namespace lapl {

/// Reported once an output or a checkpoint is on disk; also a line of log.jsonl.
struct StoredEvent {
  std::int64_t step = 0;
  double time = 0;
  double time_step = 0;  ///< dt; 0 before the first step if the error sets it
  struct Field {
    std::string name;
    Statistics statistics;
    FieldView values;       ///< of the first rank; valid while the event is handled
    FieldView masked = {};  ///< the same with NaN outside, where the grid has a mask
  };
  std::vector<Field> fields;  ///< of the state
  std::uint64_t digest = 0;
  std::string output;      ///< path of the step file; empty where none was due
  std::string checkpoint;  ///< path of the checkpoint; empty where none was due
  Shape shape;
  std::string time_unit = {};
};

/// Writes outputs, checkpoints, tables and the index of a run.
template <class T>
class RunWriter final : public RunSink<T> {
 public:
  struct Callbacks {
    std::function<void(const StoredEvent&)> stored;
    std::function<void(const Progress&)> progress;
    std::function<void(const std::string&)> warning;
  };

  /// `config_text` is the resolved config, `provenance` the entries common to all files of the run,
  /// `from` the checkpoint from which it continues (a default one at step 0), `equation_digest`
  /// that of checkpoints (solver/equation_digest.hpp). Only the first rank has a RunWriter; the
  /// others have a RankWriter.
  RunWriter(const RunFolder& folder, const Model& model, std::string config_text,
            Provenance provenance, const CheckpointHeader& from, Callbacks callbacks,
            std::optional<std::uint64_t> equation_digest = {});

  /// A failed output or checkpoint gives a warning, and the run continues, since the next one may
  /// find room. Before the first step it throws IoError instead.
  void store(const Storing& storing, const Captured<T>& captured) override;
  std::string last_state_words() const override {
    return missing_checkpoint_ ? "" : "; the state before is stored as a checkpoint";
  }
  void progress(const Progress& progress) override;
  /// Buffers lines until a write is worth it, at most until the next output or checkpoint.
  void probed(std::int64_t step, double time, std::span<const T> values) override;

  /// State digest of the last stored state.
  std::uint64_t last_digest() const { return last_digest_; }

  /// Checks at the end of a run that all is stored; returns in words what is missing, or an empty
  /// text. Verifies outputs changed since they were stored and retries an index that could not be
  /// written.
  std::string missing();

  /// True where a checkpoint precedes all that is missing, so that a restart can make it.
  bool can_make_missing() const;

 private:
  std::string write_output(const Storing& storing, const Captured<T>& captured,
                           const Diagnostics& diagnostics);
  std::string write_state(const Storing& storing, const Captured<T>& captured);
  void watch_output(std::int64_t step, std::uint64_t digest);
  void remove_changed(std::int64_t step);
  bool index_is_due() const;
  void rewrite_index(std::int64_t step);
  void remove_old_checkpoints(const std::filesystem::path& newest) const;
  void write_probes();
  void try_to_write_probes();
  void not_indexed(std::int64_t step, const IoError& error);
  void not_stored(std::int64_t step, const IoError& error) const;

  const RunFolder& folder_;
  const Model& model_;
  const RunConfig& config_;
  std::string config_text_;
  Provenance provenance_;
  std::optional<std::uint64_t> equation_digest_;
  std::int64_t first_step_;
  struct Stored {
    std::uint64_t digest;
    std::filesystem::file_time_type written;
  };
  std::map<std::int64_t, Stored> outputs_;  // by step
  std::size_t saved_checks_ = 0;            // outputs that may be looked at: 64 more a checkpoint
  FileWriter step_writer_, checkpoint_writer_;
  RunTable diagnostics_, probes_;
  OutputList output_list_;
  std::mutex probing_;  // guards probe_lines_, written by the stepping thread, too
  std::string probe_lines_;
  Clock::time_point probes_written_ = Clock::now();
  bool warned_of_probes_ = false;
  std::shared_ptr<const StoredMask> mask_ = stored_mask(config_);
  RunIndex index_;
  std::size_t indexed_ = 0;  // number of outputs when the index was last written
  std::optional<Clock::time_point> indexed_at_;
  bool missing_index_ = false;  // missing, or not up to date
  std::vector<std::int64_t> missing_outputs_;
  std::optional<std::int64_t> missing_checkpoint_;
  std::set<std::string> warned_;
  Callbacks callbacks_;
  std::uint64_t last_digest_ = 0;
};

/// The writer of the other ranks: makes the same collective calls in the same order as RunWriter.
template <class T>
class RankWriter final : public RunSink<T> {
 public:
  explicit RankWriter(const Model& model) : model_(model) {}

  void store(const Storing& storing, const Captured<T>& captured) override;
  void probed(std::int64_t, double, std::span<const T>) override {}
  void progress(const Progress&) override {}

 private:
  const Model& model_;
  FileWriter writer_;
};

/// A digest for people: 0x and sixteen digits.
std::string digest_text(std::uint64_t digest);

}  // namespace lapl
