// Everything that follows from a run's config. There is one model per run, so each formula is
// parsed once and each list of stages is built once.
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
  std::string name, description;    ///< the description is the field's label where it has one
  std::string unit, standard_name;  ///< empty where the config gives none
  /// name in messages, if the dataset is derived: "the laplacian", "filter smooth"
  std::string subject;
  std::int64_t field = 0;  ///< index in the state, if the dataset is not derived
  /// index in Captured::derived; none for a field of the state on a grid without a mask
  std::optional<std::size_t> derived;
};

/// A run's config with its parsed formulas, stages and outputs.
struct Model {
  /// Throws FormulaError or ConfigError if the config is wrong.
  explicit Model(const RunConfig& config);
  /// The same for a config whose system is known.
  Model(RunConfig config, FormulaSystem of_config);

  RunConfig run;
  FormulaSystem system;                ///< the rates of the fields
  StepStages step;                     ///< the stages of one step
  std::vector<OutputDataset> outputs;  ///< in the order in which files store them
  /// Stages of the derived outputs and of the integrals; each StepStages computes one value into
  /// its last array. On a grid with a mask the first derived outputs are the fields of the state,
  /// with fill_value outside. Captured::derived holds the derived outputs, then results of filters
  /// (which have no stages), then the integrals.
  std::vector<StepStages> derived, integrals;
  std::optional<StepStages>
      stop;  ///< of limits.stop; its values come before those of the integrals
};

}  // namespace lapl
