// Chooses and creates the backend that a config selects.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/make_problem.hpp"
#include "solver/run.hpp"
#include "solver/run_config.hpp"

namespace lapl {

struct BackendChoice {
  std::string backend;  ///< "cpu" or "cuda"
  std::string reason;   ///< why it was chosen, for the user
};

/// Resolves "auto": the backend that the named engine runs on, or else CUDA if a GPU can be used,
/// else the CPU.
BackendChoice choose_backend(const std::string& backend, const std::string& engine = "auto");
BackendChoice choose_backend(const RunConfig& config);

using Note = std::function<void(const std::string&)>;

/// Creates the backend with engine and filters, without a state; all ranks must call it. See
/// make_problem for `coefficients`. Calls `note` with each choice and its reason. Throws
/// ConfigError or IoError for an unsuitable or unreadable filter, DeviceError if memory does not
/// suffice.
template <class T>
std::shared_ptr<Backend<T>> run_backend(
    const Model& model, const BackendChoice& choice, const CoefficientFields& coefficients,
    Ranks& ranks = only_rank(), const Note& note = [](const std::string&) {});

/// The model of the first steps: rkl2 with a tolerance begins with few stages, or with those of
/// `from`, the state of a restart.
Model first_model(const Model& model, const std::optional<StepState>& from);

/// A function that replaces `backend`, at first that of first_model, by one with another number of
/// stages. It keeps references to `backend`, `model` and `ranks`; empty if stages do not vary.
template <class T>
OtherStages<T> other_stages(std::shared_ptr<Backend<T>>& backend, const Model& model,
                            const std::optional<StepState>& from, const BackendChoice& choice,
                            const CoefficientFields& coefficients, Ranks& ranks);

}  // namespace lapl
