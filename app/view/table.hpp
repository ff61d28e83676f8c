// Tables in plain text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lapl {

/// Lines of cells, preceded by `indent` spaces. Each column is as wide as its longest cell, but the
/// last cell of a line may be wider. Lines may have different numbers of cells.
std::string table_text(const std::vector<std::vector<std::string>>& lines, int indent = 0);

/// The text of a value in a cell: numbers with six digits, the two ends of a long list, nothing for
/// null.
std::string cell_text(const nlohmann::ordered_json& value);

}  // namespace lapl
