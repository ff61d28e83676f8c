// A compiler that runs in a process group of its own and ends with the object.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lapl {

/// If this process is killed, the compiler is not told: a signal at the parent's death would reach
/// only the driver, not the compiler and linker that it started, and would also be sent when the
/// starting thread ends. Limits on processor time and memory stop such a compiler; as a rule it
/// ends within a second, since it compiles one small file. The next process removes its files.
class CompilerProcess {
 public:
  /// Starts `words`, whose first is an absolute path, in the open folder `folder`. The input is
  /// empty and all output goes to file `messages` in the folder. Throws IoError.
  CompilerProcess(std::vector<std::string> words, std::vector<std::string> environment, int folder,
                  const std::string& messages);
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;
  /// Kills the compiler if it still runs.
  ~CompilerProcess();

  /// The status of waitpid(2) once the compiler has ended, -1 if another caller took it; none while
  /// it runs. Never waits.
  std::optional<int> ended();

 private:
  int reap();

  pid_t child_ = -1;
};

/// How a process ended, for example "ended with exit code 1", or the name of the signal.
std::string end_text(int status);

}  // namespace lapl
