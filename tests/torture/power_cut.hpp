// Leaves a disk as a power cut does: restores each file to its last fsync and, with `names_too`,
// the names in each folder to the folder's last fsync. Included by io_faults.cpp only.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// Records changes of files and names since their last fsync, and undoes them.
class PowerCut {
 public:
  /// Called before `file` is written or truncated.
  void writes(int file) {
    const std::lock_guard lock(mutex_);
    struct stat status {};
    if (::fstat(file, &status) != 0 || files_.contains(status.st_ino)) return;
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const long own = ::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_CLOEXEC);
    files_[status.st_ino] = {static_cast<int>(own), status.st_size};
  }

  /// Called after the fsync of a file or folder.
  void synced(int file, const std::string& path) {
    const std::lock_guard lock(mutex_);
    struct stat status {};
    if (::fstat(file, &status) != 0) return;
    if (const auto written = files_.find(status.st_ino); written != files_.end()) {
      ::syscall(SYS_close, written->second.own);
      files_.erase(written);
    }
    if (S_ISDIR(status.st_mode))
      std::erase_if(names_, [&](Change& change) {
        if (change.folder != path) return false;
        if (!change.kept.empty()) ::syscall(SYS_unlinkat, AT_FDCWD, change.kept.c_str(), 0);
        return true;
      });
  }

  /// Called before the name `path` changes: the file or folder `from` is renamed to it, one is
  /// created there (`from` is empty), or it is removed (`goes`). `keep`: the start of names for
  /// second links.
  void names(const std::string& path, const std::string& from, bool goes, const std::string& keep) {
    const std::lock_guard lock(mutex_);
    if (from.empty() && !goes && ::access(path.c_str(), F_OK) == 0) return;
    Change change{path.substr(0, path.rfind('/')), path, from, goes, ""};
    const std::string kept = keep + ".kept-" + std::to_string(++count_);
    if (::syscall(SYS_linkat, AT_FDCWD, path.c_str(), AT_FDCWD, kept.c_str(), 0) == 0)
      change.kept = kept;
    names_.push_back(change);
  }

  void cut(bool names_too) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, file] : files_) ::syscall(SYS_ftruncate, file.own, file.size);
    for (auto change = names_.rbegin(); change != names_.rend(); ++change) {
      if (names_too) {
        if (!change->from.empty())
          move(change->path, change->from);
        else if (!change->goes && ::syscall(SYS_unlinkat, AT_FDCWD, change->path.c_str(), 0) != 0)
          ::syscall(SYS_unlinkat, AT_FDCWD, change->path.c_str(), AT_REMOVEDIR);
        if (!change->kept.empty()) move(change->kept, change->path);
      }
      if (!change->kept.empty()) ::syscall(SYS_unlinkat, AT_FDCWD, change->kept.c_str(), 0);
    }
  }

 private:
  struct File {
    int own;     // a descriptor of our own, valid under any name of the file
    off_t size;  // at the last fsync
  };
  struct Change {
    std::string folder, path, from;
    bool goes;
    std::string kept;  // a second link to the earlier file at `path`
  };

  static void move(const std::string& from, const std::string& to) {
    ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0);
  }

  std::mutex mutex_;
  std::map<ino_t, File> files_;
  std::vector<Change> names_;
  int count_ = 0;
};

}  // namespace
