// Pages about a run beside those of lapl report.
#pragma once

#include <filesystem>

#include "app/view/plot/plot_source.hpp"

namespace lapl {

/// The page of lapl report with pictures of the newest output alone. Throws IoError; also if there
/// is no output yet.
std::string newest_report(const std::filesystem::path& folder, Origin origin);

/// Serves the page of lapl watch --web and prints its address. Returns only by an exception:
/// ConfigError if it cannot serve, IoError if `folder` is not a run folder.
int watch_web(const std::filesystem::path& folder, Origin origin, int port);

}  // namespace lapl
