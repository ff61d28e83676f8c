// The engines by name: what `compute.engine` accepts and people can read about.
#pragma once

#include <span>
#include <string_view>

namespace lapl {

struct EngineInfo {
  std::string_view name;
  std::string_view backend;  ///< "cpu" or "cuda"
  std::string_view summary;
};

/// Every engine, whether or not this build can run it.
std::span<const EngineInfo> engine_table();

}  // namespace lapl
