#include "kernels/memory.hpp"

#include "kernels/backend.hpp"
#include "kernels/cpu/available_memory.hpp"
#include "kernels/cuda/field_layout.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/device_info.hpp"
#endif

namespace lapl {

Memory memory_needed(const std::string& backend, Shape shape, std::size_t value_size,
                     std::size_t filters) {
  const double rows = static_cast<double>(shape.rows);
  const double field = rows * static_cast<double>(shape.columns) * static_cast<double>(value_size);
  const double results = static_cast<double>(filters) * field;
  if (backend == "cpu") return {4 * field + results, 0};  // two to step, field, Laplacian
  const std::int64_t pitch =
      value_size == 4 ? field_layout<float>(shape).pitch : field_layout<double>(shape).pitch;
  const double padded = rows * static_cast<double>(pitch) * static_cast<double>(value_size);
  return {2 * field + results, 2 * padded + 2 * field + results};
}

Memory memory_available(const std::string& backend) {
  Memory available{static_cast<double>(available_memory()), 0};
#ifdef LAPL_HAS_CUDA
  if (backend == "cuda" && cuda_unavailable().empty()) available.device = free_device_memory();
#else
  static_cast<void>(backend);
#endif
  return available;
}

}  // namespace lapl
