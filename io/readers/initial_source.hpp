// Reads the fields that a config takes from files: initial fields and parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/initial_field.hpp"
#include "solver/model.hpp"
#include "solver/run_config.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

class StoredMask;

/// Notes on files with several records: each says which record is read.
using RecordNotes = std::vector<std::string>;

/// The initial fields that are read from files. Throws IoError if a file cannot be read, and
/// ConfigError if its shape is not grid.shape.
WholeFields load_initial_fields(const RunConfig& config, RecordNotes* notes = nullptr);

/// The values of each parameter that is a field and of the mask, from files or formulas. Throws the
/// same errors, also for a mask that is 0 everywhere.
CoefficientFields load_coefficients(const RunConfig& config, RecordNotes* notes = nullptr);

/// The mask as files have it; null without one. Throws the errors of load_coefficients about it.
std::shared_ptr<const StoredMask> stored_mask(const RunConfig& config);

/// Drops a mask if no cell is outside it, so that it costs nothing. Returns a note on cells inside
/// that have no neighbour inside; empty if there are none. Throws the errors of load_coefficients
/// about the mask, and ConfigError for a probe outside.
std::string resolve_mask(RunConfig& config);
/// Does the same for a model; makes the model again if its mask is dropped.
std::string resolve_mask(Model& model);

/// A note that errors of fluxes are of first order: if a coefficient of a divergence reads
/// neighbours, or the mask boundary is not made of walls along the axes. Else empty. Throws as
/// load_coefficients does.
std::string note_on_fluxes(const RunConfig& config);
/// Drops the mask and the conditions at its boundary.
void drop_mask(RunConfig& config);

/// The initial state and the coefficient fields, for an estimate of the largest stable step.
StateFields load_state_fields(const RunConfig& config, RecordNotes* notes = nullptr);

}  // namespace lapl
