// A backend that is one of several ranks: steps its block of the grid with any engine, on a halo
// that is filled from the neighbours once in so many steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// What ranks take; `through_host`: why_through_host.
RankCosts costs_of_ranks(const std::string& backend, const std::string& through_host,
                         bool one_machine);

/// What dividing a problem among ranks depends on; `derived`: what outputs derive. Throws
/// ConfigError for an engine that steps on one rank alone.
template <class T>
Division division_of(const Problem<T>& problem, const std::vector<DerivedPlan<T>>& derived,
                     const std::string& backend, const std::string& engine, int ranks,
                     const RankCosts& costs);

/// As make_backend, for `problem` on the whole grid; called by all ranks, as is everything of what
/// it returns but block() and stepping_seconds(). Sets what it derives. The values of coefficients
/// are those of the first rank's `problem`; on several ranks those in `derived` are not read. `by`:
/// else that of decompose.
template <class T>
std::unique_ptr<Backend<T>> make_ranked_backend(Ranks& ranks, const std::string& backend,
                                                const std::string& engine,
                                                const Problem<T>& problem,
                                                const std::vector<DerivedPlan<T>>& derived,
                                                int threads,
                                                const std::optional<Decomposition>& by = {});

}  // namespace lapl
