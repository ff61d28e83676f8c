// Programs that start ranks: mpirun of Open MPI or MPICH, srun. Each has words of its own.
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
  std::string_view version;  ///< part of what it answers to --version
  std::string_view library;  ///< whose ranks it brings together; empty: any MPI's
  std::vector<std::string> words;
  /// Names and values for its environment: {folder} is one for its sockets and files, {memory} one
  /// for what ranks share.
  std::vector<std::pair<const char*, const char*>> variables;
  /// Exit code where signals have ended ranks: the bits of their numbers together, not 128 more.
  bool bare_signals = false;
};

struct Launcher {
  std::string path;
  const LauncherKind* kind;
};

/// The first program on PATH that starts ranks of this MPI library, as mpi_library() names it.
/// Throws ConfigError, which says what was found.
Launcher find_launcher(const std::string& library);

/// The files of a launcher and its ranks while they are there: folders that go with the
/// object.
class LauncherFolders {
 public:
  LauncherFolders();
  /// In this process, for what it starts: the launcher's variables that the user has not set.
  void set_variables(const Launcher& launcher) const;
  const std::filesystem::path& path() const { return files_.path(); }

 private:
  TemporaryFolder files_, memory_;
};

/// The standard output of a program; none if it cannot be started.
std::optional<std::string> printed_by(const std::vector<std::string>& words,
                                      const char* redirections = "");

/// The command line that starts so many ranks, up to what they are to run.
std::vector<std::string> launcher_words(const Launcher& launcher, int count);

}  // namespace lapl
