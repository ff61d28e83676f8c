#include "kernels/filters/covariance.hpp"

#include <omp.h>

#include <type_traits>

#include "kernels/backend.hpp"
#include "kernels/cpu/startable_threads.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/cuda_backend.hpp"
#endif

namespace lapl {

template <class Storage>
void add_covariance_on(const std::string& backend, const CovarianceProblem& problem,
                       CovarianceTerms<Storage>& terms, int threads) {
  if (backend == "cpu")
    return add_covariance(problem, terms,
                          startable_threads(threads > 0 ? threads : omp_get_num_procs()));
  if (const std::string reason = cuda_unavailable(); !reason.empty())
    throw DeviceError("backend cuda: " + reason);
  if constexpr (std::is_same_v<Storage, double>)
    throw DeviceError(
        "backend cuda: covariance in float64 is made on the CPU alone (expected cpu)");
#ifdef LAPL_HAS_CUDA
  else
    add_covariance_cuda(problem, terms);
#endif
}
LAPL_FOR_FLOATS(add_covariance_on);
template void add_covariance_on(const std::string&, const CovarianceProblem&,
                                CovarianceTerms<Half>&, int);

}  // namespace lapl
