// The origin of a run's files: program, machine, command.
#pragma once

#include <string>

#include "io/hdf5/step_file.hpp"
#include "kernels/backend.hpp"

namespace lapl {

/// Remembers the command line for the provenance; must be called first in main.
void remember_command_line(int argc, char** argv);
/// The words of the command line without the program.
const std::vector<std::string>& command_words();

/// Name of this machine.
std::string host_name();

/// The program as it was called, quoted for a shell, such as build/bin/lapl.
std::string program_name();

/// Time of day and command line, as a line for netCDF's attribute `history`.
std::string history_line();

/// `text` in UTF-8, quoted as one word for a shell; other bytes and control characters become
/// escapes that bash, zsh and ksh read ($'\\xFF').
std::string shell_quoted(const std::string& text);

/// `path` as text for files; if it is not UTF-8, shell_quoted(path).
std::string path_text(const std::string& path);

/// Version, commit, compiler and flags, backend, engine, device, driver, threads, host, start time
/// and command line.
Provenance make_provenance(const BackendDescription& description);

/// The texts of a picture of `source`, a run folder or a file with this provenance: this program
/// and its command line, the source, the steps that are drawn, then its provenance. `config_digest`
/// is the seal's checksum (docs/format.md) of the config's text.
Provenance picture_provenance(const std::string& source, const std::string& steps,
                              const Provenance& of_source);

}  // namespace lapl
