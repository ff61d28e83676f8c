// Programs that this one starts: looked for on PATH, in its absolute entries alone, so that a
// folder that somebody works in cannot put its own in their place.
#pragma once

#include <string>
#include <vector>

namespace lapl {

bool is_program(const std::string& path);

std::vector<std::string> absolute_folders_of_path();

/// The path of the first program of that name; empty where there is none.
std::string program_in(const std::vector<std::string>& folders, const std::string& name);

}  // namespace lapl
