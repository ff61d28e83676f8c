// Input: an HDF5 file of another program as a filter's weights; used in each mode on a small grid.
#include "io/filters/filter_source.hpp"
#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lapl::FilterConfig filter;
  filter.kernel = lapl::KernelKind::hdf5;
  filter.path = lapl::fuzz::file_with(lapl::fuzz::input_text(data, size));
  filter.dataset = "field";
  for (const auto& mode : lapl::name_table<lapl::FilterMode>) try {
      filter.mode = mode.value;
      lapl::RunConfig run;
      run.shape = {5, 7};
      run.filters = {filter};
      const lapl::FilterConfig loaded = lapl::load_filters(run).front();
      if (lapl::make_correlation<float>(loaded, run.shape).output != run.shape) std::abort();
    } catch (const lapl::IoError&) {
    } catch (const lapl::ConfigError&) {
    }
  return 0;
}
