// The report of a run, of which lapl report makes a file and lapl watch --web a page.
#pragma once

#include <filesystem>

#include "app/view/plot/plot_source.hpp"
#include "app/view/report/page.hpp"

namespace lapl {

/// The most outputs with pictures in the page of lapl report.
inline constexpr std::size_t most_report_steps = 60;

/// Reads a run folder for its report, with pictures of at most `most` outputs, the last one
/// included. Throws IoError; also if there is no output yet.
ReportContent report_content(const std::filesystem::path& folder, Origin origin, std::size_t most);

/// Serves the page of lapl watch --web and prints its address. Returns only by an exception:
/// ConfigError if it cannot serve, IoError if `folder` is not a run folder.
int watch_web(const std::filesystem::path& folder, Origin origin, int port);

}  // namespace lapl
