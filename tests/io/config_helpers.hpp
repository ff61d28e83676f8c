// Helpers for tests of configs.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/error.hpp"

namespace lapl {

/// A config with only the required keys.
inline const std::string smallest_config =
    "grid: {shape: [4, 5]}\n"
    "equation: {coefficient: 0.25}\n"
    "time: {steps: 1}\n";

inline LoadedConfig parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_config(text, "bad.yaml", "/configs", settings);
}

/// The mistakes in a config as text; "accepted" if there are none.
inline std::string mistakes_in(const std::string& text,
                               const std::vector<std::string>& settings = {}) {
  try {
    parse(text, settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

/// Checks that an accepted config has the same keys and values when it is read from its resolved
/// form, and returns "accepted"; else returns its mistakes.
inline std::string come_back(const std::string& text,
                             const std::vector<std::string>& settings = {}) {
  std::vector<ResolvedKey> keys;
  std::string resolved;
  try {
    const LoadedConfig config = parse(text, settings);
    keys = config.keys;
    resolved = resolved_yaml(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  CAPTURE(resolved);
  const LoadedConfig again = parse_config(resolved, "config.yaml", "/elsewhere", {});
  const auto values = [](const std::vector<ResolvedKey>& all) {
    std::vector<std::string> lines;
    for (const ResolvedKey& key : all) lines.push_back(key.key + " = " + key.value);
    return lines;
  };
  CHECK(values(again.keys) == values(keys));
  CHECK(values(resolved_keys(resolved)) == values(keys));
  return "accepted";
}

/// The smallest config with `line` in place of its section's line, or at the end.
inline std::string config_with(const std::string& line) {
  const std::string section = line.substr(0, line.find(':')) + ':';
  std::string text;
  bool replaced = false;
  for (std::size_t start = 0; start < smallest_config.size();) {
    const std::size_t end = smallest_config.find('\n', start) + 1;
    const std::string old = smallest_config.substr(start, end - start);
    const bool same = old.starts_with(section);
    text += same ? line + '\n' : old;
    replaced = replaced || same;
    start = end;
  }
  return replaced ? text : text + line + '\n';
}

/// The resolved value of a key; empty if the key does not apply.
inline std::string config_value(const LoadedConfig& config, const std::string& key) {
  for (const ResolvedKey& resolved : config.keys) {
    if (resolved.key == key) return resolved.value;
  }
  return {};
}

}  // namespace lapl
