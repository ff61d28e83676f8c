#include "kernels/filters/cpu/cpu_filter.hpp"

#include <fmt/format.h>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/error.hpp"
#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {

template <class T>
std::unique_ptr<CpuFilter<T>> make_cpu_filter(const FilterPlan<T>& plan, int threads) {
  const Correlation<T>& correlation = plan.correlation;
  const FilterLoops<T>& loops = widest<FilterLoops<T>>();
  switch (plan.method) {
    case FilterMethod::separable: {
      const auto weights = separate(correlation);
      if (!weights)
        throw ConfigError(
            "method separable: the {} x {} weights are not the product of a column and a row",
            correlation.window.rows, correlation.window.columns);
      return make_separable_filter(correlation, *weights, loops, threads);
    }
    case FilterMethod::fft: return make_fft_filter(correlation, threads);
    default: return make_direct_filter(correlation, loops, threads);
  }
}
LAPL_FOR_FLOATS(make_cpu_filter);

}  // namespace lapl
