// Manual pages, made from the tree of commands: every word of them is one of --help too.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lapl {

/// The page of a command, or of the whole program where `command` is `app`, for man(1); in the
/// macros of man(7).
std::string man_page(const CLI::App& app, const CLI::App& command);

/// lapl.1, lapl-run.1
std::string man_page_name(const CLI::App& app, const CLI::App& command);

}  // namespace lapl
