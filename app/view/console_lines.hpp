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

/// A message whose lines are broken at spaces to fit into `columns` columns; the rest of a line is
/// indented by two. Lines that begin with a space, and words that are too long, stay.
std::string folded(const std::string& message, int columns);

}  // namespace lapl
