#include "io/run/run_folder.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <thread>

#include "io/config/config_text.hpp"
#include "io/durable/durable_file.hpp"
#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/json.hpp"
#include "kernels/error.hpp"
#include "solver/clock.hpp"

namespace lapl {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// The files whose names begin with `start` and contain `part`.
std::vector<fs::path> list_files(const fs::path& folder, const std::string& start,
                                 const std::string& part) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(start) && name.find(part) != std::string::npos)
      files.push_back(entry.path());
  return files;
}

// Removes files that a killed run left incomplete. The lock is held, so nobody else is writing.
void remove_temporaries(const fs::path& folder) {
  for (const fs::path& of : {folder, folder / "fields", folder / "checkpoints"})
    for (const fs::path& file : list_files(of, ".", ".tmp-")) fs::remove(file);
}

// All files of a run except run.json, in the order of removal: checkpoints, the index, then its
// step files and bundles. So a removal that is stopped leaves nothing that looks complete.
std::vector<fs::path> files_of_run(const fs::path& folder) {
  std::vector<fs::path> files = list_files(folder / "checkpoints", "step-", ".h5");
  const auto add = [&](const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  add(list_files(folder / "checkpoints", "outputs.csv", ""));
  if (fs::exists(folder / "fields.nc")) files.push_back(folder / "fields.nc");
  add(list_files(folder / "fields", "step-", ".nc"));
  add(list_files(folder / "fields", "bundle-", ".nc"));
  for (const char* name : {"config.yaml", "log.jsonl", "diagnostics.csv", "probes.csv"})
    if (fs::exists(folder / name)) files.push_back(folder / name);
  return files;
}

// Creates a folder and its parents so that their names survive a power failure.
void make_durable_folders(const fs::path& path) {
  std::vector<fs::path> above;
  for (fs::path each = fs::absolute(path); !fs::exists(each); each = each.parent_path())
    above.push_back(each.parent_path());
  fs::create_directories(path);
  for (const fs::path& each : above) sync_folder(each);
}

enum class Order { removal, creation };

// Syncs the folders of a run, in the order of files_of_run or in reverse.
void sync_folders(const fs::path& folder, Order order) {
  std::array folders = {folder / "checkpoints", folder, folder / "fields"};
  if (order == Order::creation) std::ranges::reverse(folders);
  for (const fs::path& of : folders)
    if (fs::exists(of)) sync_folder(of);
}

// Moves files of a run in an order such that neither a kill nor a power failure in between leaves
// in the run folder an index without its step files.
void move_files(std::vector<fs::path> files, const fs::path& from, const fs::path& to,
                Order order) {
  if (order == Order::creation) std::ranges::reverse(files);
  for (const char* name : {"checkpoints", "fields"}) fs::create_directories(to / name);
  for (const fs::path& file : files) fs::rename(file, to / file.lexically_relative(from));
  sync_folders(to, order);
  sync_folders(from, order);
}

// --overwrite moves the old run to .replaced until the new run has its first checkpoint. If
// .replaced has a run.json, it contains the whole old run, and all other files belong to the new
// run.
bool is_replaced_whole(const fs::path& folder) {
  return fs::exists(folder / ".replaced" / "run.json");
}

void drop_replaced(const fs::path& folder) {
  // A single rename, so that a partly moved run does not look like a complete one.
  if (fs::exists(folder / ".replaced")) {
    fs::rename(folder / ".replaced", folder / ".dropped");
    sync_folder(folder);
  }
  fs::remove_all(folder / ".dropped");
}

void restore_replaced(const fs::path& folder) {
  const fs::path replaced = folder / ".replaced";
  if (is_replaced_whole(folder)) {
    for (const fs::path& file : files_of_run(folder)) fs::remove(file);
    sync_folders(folder, Order::removal);
    fs::rename(replaced / "run.json", folder / "run.json");
  }
  move_files(files_of_run(replaced), replaced, folder, Order::creation);
  fs::remove_all(replaced);
}

// After a run that ended or was killed: restores, or removes, the run that it was to replace.
void settle_replaced(const fs::path& folder) {
  if (is_replaced_whole(folder) && !list_checkpoints(folder / "checkpoints").empty())
    drop_replaced(folder);
  fs::remove_all(folder / ".dropped");
  if (fs::exists(folder / ".replaced")) restore_replaced(folder);
}

// Reports that settle_replaced has failed in the destructor, which cannot throw. The next process
// that locks the folder settles it.
void print_unsettled(const fs::path& folder, const std::exception& error) noexcept try {
  for (const char* name : {".replaced", ".dropped"})
    if (fs::exists(folder / name))
      std::fputs(printable(fmt::format("lapl: warning: {}: the earlier run is still there: {} (the "
                                       "next run or resume puts it back, or removes it)\n",
                                       (folder / name).string(), error.what()))
                     .c_str(),
                 stderr);
} catch (const std::exception&) {  // there is no memory for the words
}

// Throws ConfigError unless a new run may begin at `path` or replace the one there.
void require_room(const fs::path& path, RunFolder::Existing existing) {
  if (RunFolder::has_run(path)) {
    if (existing == RunFolder::Existing::overwrite) return;
    throw ConfigError(
        "{}: a run is there already (give --auto-resume to go on with it, --overwrite to replace "
        "it, or another --output)",
        path.string());
  }
  // In a path such as "new/..", the folder cannot be inspected before "new" exists.
  if (!fs::exists(path) && fs::exists(fs::weakly_canonical(path)))
    throw ConfigError(
        "{}: leads through a folder that is not there to {} (expected a path without ..)",
        path.string(), fs::weakly_canonical(path).string());
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path)) throw ConfigError("{}: is not a folder", path.string());
  for (const auto& entry : fs::directory_iterator(path))
    // Hidden files are left by an interrupted start.
    if (!entry.path().filename().string().starts_with("."))
      throw ConfigError("{}: not empty, and not a run folder (it holds {}): give another --output",
                        path.string(), entry.path().filename().string());
}

