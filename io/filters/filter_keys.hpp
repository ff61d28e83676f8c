// The one description of a filter's keys, in a run config's `filters` and in `lapl filter`'s
// config.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "io/config/key_table.hpp"
#include "solver/filters/filter_config.hpp"

namespace lapl {

const KeyTable<FilterConfig>& filter_keys();

/// Reads one filter (schema.hpp). Relative paths stay as they are.
YamlNode read_filter(const YamlNode& node, const std::string& path, YamlProblems& problems);
/// The same for a list of filters.
YamlNode read_filters(const YamlNode& node, const std::string& path, YamlProblems& problems);
Schema filters();

/// The filter in a resolved map.
void assign(FilterConfig& filter, const YamlNode& map);

/// What is wrong with the name of a filter whose result is a dataset of that name: no plain word,
/// or one of `taken`, to which it is added; empty where nothing is.
std::string filter_name_problem(const std::string& name, std::set<std::string>& taken);

nlohmann::ordered_json filter_schema();

/// A Markdown table: key, value, default, meaning.
std::string filter_reference();

}  // namespace lapl
