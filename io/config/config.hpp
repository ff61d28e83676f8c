// The run config: strict YAML in, checked values out, and the documents made from the key table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// The text of a config file, at most one byte more than parse_yaml takes. Throws IoError where it
/// cannot be read.
std::string read_config_text(const std::filesystem::path& path);

/// One entry of a resolved config.
struct ResolvedKey {
  std::string key;     ///< dotted, such as grid.shape
  std::string value;   ///< as YAML
  std::string origin;  ///< "default", "FILE:LINE" or "--set"
};

struct LoadedConfig {
  RunConfig run;
  std::vector<ResolvedKey> keys;  ///< every key that applies, in the order of the key table
  std::string step_note;  ///< what time.step: auto or time.stages: auto has come to; else empty
};

/// Reads a config file, then `settings` ("KEY=VALUE", later ones win).
/// time.step: auto and time.stages: auto are numbers from here on; where those have to be
/// estimated, the fields that the run begins with are made for it.
/// Throws ConfigError with every mistake, one a line, `file:line:column: key: what (what is
/// right)`; IoError where the file cannot be read.
LoadedConfig load_config(const std::filesystem::path& path,
                         const std::vector<std::string>& settings);

/// The same for text in memory; `name` stands for the file in messages, relative paths in the
/// config are taken from `folder`.
LoadedConfig parse_config(const std::string& text, const std::string& name,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& settings);

/// A config file that says every key, with the origin of each value as a comment. It loads again.
std::string resolved_yaml(const LoadedConfig& config);

/// The keys in a text that resolved_yaml made.
std::vector<ResolvedKey> resolved_keys(const std::string& yaml);

/// JSON Schema (2020-12) of a config file.
std::string config_schema();

/// The table of keys as Markdown: docs/config.md.
std::string config_reference();

/// One line a key, for --help, with a line feed before each: name, what it takes, default, meaning.
std::string config_key_help();

/// A key, what it means, and the words that it takes, if any.
struct KeyChoices {
  std::string name;
  std::string meaning;
  std::vector<std::string> words;
};
/// Every key, and `boundary`, which stands for both of its keys.
std::vector<KeyChoices> config_key_choices();

/// The setting that gives `key` this text, whatever characters are in it: KEY="TEXT" with escapes.
std::string text_setting(const std::string& key, const std::string& text);

}  // namespace lapl
