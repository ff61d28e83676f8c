// The one description of a filter's keys, in a run config's `filters` and in `lapl filter`'s
// config.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/config/key_table.hpp"
#include "solver/filters/filter_config.hpp"

namespace lapl {

const KeyTable<FilterConfig>& filter_keys();

/// Reads one filter and returns what is wrong; `path` stands before its keys in messages. Relative
/// paths stay as they are.
YamlProblems read_filter(const YamlNode& node, const std::string& path, FilterConfig& filter);

/// The filters of a list, and everything that is wrong with it.
std::pair<std::vector<FilterConfig>, YamlProblems> read_filters(const YamlNode& node);

/// What is wrong with the name of a filter whose result is a dataset of that name: no plain word,
/// or one of `taken`, to which it is added; empty where nothing is.
std::string filter_name_problem(const std::string& name, std::set<std::string>& taken);

/// The filter as one line of YAML, every key that matters, that reads back as the same filter.
std::string yaml_of(const FilterConfig& filter);

nlohmann::ordered_json filter_schema();

/// A Markdown table: key, value, default, meaning.
std::string filter_reference();

}  // namespace lapl
