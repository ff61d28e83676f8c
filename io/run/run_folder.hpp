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

  /// Creates the folder and takes its lock. A folder that contains a run is refused, or the run is
  /// replaced, as `existing` says; any other folder that is not empty is refused. Keeps a replaced
  /// run until drop_replaced and restores it if the new run ends earlier. Throws ConfigError if the
  /// folder is refused, and IoError if it cannot be created, a symbolic link leads out of it, or
  /// another process holds the lock (the message has its process id).
  static RunFolder create(const std::filesystem::path& path, Existing existing);

  /// Takes the lock of an existing run folder; what was read from the folder before may have
  /// changed by then. Throws ConfigError if there is no run, and IoError as create does.
  static RunFolder open(const std::filesystem::path& path);

  RunFolder(RunFolder&&) = default;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  /// Replaces the run in the folder by a new one, as create does. Throws IoError.
  void start_anew() const;

  /// Removes the run that this one replaces, if any. Throws IoError.
  void drop_replaced() const;

  /// Creates the folders of outputs and checkpoints if they are missing. Throws IoError.
  void make_folders() const;

  /// For a run that goes back to `step`: moves later outputs and checkpoints, and copies of the
  /// tables, to a new folder inside this folder. Returns its path; empty if there is nothing to
  /// move. Throws IoError.
  std::filesystem::path set_aside_after(std::int64_t step) const;

  /// True if `path` contains a run.
  static bool has_run(const std::filesystem::path& path);

  /// True if the lock excludes other processes; false on a file system without locks.
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

  /// Appends an event with the time of day to log.jsonl, durable at once or by the next sync.
  /// Throws IoError.
  void log(const nlohmann::ordered_json& event, Durable durable = Durable::now) const;

  /// Makes lines appended to log.jsonl and the tables durable. Throws IoError.
  void sync() const;

 private:
  // Locks on the folder, if its file system supports that, and on .lock, which holds the id of this
  // process.
  struct Locks {
    PosixFile folder, file;
    bool taken;
  };
  static std::variant<Locks, std::string> try_locks(const std::filesystem::path& folder);
  static Locks acquire_locks(const std::filesystem::path& folder);
  static Locks lock_folder(const std::filesystem::path& folder);

  RunFolder(std::filesystem::path path, Locks locks)
      : path_(std::move(path)), locks_(std::move(locks)) {}

  std::filesystem::path path_;
  Locks locks_;
};

/// Throws ConfigError if the path is that of a run's file, which only the run may write.
void refuse_file_of_run(const std::filesystem::path& path);

/// The time of day as 2026-01-31T12:00:00Z.
std::string utc_now();

}  // namespace lapl
