// Three steps lead from YAML to checked values by key: they find which keys a file and the settings
// give, then the names on which the table of keys depends, then read each value by its key's
// schema. config_checks.hpp looks later at rules between keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_keys.hpp"
#include "io/config/config_mistakes.hpp"

namespace lapl {

/// A file or a setting gives a value by this name, before any key is known.
struct Given {
  std::string name;  ///< dotted; of a section, where that is no map
  std::string word;  ///< of the file's map: the key as it stands there; empty: a setting's key
  Place key_place;
  YamlNode node;
};
struct GivenKeys {
  std::vector<Given> keys;
  std::vector<Given> refused;  ///< of sections that are wrong as a whole: they count as names alone
  std::map<std::string, TextPosition, std::less<>> sections;  ///< where each section's name stands
  bool complete = true;  ///< false where the text could not be read to its end
};

GivenKeys given_in_file(const std::string& text, Mistakes& mistakes);

/// Collects the keys of settings ("KEY=VALUE"), in their order.
GivenKeys given_in_settings(const std::vector<std::string>& settings, Mistakes& mistakes);

/// The names on which the keys of a config depend, as far as it says them.
ConfigNames names_in_config(const GivenKeys& file, const GivenKeys& settings);

struct Entry {
  const ConfigKey* key = nullptr;  ///< of the table that it was read by
  std::optional<YamlNode> value;   ///< resolved; unset: given, but wrong
  Place place;                     ///< of the value; for a default that of the section
  std::string origin;              ///< "default", "FILE:LINE" or "--set"

  /// Whether it is right, and null.
  bool is_null() const { return value && value->kind == YamlNode::Kind::null; }
};

/// By dotted name of the key.
using Entries = std::map<std::string, Entry, std::less<>>;

/// Reads all that is given by the keys in `table`; the last one of a key wins. `name` stands for
/// the file in origins.
Entries read_entries(const GivenKeys& given, const std::string& name,
                     const KeyTable<RunConfig>& table, Mistakes& mistakes);

/// The key in `table`, or the section, that an unknown name may mean; empty where none is near.
std::string nearest_key(const std::string& name, const KeyTable<RunConfig>& table = config_keys());

}  // namespace lapl
