// Reads YAML into checked values in three steps: finds the keys that a file and the settings give,
// then the names on which the key table depends, then reads each value by its key's schema.
// config_checks.hpp then checks the rules between keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_keys.hpp"
#include "io/config/config_mistakes.hpp"

namespace lapl {

/// A name with a value in a file or a setting, before it is known to be a key.
struct Given {
  std::string name;  ///< dotted; the section's name where a section is not a map
  std::string word;  ///< the key as written in the file's map; empty: a setting's key
  Place key_place;
  YamlNode node;
};
/// The names and values in a file or in settings.
struct GivenKeys {
  std::vector<Given> keys;
  /// keys of sections that are wrong as a whole; used for their names alone
  std::vector<Given> refused;
  std::map<std::string, TextPosition, std::less<>> sections;  ///< position of each section's name
  bool complete = true;  ///< false where the text has a syntax error
};

/// The keys of a config file's text; faults of the text are added to `mistakes`.
GivenKeys given_in_file(const std::string& text, Mistakes& mistakes);

/// The keys of settings ("KEY=VALUE"), in their order.
GivenKeys given_in_settings(const std::vector<std::string>& settings, Mistakes& mistakes);

/// The names on which a config's keys depend, as far as it has given them rightly.
ConfigNames names_in_config(const GivenKeys& file, const GivenKeys& settings);

/// A key of the config with its value and place.
struct Entry {
  const ConfigKey* key = nullptr;  ///< in the table by which the value was read
  std::optional<YamlNode> value;   ///< resolved; unset: given but wrong
  Place place;                     ///< of the value; for a default that of its section
  std::string origin;              ///< "default", "FILE:LINE" or "--set"

  /// True for a right value that is null.
  bool is_null() const { return value && value->kind == YamlNode::Kind::null; }
};

/// Entries by dotted key.
using Entries = std::map<std::string, Entry, std::less<>>;

/// Reads all given values by the keys in `table`; the last value of a key wins. Origins call the
/// file `name`.
Entries read_entries(const GivenKeys& given, const std::string& name,
                     const KeyTable<RunConfig>& table, Mistakes& mistakes);

/// The key of `table` or the section that a misspelt name probably means; empty where none is near.
std::string nearest_key(const std::string& name, const KeyTable<RunConfig>& table = config_keys());

}  // namespace lapl