// True if SIGKILL is pending for the process: a busy machine may take a while to deliver it.
bool is_killed(pid_t id) {
  std::ifstream file(fmt::format("/proc/{}/status", id));
  for (std::string line; std::getline(file, line);)
    if ((line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) &&
        (std::stoull(line.substr(7), nullptr, 16) >> (SIGKILL - 1) & 1) != 0)
      return true;
  return false;
}

// True if the process with this id has certainly ended, or is about to; false if the text is no id.
bool has_ended(const std::string& process) {
  pid_t id = 0;
  if (std::from_chars(process.data(), process.data() + process.size(), id).ec != std::errc() ||
      id <= 0)
    return false;
  if (is_killed(id)) return true;
  // A killed process may still be listed while its memory is freed or its parent waits. Its stat is
  // "ID (NAME) STATE PARENT GROUP SESSION TERMINAL GROUP FLAGS ..."; flag 4 is Linux's PF_EXITING.
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  std::string line, state, skipped;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  unsigned flags = 0;
  fields >> state >> skipped >> skipped >> skipped >> skipped >> skipped >> flags;
  // Comes last, because the process may end while its stat is read.
  if (::kill(id, 0) != 0) return errno == ESRCH;
  return state == "Z" || (flags & 4) != 0;
}

void require_run(const fs::path& path) {
  if (RunFolder::has_run(path)) return;
  if (fs::is_regular_file(path))
    throw ConfigError("{}: a file (expected the folder of a run; lapl run FILE begins one)",
                      path.string());
  throw ConfigError("{}: not a run folder (no run.json in it)", path.string());
}

}  // namespace

bool RunFolder::has_run(const fs::path& path) { return fs::exists(path / "run.json"); }

// The locks, or the id in .lock of the process that holds them.
std::variant<RunFolder::Locks, std::string> RunFolder::try_locks(const fs::path& folder) {
  using Lock = PosixFile::Lock;
  const fs::path path = folder / ".lock";
  PosixFile of_folder(folder, O_RDONLY | O_DIRECTORY, folder.string());
  const Lock first = of_folder.try_lock();
  // A .lock with other hard links (cp -l) shares its lock with another folder. Nobody else uses it
  // here, because this process holds the folder's lock, so it is removed.
  if (first == Lock::taken && is_shared(path)) fs::remove(path);
  PosixFile file(path, O_RDWR | O_CREAT | O_NOFOLLOW, path.string());
  const Lock second = first == Lock::held ? Lock::held : file.try_lock();
  if (second == Lock::held) {
    std::string holder(31, '\0');
    holder.resize(file.read(std::as_writable_bytes(std::span(holder))));
    return holder;
  }
  const std::string self = std::to_string(getpid());
  file.truncate(0);
  file.write(std::as_bytes(std::span(self)));
  return Locks{std::move(of_folder), std::move(file),
               first == Lock::taken || second == Lock::taken};
}

// Waits up to 10 s for the locks of a killed run: a child that the run has just forked holds them
// until the child closes its files.
RunFolder::Locks RunFolder::acquire_locks(const fs::path& folder) {
  for (auto waited = 0ms;; waited += 10ms) {
    auto locks = try_locks(folder);
    if (auto* const taken = std::get_if<Locks>(&locks)) return std::move(*taken);
    const std::string& holder = std::get<std::string>(locks);
    if (waited >= 10s || !has_ended(holder))
      throw IoError("{}: another run is writing here (process {})", folder.string(),
                    holder.empty() ? "unknown" : holder);
    std::this_thread::sleep_for(10ms);
  }
}

