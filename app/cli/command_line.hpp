// From the words of a command line to what is to be done.
#pragma once

#include <functional>

namespace lapl {

/// What a command does; returns the exit code.
using Action = std::function<int()>;

/// What the words ask for; --help and --version are done at once. Throws ConfigError for words that
/// nobody knows or that do not go together.
Action parse_command_line(int argc, char** argv);

}  // namespace lapl
