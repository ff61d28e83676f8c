// Reads a run config (strict YAML) into checked values, and makes documents from the key table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// The text of a config file, cut one byte above parse_yaml's limit. Throws IoError where it cannot
/// be read.
std::string read_config_text(const std::filesystem::path& path);

/// One entry of a resolved config.
struct ResolvedKey {
  std::string key;     ///< dotted, such as grid.shape
  std::string value;   ///< as YAML
  std::string origin;  ///< "default", "FILE:LINE" or "--set"
};

/// A checked run config with the origin of each value.
struct LoadedConfig {
  RunConfig run;
  std::vector<ResolvedKey> keys;  ///< every key that applies, in the order of the key table
  /// the value found for time.step: auto or time.stages: auto, for people; else empty
  std::string step_note;
};

/// Reads a config file, then `settings` ("KEY=VALUE", later ones win). time.step: auto and
/// time.stages: auto become numbers; if they must be estimated, the initial fields are computed for
/// it. Throws ConfigError with every mistake, one per line, as `file:line:column: key: what (what
/// is right)`, and IoError where the file cannot be read.
LoadedConfig load_config(const std::filesystem::path& path,
                         const std::vector<std::string>& settings);

/// The same for text in memory. Messages call it `name`; relative paths in it start from `folder`.
LoadedConfig parse_config(const std::string& text, const std::string& name,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& settings);

/// A config file with every key and the origin of each value as a comment. It can be loaded again.
std::string resolved_yaml(const LoadedConfig& config);

/// The keys in a text made by resolved_yaml.
std::vector<ResolvedKey> resolved_keys(const std::string& yaml);

/// JSON Schema (2020-12) of a config file.
std::string config_schema();

/// The key table as Markdown, for docs/config.md.
std::string config_reference();

/// The keys for --help, one per line, each after a line feed: name, form, default, meaning.
std::string config_key_help();

/// A key, its meaning, and the words that it accepts, if any.
struct KeyChoices {
  std::string name;
  std::string meaning;
  std::vector<std::string> words;
};
/// Every key, and `boundary`, which sets the keys of all axes at once.
std::vector<KeyChoices> config_key_choices();

/// The setting KEY="TEXT" with escapes, so that `text` may hold any character.
std::string text_setting(const std::string& key, const std::string& text);

}  // namespace lapl
