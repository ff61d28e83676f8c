// The lines that a run prints, for terminals of any width.
#pragma once

#include <string>

#include "io/run/run_writer.hpp"

namespace lapl {

/// Progress bar, percentage, step, speed and time left in less than `columns` columns; parts that
/// do not fit are left out.
std::string progress_line(const Progress& progress, int columns);

/// The same without the bar and without a limit.
std::string progress_text(const Progress& progress);

/// An output in at most `columns` columns (0: no limit). Numbers have four digits if all digits do
/// not fit; parts that still do not fit are left out.
std::string output_line(const StoredEvent& event, int columns);

}  // namespace lapl
