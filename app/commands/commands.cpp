#include "app/commands/commands.hpp"

#include "lapl_version.hpp"

namespace lapl {
namespace {

constexpr const char* program_description =
    "lapl solves partial differential equations on a grid. A YAML config writes them as formulas. "
    "A GPU or the CPU computes the steps. Results are HDF5 files, which h5py, xarray, ncdump and "
    "ParaView open.";

constexpr const char* footer = R"(Examples:
  lapl new gray-scott-coral -o coral.yaml
  lapl run coral.yaml
  lapl plot runs/coral --movie
  lapl help config time.step

Exit codes:
  0   complete
  1   internal error
  2   usage or config
  3   unstable, not finite, or different when computed again
  4   input or output
  5   device or memory
  6   checkpoint unusable
  7   diff or verify-restart found differences
  75  stopped early, can be resumed)";

}  // namespace

CommandLine command_line() {
  return {"lapl", program_description, "lapl " LAPL_VERSION " (" LAPL_COMMIT ")", footer,
          all_commands};
}

}  // namespace lapl
