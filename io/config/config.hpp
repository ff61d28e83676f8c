// Reads a run config (strict YAML) into checked values, and writes documents from the key table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solver/model.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The first bytes of a config file, or for `-` of standard input: at most one more than parse_yaml
/// accepts. Throws IoError if the file cannot be read.
std::string read_config_text(const std::filesystem::path& path);

/// One entry of a resolved config.
struct ResolvedKey {
  std::string key;     ///< dotted, such as grid.shape
  std::string value;   ///< as YAML
  std::string origin;  ///< "default", "FILE:LINE" or "--set"
};

/// A checked run config: its model, with the origin of each value.
struct LoadedConfig : Model {
  std::vector<ResolvedKey> keys;  ///< every key that applies, in the order of the key table
  /// A message for people: the number computed for time.step: auto or time.stages: auto, and the
  /// reason for it; empty where no number was computed.
  std::string step_note;
};

/// Reads a config file, then `settings` ("KEY=VALUE"; later ones win). time.step: auto and
/// time.stages: auto become numbers; computing one may need the initial fields. Throws ConfigError
/// with one line for each mistake, `file:line:column: key: what (what is right)`, and IoError if
/// the file cannot be read.
LoadedConfig load_config(const std::filesystem::path& path,
                         const std::vector<std::string>& settings);

/// Does the same for text in memory. Messages call it `name`; relative paths start from `folder`.
LoadedConfig parse_config(const std::string& text, const std::string& name,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& settings);

/// A config file, to be loaded again, with every key and the origin of each value as a comment.
std::string resolved_yaml(const LoadedConfig& config);

/// Reads the keys of a text that resolved_yaml returned, or of another text with one key a line.
/// The comment of a line becomes the key's `origin`.
std::vector<ResolvedKey> resolved_keys(const std::string& yaml);

/// JSON Schema (2020-12) of a config file.
std::string config_schema();

/// A key, its meaning, and the words that it accepts, if any.
struct KeyChoices {
  std::string name;
  std::string meaning;
  std::vector<std::string> words;
};
/// Every key, and also `boundary`, which sets the boundaries of all axes at once.
std::vector<KeyChoices> config_key_choices();

/// The setting KEY="TEXT", with escapes so that `text` may hold any character.
std::string text_setting(const std::string& key, const std::string& text);

}  // namespace lapl
