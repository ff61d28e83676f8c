// The keys of a filter, both in `filters` of a run's config and in the config of `lapl filter`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "io/config/key_table.hpp"
#include "solver/filters/filter_config.hpp"

namespace lapl {

const KeyTable<FilterConfig>& filter_keys();

/// Reads one filter by its schema (schema.hpp). Relative paths stay relative.
YamlNode read_filter(const YamlNode& node, const std::string& path, YamlProblems& problems);
/// Reads a list of filters.
YamlNode read_filters(const YamlNode& node, const std::string& path, YamlProblems& problems);
/// The schema of a list of filters.
Schema filters();

/// Stores a resolved map in a filter.
void assign(FilterConfig& filter, const YamlNode& map);

/// The mistake in a filter's name, which becomes the name of a dataset: not a plain word, or
/// already in `taken`. If there is none, adds the name to `taken` and returns an empty text.
std::string filter_name_problem(const std::string& name, std::set<std::string>& taken);

nlohmann::ordered_json filter_schema();

/// The kernel of a window in section kernels: a name from WindowKind, or weights as a filter's.
Schema window_kernel();
/// Stores weights, or the file that has them.
void put_kernel(FilterConfig& filter, const YamlNode& node);

}  // namespace lapl
