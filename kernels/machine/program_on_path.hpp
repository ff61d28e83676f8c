// Finds programs in the absolute folders of PATH. Relative folders are skipped, so that a program
// in the current folder cannot replace them.
#pragma once

#include <string>
#include <vector>

namespace lapl {

bool is_program(const std::string& path);

std::vector<std::string> absolute_folders_of_path();

/// The path of the first program called `name` in the folders; empty if there is none.
std::string program_in(const std::vector<std::string>& folders, const std::string& name);

}  // namespace lapl
