// Launchers, programs that start ranks (processes of MPI): mpirun of Open MPI or MPICH, and srun.
// They need different options.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/machine/temporary_folder.hpp"

namespace lapl {

struct LauncherKind {
  std::string_view version;  ///< text in the output of --version that identifies it
  std::string_view library;  ///< the MPI library whose ranks it can start; empty: any
  std::vector<std::string> words;
  /// Names and values of environment variables. {folder} becomes a folder for sockets and files,
  /// {memory} a folder for memory that ranks share.
  std::vector<std::pair<const char*, const char*>> variables;
  /// If signals end ranks, the launcher exits with the bitwise or of their numbers, without 128.
  bool bare_signals = false;
};

struct Launcher {
  std::string path;
  const LauncherKind* kind;
};

/// The first program on PATH that starts ranks of the MPI library `library` (see mpi_library()).
/// Throws ConfigError with the reason against the first launcher found.
Launcher find_launcher(const std::string& library);

/// Temporary folders for the files of a launcher and its ranks. The destructor removes them.
class LauncherFolders {
 public:
  LauncherFolders();
  /// Sets the launcher's variables in this process, except those that the user set.
  void set_variables(const Launcher& launcher) const;
  const std::filesystem::path& path() const { return files_.path(); }

 private:
  TemporaryFolder files_, memory_;
};

/// The standard output of a program; none if the program cannot be started.
std::optional<std::string> printed_by(const std::vector<std::string>& words,
                                      const char* redirections = "");

/// The command line that starts `count` ranks, without the program that they run.
std::vector<std::string> launcher_words(const Launcher& launcher, int count);

/// The command line that starts `count` ranks of this program, without this program's arguments.
std::vector<std::string> words_of_ranks(const Launcher& launcher, int count);

/// Runs `count` ranks with the arguments of this process and returns the exit code of the first
/// rank. Throws ConfigError if they cannot be started, DeviceError if they do not meet within two
/// minutes (LAPL_RANKS_START: the limit in seconds).
int start_ranks(int count);

/// Tells start_ranks whether this rank has met the others in MPI. Each rank calls it with false
/// before it waits for them, and with true afterwards.
void notify_starter_of_meeting(bool met);

/// Leaves the exit code of this rank for start_ranks; false if start_ranks did not start the rank.
bool notify_starter(int exit_code);

}  // namespace lapl
