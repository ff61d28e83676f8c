// A run folder: its files, its lock, its log. docs/format.md lists its content.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"

namespace lapl {

/// A locked run folder; the lock ends with the object.
class RunFolder {
 public:
  enum class Existing { refuse, overwrite };

  /// Makes the folder and takes its lock. A folder with a run is refused, or the run is replaced;
  /// any other folder that is not empty is always refused. A replaced run is kept until
  /// drop_replaced and comes back where the new one ends earlier. Throws ConfigError where it is
  /// refused, IoError where it cannot be made, a symbolic link leads out of it, or another process
  /// holds the lock (the message has its process id).
  static RunFolder create(const std::filesystem::path& path, Existing existing);

  /// Takes the lock of an existing run folder; anything read from it before may change until then.
  /// Throws ConfigError where there is no run, IoError as create does.
  static RunFolder open(const std::filesystem::path& path);

  RunFolder(RunFolder&&) = default;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  /// Replaces the run in the folder, as create does, by a new one. Throws IoError.
  void start_anew() const;

  /// Removes the run that this one replaces, if any. Throws IoError.
  void drop_replaced() const;

  /// Makes missing folders of outputs and checkpoints. Throws IoError.
  void make_folders() const;

  /// For a run that goes back to `step`: moves later outputs and checkpoints, and copies of the
  /// tables, to a new folder in this one. Returns its path, empty where there is nothing to move.
  /// Throws IoError.
  std::filesystem::path set_aside_after(std::int64_t step) const;

  /// True where `path` holds a run.
  static bool holds_run(const std::filesystem::path& path);

  /// True where the lock keeps other processes out; false on a file system without locks.
  bool is_locked() const { return locks_.taken; }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.yaml"; }
  std::filesystem::path summary() const { return path_ / "run.json"; }
  std::filesystem::path index() const { return path_ / "fields.nc"; }
  std::filesystem::path fields() const { return path_ / "fields"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path output_list() const { return checkpoints() / "outputs.csv"; }
  std::filesystem::path log_file() const { return path_ / "log.jsonl"; }
  std::filesystem::path diagnostics() const { return path_ / "diagnostics.csv"; }
  std::filesystem::path probes() const { return path_ / "probes.csv"; }

  /// Adds an event with the time of day to log.jsonl, durably at once or by the next sync. Throws
  /// IoError.
  void log(const nlohmann::ordered_json& event, Durable durable = Durable::now) const;

  /// Makes additions to log.jsonl and the tables durable. Throws IoError.
  void sync() const;

 private:
  // Held while open: a lock on the folder, where its file system has such locks, and one on .lock,
  // which names the process.
  struct Locks {
    PosixFile folder, file;
    bool taken;
  };
  static std::variant<Locks, std::string> try_locks(const std::filesystem::path& folder);
  static Locks take_locks(const std::filesystem::path& folder);
  static Locks take_over(const std::filesystem::path& folder);

  RunFolder(std::filesystem::path path, Locks locks)
      : path_(std::move(path)), locks_(std::move(locks)) {}

  std::filesystem::path path_;
  Locks locks_;
};

/// Throws ConfigError where a run keeps a file at this path, since only the run may write there.
void refuse_file_of_run(const std::filesystem::path& path);

/// The time of day as 2026-01-31T12:00:00Z.
std::string utc_now();

}  // namespace lapl
