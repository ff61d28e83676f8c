// A backend that is one of several ranks. It steps its block of the grid with any engine, and fills
// the halo from its neighbours once per several steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The costs of ranks on a backend. `through_host` is the result of why_through_host, `one_machine`
/// is true if no rank is on another machine.
RankCosts costs_of_ranks(const std::string& backend, const std::string& through_host,
                         bool one_machine);

/// All data on which the decomposition of a problem depends; `derived` are the derived outputs.
template <class T>
Division problem_division(const Problem<T>& problem, const std::vector<DerivedOutput<T>>& derived,
                          const std::string& backend, const std::string& engine, int ranks,
                          const RankCosts& costs);

/// make_backend for several ranks, with `problem` on the whole grid and the derived outputs. All
/// ranks must call it, and all functions of the result except block() and stepping_seconds(). The
/// values of coefficients are those of the first rank's `problem`; the values in `derived` are not
/// read. Without `by`, decompose() chooses the decomposition.
template <class T>
std::unique_ptr<Backend<T>> make_ranked_backend(Ranks& ranks, const std::string& backend,
                                                const std::string& engine,
                                                const Problem<T>& problem,
                                                const std::vector<DerivedOutput<T>>& derived,
                                                int threads,
                                                const std::optional<Decomposition>& by = {});

}  // namespace lapl
