#include "app/commands/backend_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/backend.hpp"
#include "kernels/engines.hpp"

namespace lapl {

BackendChoice choose_backend(const std::string& backend, const std::string& engine) {
  if (backend != "auto") return {backend, "compute.backend asks for it"};
  const auto named = std::ranges::find(engine_table(), engine, &EngineInfo::name);
  if (named != engine_table().end())
    return {std::string(named->backend), fmt::format("engine {} runs there", engine)};
  // What lapl list says of a GPU that is there and cannot be used would fill lines at every run.
  if (cuda_unavailable().empty()) return {"cuda", "a GPU is here"};
  return {"cpu", "no usable GPU"};
}

}  // namespace lapl
