// The backend that a config asks for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

struct BackendChoice {
  std::string backend;  ///< "cpu" or "cuda"
  std::string reason;   ///< for people
};

/// The backend that is named; for auto that of the engine, where one is named, else the GPU where
/// one can be used, else the CPU.
BackendChoice choose_backend(const std::string& backend, const std::string& engine = "auto");
BackendChoice choose_backend(const RunConfig& config);

using Note = std::function<void(const std::string&)>;

/// With its engine and its filters, not yet with a state; called by all ranks. `coefficients`: see
/// problem_of. `note` is given what was chosen, and why. Throws ConfigError for a filter that does
/// not fit, IoError for one that cannot be read, DeviceError where memory does not suffice.
template <class T>
std::unique_ptr<Backend<T>> run_backend(
    const Model& model, const BackendChoice& choice, const CoefficientFields& coefficients,
    Ranks& ranks = only_rank(), const Note& note = [](const std::string&) {});

}  // namespace lapl