// Takes the locks and ensures that all writes stay within the folder.
RunFolder::Locks RunFolder::lock_folder(const fs::path& folder) {
  Locks locks = acquire_locks(folder);
  for (const char* name :
       {"fields", "checkpoints", ".replaced", ".replaced/fields", ".replaced/checkpoints"})
    if (fs::is_symlink(folder / name))
      throw IoError(
          "{}: is a symbolic link (expected a folder: a run writes into its own folders alone)",
          (folder / name).string());
  settle_replaced(folder);
  remove_temporaries(folder);
  return locks;
}

RunFolder RunFolder::create(const fs::path& path, Existing existing) try {
  require_room(path, existing);
  make_durable_folders(path);
  RunFolder folder(path, lock_folder(path));
  require_room(path, existing);  // checks again: another run may have begun and ended since
  folder.start_anew();
  return folder;
} catch (const fs::filesystem_error& error) {
  throw IoError("{}: {}", error.path1().string(), error.code().message());
}

void RunFolder::start_anew() const try {
  if (const auto files = files_of_run(path_); !files.empty()) {
    move_files(files, path_, path_ / ".replaced", Order::removal);
    replace_file(path_ / ".replaced" / "run.json", read_start(summary()));
  }
  // From now on the folder counts as a run, which --auto-resume can continue.
  replace_file(summary(), "{\"status\": \"starting\"}\n");
  make_folders();
} catch (const fs::filesystem_error& error) {
  throw IoError("{}: {}", error.path1().string(), error.code().message());
}

void RunFolder::make_folders() const try {
  fs::create_directories(fields());
  fs::create_directories(checkpoints());
} catch (const fs::filesystem_error& error) {
  throw IoError("{}: {}", error.path1().string(), error.code().message());
}

void RunFolder::drop_replaced() const try {
  lapl::drop_replaced(path_);
} catch (const fs::filesystem_error& error) {
  throw IoError("{}: {}", error.path1().string(), error.code().message());
}

RunFolder::~RunFolder() {
  if (path_.empty()) return;  // moved from
  try {
    settle_replaced(path_);
  } catch (const std::exception& error) {
    print_unsettled(path_, error);
  }
}

fs::path RunFolder::set_aside_after(std::int64_t step) const try {
  std::vector<fs::path> later;  // newest checkpoints first: if stopped, the rest is a valid run
  for (const fs::path& path : list_checkpoints(checkpoints()))
    if (step_of_checkpoint(path.filename().string()) > step) later.push_back(path);
  for (const fs::path& path : list_step_files(fields()))
    if (step_of_file_name(path.filename().string()) > step) later.push_back(path);
  if (later.empty()) return {};
  fs::path aside;
  for (int n = 1; aside.empty() || fs::exists(aside); ++n)
    aside = path_ / fmt::format("after-step-{}{}", step, n == 1 ? "" : fmt::format("-{}", n));
  for (const fs::path& part : {fields(), checkpoints()})
    fs::create_directories(aside / part.filename());
  for (const fs::path& table : {diagnostics(), probes()})
    if (fs::exists(table)) replace_file(aside / table.filename(), read_start(table));
  for (const fs::path& path : later)
    fs::rename(path, aside / path.parent_path().filename() / path.filename());
  return aside;
} catch (const fs::filesystem_error& error) {
  throw IoError("{}: {}", error.path1().string(), error.code().message());
}

RunFolder RunFolder::open(const fs::path& path) {
  require_run(path);
  RunFolder folder(path, lock_folder(path));
  require_run(path);
  folder.make_folders();
  drop_torn_line(folder.log_file());
  return folder;
}

void RunFolder::log(const nlohmann::ordered_json& event, Durable durable) const {
  nlohmann::ordered_json line = {{"at", utc_now()}, {"seconds", seconds_since(process_began)}};
  line.update(event);
  append_lines(log_file(), json_text(line) + "\n", durable);
}

void RunFolder::sync() const {
  for (const fs::path& path : {log_file(), diagnostics(), probes()}) sync_lines(path);
}

void refuse_file_of_run(const fs::path& path) {
  constexpr std::array names = {"run.json",  "config.yaml",     "log.jsonl",
                                "fields.nc", "diagnostics.csv", "probes.csv"};
  std::error_code error;  // a path that leads nowhere is reported by the writer
  const fs::path real = fs::weakly_canonical(path, error);
  const std::string name = real.filename().string();
  fs::path folder = real.parent_path();
  bool is_of_run = std::ranges::any_of(names, [&](const char* of) { return name == of; });
  for (const char* part : {"fields", "checkpoints"})
    if (folder.filename() == part) {
      is_of_run = name.starts_with("step-") || name.starts_with("bundle-") || name == "outputs.csv";
      folder = folder.parent_path();
      break;
    }
  if (is_of_run && RunFolder::has_run(folder))
    throw ConfigError("{}: is a file of the run {} (expected another output)", path.string(),
                      folder.string());
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace lapl
