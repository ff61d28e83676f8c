// A compiler that runs in a process group of its own and ends with the object.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lapl {

/// If this process is killed, the compiler runs on: a parent-death signal would reach only the
/// compiler's driver (g++), not the compiler and linker that it started, and would also be sent
/// when the starting thread ends. Limits on processor time and memory stop such a compiler; as a
/// rule it ends within a second, since it compiles one small file. The next process removes its
/// files.
class CompilerProcess {
 public:
  /// Starts the command `words`, an absolute path and its arguments, in the folder with descriptor
  /// `folder`, without input. All output goes to the file `messages` there. Throws IoError.
  CompilerProcess(std::vector<std::string> words, std::vector<std::string> environment, int folder,
                  const std::string& messages);
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;
  /// Kills the compiler if it still runs.
  ~CompilerProcess();

  /// The status from waitpid(2) if the compiler has ended, -1 if another caller has collected it;
  /// none while the compiler runs. Never waits.
  std::optional<int> ended();

 private:
  int reap();

  pid_t child_ = -1;
};

/// Describes a status from ended(): "ended with exit code 1", or "was ended by signal Killed".
std::string end_text(int status);

}  // namespace lapl
