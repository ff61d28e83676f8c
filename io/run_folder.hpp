// A run folder: its files, its lock, its log. docs/format.md lists what lies in it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/durable/posix_file.hpp"
#include "solver/statistics.hpp"

namespace lapl {

class RunFolder {
 public:
  enum class Existing { refuse, overwrite };

  /// Makes the folder and takes its lock. A folder that holds a run is refused, or emptied of that
  /// run's files; any other folder that is not empty is refused always.
  /// Throws ConfigError where it is refused, IoError where it cannot be made, where a symbolic link
  /// leads out of it or another process holds the lock (the message names its process id).
  static RunFolder create(const std::filesystem::path& path, Existing existing);

  /// Takes the lock of an existing run folder. Throws ConfigError where there is none.
  static RunFolder open(const std::filesystem::path& path);

  /// Whether `path` holds a run.
  static bool holds_run(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }
  std::filesystem::path summary() const { return path_ / "run.json"; }
  std::filesystem::path index() const { return path_ / "fields.nc"; }
  std::filesystem::path fields() const { return path_ / "fields"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path diagnostics() const { return path_ / "diagnostics.csv"; }

  /// Adds an event to log.jsonl, with the time of day. Throws IoError.
  void log(const nlohmann::ordered_json& event) const;

  /// Adds a line to diagnostics.csv. Throws IoError.
  void add_diagnostics(std::int64_t step, double time, const Statistics& statistics,
                       double cells_per_second) const;

  /// Drops the lines of diagnostics.csv from `step` on: a run that goes on from there writes them
  /// again. Throws IoError.
  void drop_diagnostics_from(std::int64_t step) const;

 private:
  RunFolder(std::filesystem::path path, PosixFile lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  PosixFile lock_;  // .lock, held as long as it is open
};

/// The time of day as 2026-01-31T12:00:00Z.
std::string utc_now();

}  // namespace lapl
