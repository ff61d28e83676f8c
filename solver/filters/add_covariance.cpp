#include "solver/filters/add_covariance.hpp"

#include "kernels/backend.hpp"
#include "solver/clock.hpp"

namespace lapl {

template <class Storage>
CovarianceOutcome add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms,
                                 const std::string& backend, int threads) {
  CovarianceOutcome outcome{.backend = backend};
  if (backend == "auto")
    outcome.backend =
        sizeof(Storage) < sizeof(double) && cuda_unavailable().empty() ? "cuda" : "cpu";
  auto& [input, mu, gamma, c] = terms;
  if (c.size() == 1) c.resize(problem.outputs, c.front());
  const bool finite = all_finite(input) && all_finite(mu) && all_finite(gamma) && all_finite(c);
  const Clock::time_point start = Clock::now();
  add_covariance_on(outcome.backend, problem, terms, threads);
  outcome.seconds = seconds_since(start);
  outcome.overflows = finite && !all_finite(input);
  return outcome;
}
template CovarianceOutcome add_covariance(const CovarianceProblem&, CovarianceTerms<Half>&,
                                          const std::string&, int);
template CovarianceOutcome add_covariance(const CovarianceProblem&, CovarianceTerms<float>&,
                                          const std::string&, int);
template CovarianceOutcome add_covariance(const CovarianceProblem&, CovarianceTerms<double>&,
                                          const std::string&, int);

}  // namespace lapl
