#include "app/commands/commands.hpp"

#include "lapl_version.hpp"

namespace lapl {
namespace {

constexpr const char* program_description =
    R"(lapl steps diffusion, or any equation that a YAML config writes as formulas, on a grid, on a GPU
or on the CPU, to HDF5 files that h5py, xarray, ncdump and ParaView open.
)";

constexpr const char* footer = R"(Examples:
  lapl new tutorial -o tutorial.yaml
  lapl run configs/tutorial.yaml
  lapl run configs/tutorial.yaml --set time.steps=1000 --output runs/short
  lapl resume runs/tutorial --set time.steps=20000
  lapl plot runs/tutorial -o tutorial.png
  lapl inspect runs/tutorial
  lapl diff runs/tutorial runs/other --rtol 1e-6
  lapl help plot

Exit codes: 0 complete; 1 internal error; 2 usage or config; 3 unstable, not finite, or not the
same when taken again; 4 input or output; 5 device or memory; 6 checkpoint unusable; 7 diff or
verify-restart found differences; 75 stopped early, can be resumed.)";

}  // namespace

LaplCommandLine::LaplCommandLine()
    : CommandLine("lapl", program_description, "lapl " LAPL_VERSION " (" LAPL_COMMIT ")", footer) {
  for (AddCommand* add_command : all_commands) add_command(*this);
}

}  // namespace lapl
