// Where a run's files come from: program, machine, command.
#pragma once

#include <string>

#include "io/hdf5/step_file.hpp"
#include "kernels/backend.hpp"

namespace lapl {

/// Remembers the command line for the provenance of files; to be called first in main.
void remember_command_line(int argc, char** argv);
/// Its words, without the program.
const std::vector<std::string>& command_words();

/// Name of this machine.
std::string host_name();

/// How this program was called, such as build/bin/lapl, quoted for a shell.
std::string program_name();

/// Time of day and command line, as a line of the attribute history of netCDF files.
std::string history_line();

/// `text` quoted so that a shell takes it as one word, in UTF-8: other bytes, and control
/// characters, are written as bash, zsh and ksh read them ($'\\xFF').
std::string shell_quoted(const std::string& text);

/// `path` for texts in files: quoted like that where it is not UTF-8.
std::string path_text(const std::string& path);

/// Version, commit, compiler and flags, backend, engine, device, driver, threads, host, start time
/// and command line.
Provenance provenance_of(const BackendDescription& description);

}  // namespace lapl
