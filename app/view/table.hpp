// Columns for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lapl {

/// Lines of cells, each column as wide as its longest cell but the last of a line; with `indent`
/// spaces in front. Lines may differ in length.
std::string table_text(const std::vector<std::vector<std::string>>& lines, int indent = 0);

/// A value as it stands in a cell: numbers with six digits, long lists by their ends, nothing for
/// null.
std::string cell_text(const nlohmann::ordered_json& value);

}  // namespace lapl
