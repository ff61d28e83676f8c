// The lines that a run prints, for terminals of any width.
#pragma once

#include <string>

#include "io/run/run_writer.hpp"

namespace lapl {

/// Bar, part, step, speed and time left in less than `columns` columns; what has no room is left
/// out.
std::string progress_line(const Progress& progress, int columns);

/// The same without a bar, all of it.
std::string progress_text(const Progress& progress);

/// An output in at most `columns` columns: all digits where they have room, else four, and what
/// still has none is left out. 0: any width.
std::string output_line(const StoredEvent& event, int columns);

}  // namespace lapl
