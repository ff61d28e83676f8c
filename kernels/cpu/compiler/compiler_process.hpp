// A compiler at work: a process group of its own, which ends with the object.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace lapl {

/// Not told when this process is killed: a signal at the parent's death would reach the driver
/// alone, never the compiler and linker that it has started, and would come when the starting
/// thread ends. Limits on processor time and memory end what is left behind, as a rule within a
/// second, since it compiles one small file; what it has written, the next process removes.
class CompilerProcess {
 public:
  /// Starts `words`, the first an absolute path, in the open folder `folder`, with nothing to read
  /// and all it says going to the file `messages` there. Throws IoError.
  CompilerProcess(std::vector<std::string> words, std::vector<std::string> environment, int folder,
                  const std::string& messages);
  CompilerProcess(const CompilerProcess&) = delete;
  CompilerProcess& operator=(const CompilerProcess&) = delete;
  /// Stops it.
  ~CompilerProcess();

  /// The status of waitpid(2) once it has ended; none while it runs. Never waits. -1 where somebody
  /// else was told.
  std::optional<int> ended();

 private:
  int reap();

  pid_t child_ = -1;
};

/// "ended with exit code 1", or by which signal.
std::string end_text(int status);

}  // namespace lapl
