// Turns what a run hands out into the files of its folder.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run_folder.hpp"
#include "solver/run.hpp"

namespace lapl {

/// What a person is told once an output or a checkpoint is on disk; also a line of log.jsonl.
struct StoredEvent {
  std::int64_t step = 0;
  double time = 0;
  Statistics statistics;
  std::uint64_t digest = 0;
  std::string output;      ///< path of the step file; empty where none was due
  std::string checkpoint;  ///< path of the checkpoint; empty where none was due
};

template <class T>
class RunWriter final : public RunSink<T> {
 public:
  struct Callbacks {
    std::function<void(const StoredEvent&)> stored;
    std::function<void(const Progress&)> progress;
  };

  /// `config_text` is the resolved config; `provenance` what is the same in every file of the run;
  /// `outputs` those that an earlier part of the run wrote.
  RunWriter(const RunFolder& folder, const RunConfig& config, std::string config_text,
            Provenance provenance, std::vector<std::pair<std::string, std::uint64_t>> outputs,
            Callbacks callbacks);

  void store(const Storing& storing, const Captured<T>& captured) override;
  void progress(const Progress& progress) override;

  /// State digest of what was stored last.
  std::uint64_t last_digest() const { return last_digest_; }

 private:
  std::string write_output(const Storing& storing, const Captured<T>& captured,
                           const Statistics& statistics);
  std::string write_state(std::int64_t step, const Captured<T>& captured);

  const RunFolder& folder_;
  const RunConfig& config_;
  std::string config_text_;
  Provenance provenance_;
  std::vector<std::pair<std::string, std::uint64_t>> outputs_;
  Callbacks callbacks_;
  std::uint64_t last_digest_ = 0;
};

/// A digest as people see it: 0x and sixteen digits.
std::string digest_text(std::uint64_t digest);

}  // namespace lapl
