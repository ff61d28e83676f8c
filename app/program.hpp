// The program from its command line to its exit code. main.cpp prepares the process.
#pragma once

namespace lapl {

/// Runs the command that the command line names. Returns its exit code; an exception becomes a
/// message on stderr and an exit code. Throws std::bad_alloc if memory does not suffice for the
/// message.
int run_program(int argc, char** argv);

}  // namespace lapl
