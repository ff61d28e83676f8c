// Reads YAML into checked values in three steps: finds the keys that the file and the settings
// give, then the names that decide which keys exist, then reads each value by its key's schema. The
// rules between keys are checked afterwards (config_checks.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_keys.hpp"
#include "io/config/config_mistakes.hpp"

namespace lapl {

/// A name with a value in a file or a setting. It may turn out not to be a key.
struct Given {
  std::string name;  ///< dotted; the name of the section if a section is not a map
  std::string word;  ///< the key as written in a map of the file; empty for a setting
  Place key_place;
  YamlNode node;
};
/// The names and values in a file or in settings.
struct GivenKeys {
  std::vector<Given> keys;
  /// keys of sections that are wrong as a whole; only their names are used
  std::vector<Given> refused;
  std::map<std::string, TextPosition, std::less<>> sections;  ///< position of each section's name
  bool complete = true;  ///< false if the text has a syntax error
};

/// The keys in a config file's text; mistakes in the text are added to `mistakes`.
GivenKeys given_in_file(const std::string& text, Mistakes& mistakes);

/// The keys of settings ("KEY=VALUE"), in their order. A setting below a key, such as
/// output.every.time=2, changes an entry in the map of an earlier setting or of the file, or makes
/// a map.
GivenKeys given_in_settings(const std::vector<std::string>& settings, const GivenKeys& file,
                            Mistakes& mistakes);

/// The names that decide which keys a config has, as far as they are given without mistakes.
ConfigNames names_in_config(const GivenKeys& file, const GivenKeys& settings);

/// A key of the config with its value and place.
struct Entry {
  const ConfigKey* key = nullptr;  ///< row of the table by which the value was read
  std::optional<YamlNode> value;   ///< resolved; none: given but wrong
  Place place;                     ///< of the value; the place of the section for a default
  std::string origin;              ///< "default", "FILE:LINE" or "--set"

  /// True if the value is right and null.
  bool is_null() const { return value && value->kind == YamlNode::Kind::null; }
};

/// Entries by dotted key.
using Entries = std::map<std::string, Entry, std::less<>>;

/// Reads all given values by the keys in `table`; the last value of a key wins. `name` is the
/// file's name in the origins.
Entries read_entries(const GivenKeys& given, const std::string& name, const ConfigTable& table,
                     Mistakes& mistakes);

}  // namespace lapl
