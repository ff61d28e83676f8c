// The backend that a run's config asks for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/commands/backend_choice.hpp"
#include "kernels/backend.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// With its engine and its filters, not yet with a state. `note` is given what was chosen, and why.
/// Throws ConfigError for a filter that does not fit, IoError for one that cannot be read,
/// DeviceError where memory does not suffice.
template <class T>
std::unique_ptr<Backend<T>> run_backend(const RunConfig& config, const BackendChoice& choice,
                                        const std::function<void(const std::string&)>& note);

}  // namespace lapl
