// Input: a config of lapl filter as text; read up to the weights of its filters.
#include "io/filters/filter_job.hpp"

#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const lapl::FilterJob job =
      lapl::load_filter_job(lapl::fuzz::file_with(lapl::fuzz::input_text(data, size)));
  for (const lapl::FilterConfig& filter : job.filters)
    if (filter.kernel != lapl::KernelKind::hdf5)
      static_cast<void>(lapl::make_correlation<double>(filter, {64, 48}));
  return 0;
} catch (const lapl::ConfigError&) {
  return 0;
}
