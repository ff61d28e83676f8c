// The program without the set-up of its process, which main.cpp does.
#pragma once

namespace lapl {

/// Reads the command line, does what it says, and turns what goes wrong into an exit code. Prints
/// to the standard streams. Throws std::bad_alloc where no memory is left to say what went wrong.
int run_program(int argc, char** argv);

}  // namespace lapl
