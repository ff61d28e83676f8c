// Everything that follows from a run's config. A model is made once, so each formula is parsed once
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
  /// for messages, where the dataset is derived: "the laplacian", "filter smooth"
  std::string subject;
  std::int64_t field = 0;  ///< index in the state, where the dataset is not derived
  /// index in Captured::derived; none for a field of the state
  std::optional<std::size_t> derived;
};

/// A run's config with its parsed formulas, stages and outputs.
struct Model {
  /// Throws FormulaError or ConfigError where the config is not right.
  explicit Model(RunConfig config);

  RunConfig run;
  FormulaSystem system;                ///< the rates of the fields
  StepStages step;                     ///< the stages of one step
  std::vector<OutputDataset> outputs;  ///< in the order in which files store them
  /// Stages of the derived outputs and integrals, each making its value in the last array.
  /// Captured::derived holds derived outputs, then results of filters (which have no stages), then
  /// integrals.
  std::vector<StepStages> derived, integrals;
};

}  // namespace lapl
