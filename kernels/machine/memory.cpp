#include "kernels/machine/memory.hpp"

#include <algorithm>

#include "kernels/backend.hpp"
#include "kernels/cuda/field_layout.hpp"
#include "kernels/machine/available_memory.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/device_info.hpp"
#endif

namespace lapl {

Memory memory_needed(const std::string& backend, Shape shape, std::size_t value_size,
                     const ArrayCount& arrays) {
  const double rows = static_cast<double>(shape.planes) * static_cast<double>(shape.rows);
  const double field = rows * static_cast<double>(shape.columns) * static_cast<double>(value_size);
  const auto fields = static_cast<double>(arrays.fields);
  const double handed_out = (fields + static_cast<double>(arrays.derived)) * field;
  const double others = static_cast<double>(arrays.others) * field;
  if (backend == "cpu") return {2 * fields * field + handed_out + others, 0};
  const std::int64_t pitch =
      value_size == 4 ? field_layout<float>(shape).pitch : field_layout<double>(shape).pitch;
  const double padded = rows * static_cast<double>(pitch) * static_cast<double>(value_size);
  return {handed_out, 2 * fields * padded + handed_out + others};
}

Memory spectral_memory(const std::string& backend, Shape shape, bool source) {
  const auto array = static_cast<double>(shape.cells()) * sizeof(double);
  if (backend == "cpu") return {array * (source ? 6 : 1), 0};
  double batch = 0;
  for (const std::int64_t size : shape.extents()) {
    const double line = 16 * (2 * static_cast<double>(size) + 2);  // between faces at 0
    const double all = line * static_cast<double>((shape.cells() / size + 1) / 2);
    batch =
        std::max(batch, std::max(line, std::min(all, static_cast<double>(spectral_batch_bytes))));
  }
  return {array * (source ? 4 : 0), array * (source ? 2 : 1) + 2 * batch};
}

Memory memory_available([[maybe_unused]] const std::string& backend) {
  Memory available{static_cast<double>(available_memory()), 0};
#ifdef LAPL_HAS_CUDA
  if (backend == "cuda" && cuda_unavailable().empty()) available.device = free_device_memory();
#endif
  return available;
}

}  // namespace lapl
