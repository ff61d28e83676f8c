// From YAML to checked values by key: which keys a file and the settings give, each value by its
// own type. What keys say together is checked later (config_checks.hpp).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_keys.hpp"
#include "io/config/config_mistakes.hpp"

namespace lapl {

struct Entry {
  const ConfigKey* key = nullptr;  ///< of the table that it was read by
  std::optional<Value> value;      ///< unset: given, but wrong
  Place place;                     ///< of the value; for a default that of the section
  std::string origin;              ///< "default", "FILE:LINE" or "--set"
};

/// By dotted name of the key.
using Entries = std::map<std::string, Entry, std::less<>>;

struct FileEntries {
  Entries entries;
  std::map<std::string, TextPosition, std::less<>> sections;  ///< where each section's name stands
  bool complete = true;  ///< false where the text could not be read to its end
};

/// The names on which the keys of a config depend, as far as its text and its settings say them.
ConfigNames names_of_config(const std::string& text, const std::vector<std::string>& settings);

/// What a config file says, by the keys in `table`; `name` stands for it in origins.
FileEntries read_file_entries(const std::string& text, const std::string& name,
                              const KeyTable<RunConfig>& table, Mistakes& mistakes);

/// What the settings ("KEY=VALUE") say; the last one of a key wins.
Entries read_setting_entries(const std::vector<std::string>& settings,
                             const KeyTable<RunConfig>& table, Mistakes& mistakes);

/// The value of a key's preset.
Value preset_value(const ConfigKey& key);

/// The key in `table`, or the section, that an unknown name may mean; empty where none is near.
std::string nearest_key(const std::string& name, const KeyTable<RunConfig>& table = config_keys());

}  // namespace lapl
