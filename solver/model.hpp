// The model is made once from a run's config and read by everybody: each formula is parsed once,
// and each list of stages built once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// One dataset of a run's outputs.
struct OutputDataset {
  std::string name, description, unit;
  std::string subject;     ///< of messages, where it is derived: the laplacian, filter smooth
  std::int64_t field = 0;  ///< of the state, where it is not derived
  std::optional<std::size_t> derived;  ///< its place in Captured::derived; none for the state
};

struct Model {
  /// Throws FormulaError or ConfigError where the config is not right.
  explicit Model(RunConfig config);

  RunConfig run;
  FormulaSystem system;                ///< the rates of its fields
  StepStages step;                     ///< what makes the state anew
  std::vector<OutputDataset> outputs;  ///< in the order in which files hold them
  /// Captured::derived has derived outputs, then results of filters (which have no stages), then
  /// integrals. Each list of stages makes its value in the last array.
  std::vector<StepStages> derived, integrals;
};

}  // namespace lapl
