// A run as plain values: what a config file says once it is read and checked.
// io/config/config_keys.cpp describes each entry (unit, range, default); the defaults here are
// those of the design.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/boundary.hpp"
#include "kernels/fractal.hpp"
#include "kernels/grid.hpp"
#include "solver/filter_config.hpp"
#include "solver/names.hpp"
#include "solver/precision.hpp"

namespace lapl {

template <>
inline constexpr auto name_table<Boundary> = std::to_array<Named<Boundary>>(
    {{Boundary::zero, "zero", "the nodes just outside are held at 0"},
     {Boundary::insulated, "insulated", "nothing flows through the edge"},
     {Boundary::periodic, "periodic", "the grid goes on at the opposite edge"}});

/// solver/initial_field.hpp says what each is.
enum class InitialKind { fractal, uniform, gaussian, checkerboard, sine, image, hdf5 };

struct InitialConfig {
  InitialKind kind = InitialKind::fractal;
  FractalParameters fractal;                  ///< fractal
  double value = 1;                           ///< uniform
  double amplitude = 1;                       ///< gaussian, checkerboard, sine
  std::array<double, 2> center = {0.5, 0.5};  ///< gaussian: of the number of rows, columns
  double width = 0.1;     ///< gaussian: standard deviation, of the number of rows (columns where 1)
  std::int64_t tile = 8;  ///< checkerboard: edge of a square, in cells
  std::array<std::int64_t, 2> mode = {1, 1};  ///< sine: eigenmode numbers along rows, columns
  std::string path;                           ///< image, hdf5: absolute path of the file
  std::string dataset = "/field";             ///< hdf5
};

/// solver/equation/equation.hpp says what each is.
enum class EquationKind { diffusion };

struct EquationConfig {
  EquationKind kind = EquationKind::diffusion;
  std::map<std::string, double, std::less<>> parameters;  ///< those that are given

  std::optional<double> number(std::string_view parameter) const {
    const auto at = parameters.find(parameter);
    return at == parameters.end() ? std::nullopt : std::optional(at->second);
  }
};

/// Every so many steps, or every so many seconds of wall-clock time; exactly one is set.
struct Cadence {
  std::optional<std::int64_t> steps;
  std::optional<double> seconds;
};

struct RunConfig {
  Shape shape;
  double spacing = 1;  ///< h
  Boundaries boundaries;
  InitialConfig initial;

  EquationConfig equation;
  std::optional<double> time_step;  ///< dt; unset where the equation's parameters imply it
  std::int64_t steps = 0;

  std::string backend = "auto";  ///< auto, cuda or cpu
  std::string engine = "auto";   ///< auto or a name from engine_table
  Precision precision = Precision::float32;
  int threads = 0;  ///< CPU threads; 0: as many as pay, at most one a core

  std::string directory;  ///< of the run folder, as given
  std::int64_t output_every = 2500;
  std::vector<std::string> output_fields = {"field", "laplacian"};

  std::vector<FilterConfig> filters;  ///< of the field; their results are outputs too

  Cadence checkpoint_every = {.steps = 2500, .seconds = std::nullopt};
  std::int64_t checkpoints_kept = 3;

  std::optional<double> wall_time;  ///< seconds
  std::int64_t check_finite_every = 500;
  std::optional<std::int64_t> verify_every;  ///< steps; unset: never (solver/verification.hpp)
};

}  // namespace lapl
