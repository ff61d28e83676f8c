// Programs that start ranks: mpirun of Open MPI or MPICH, srun. Each has words of its own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

struct LauncherKind {
  std::string_view version;  ///< part of what it answers to --version
  std::string_view library;  ///< whose ranks it brings together; empty: any MPI's
  std::vector<std::string> words;
  std::string_view folder_variable;  ///< names the folder for its sockets and files
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

/// The command line that starts so many ranks, up to what they are to run.
std::vector<std::string> launcher_words(const Launcher& launcher, int count);

}  // namespace lapl
