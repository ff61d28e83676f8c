// Input: a run config as text, and a --set string after each byte 0x01. An accepted config must
// load again from its resolved form with the same values.
#include "io/config/config.hpp"

#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

#include "kernels/error.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

// A grid of at most 32 cells along each axis in place of a larger one: the parser estimates steps
// on the whole grid, which is slow under sanitizers.
void make_small(const std::string& text, std::vector<std::string>& settings) {
  try {
    auto shape = YAML::Load(text)["grid"]["shape"].as<std::vector<int>>();
    for (int& extent : shape) extent = std::min(extent, 32);
    settings.push_back(fmt::format("grid.shape={}", shape));
  } catch (const YAML::Exception&) {  // the parser under test says what is wrong
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream parts(std::string(lapl::fuzz::input_text(data, size)));
  std::string text, setting;
  std::vector<std::string> settings;
  std::getline(parts, text, '\x01');
  while (std::getline(parts, setting, '\x01')) settings.push_back(setting);
  make_small(text, settings);
  std::string resolved;
  std::vector<lapl::ResolvedKey> keys;
  try {
    const lapl::LoadedConfig config = lapl::parse_config(text, "fuzz.yaml", "/", settings);
    resolved = lapl::resolved_yaml(config);
    keys = config.keys;
  } catch (const lapl::ConfigError&) {
    return 0;
  }
  const lapl::LoadedConfig again = lapl::parse_config(resolved, "resolved.yaml", "/", {});
  if (again.keys.size() != keys.size()) std::abort();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (again.keys[i].key != keys[i].key || again.keys[i].value != keys[i].value) std::abort();
  return 0;
}
