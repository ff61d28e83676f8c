#include "app/backend_choice.hpp"

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
  const std::string reason = cuda_unavailable();
  if (reason.empty()) return {"cuda", "compute.backend is auto and a GPU is here"};
  return {"cpu", fmt::format("compute.backend is auto; no GPU: {}", reason)};
}

}  // namespace lapl
