// The view of a run that lapl watch shows, for a terminal of any size.
//
//     tutorial                                                          running on node7
//     ████████████████████████████░░░░░░░░░░░░░░░░░░░░  58%  step 5800 of 10000
//     2.26 GCells/s · 1 min 10 s left · 2000 x 2000 float32 · blocked on Xeon
//
//     min 0  max 0.501  mean 0.15             field, step 5000
//       0.501 ⠉⠉⠉⠒⠒⠤⠤⣀⣀                       ▀▀▀▀▀▀▀▀▀▀▀▀
//           0 ⣀⣀⣀⣀⣀⣀⣀⣀⣀                       ▀▀▀▀▀▀▀▀▀▀▀▀
//
// Several fields have a row of graph and picture each, as many as have room. The newest outputs
// follow:
//
//          step        time         min         max        mean  digest
#pragma once

#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "app/view/terminal/text_grid.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

struct WatchState {
  RunView run;
  std::string resume;         ///< command that resumes the run; empty while it runs
  std::vector<Panel> fields;  ///< of the newest output; the subtitle names its step
  std::string field_note;     ///< why there is no field to show
  std::string only = {};      ///< the only field to show; empty: as many as have room
  std::string keys = {};      ///< text about the keys in the last row; empty: no such row
  bool list_outputs = true;
};

/// Speed, time left, grid, engine and device, as far as they are known.
std::vector<std::string> run_facts(const RunView& run);

/// At most `rows` lines of at most `columns` columns; both must be at least 1.
std::vector<std::string> watch_frame(const WatchState& state, int rows, int columns,
                                     TerminalColors colors);

/// The members of a sweep; a member's view has its values as its name, and no steps while it waits.
struct SweepState {
  std::string name;
  std::vector<RunView> members;
  std::string keys = {};  ///< text about the keys in the last row; empty: no such row
};

/// The same for a sweep: its progress, and a line for each member that has room; the failed ones
/// come first, then those that run, those that wait, and those that are complete.
std::vector<std::string> sweep_frame(const SweepState& state, int rows, int columns,
                                     TerminalColors colors);

}  // namespace lapl
