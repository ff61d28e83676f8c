// Reads tables of numbers in text files, .csv files among them.
#pragma once

#include "io/readers/stored_array.hpp"

namespace lapl {

/// The array of a table: lines of numbers with blanks or commas between them. # begins a comment.
///
/// - If the line before the first numbers (a comment or not) names the columns, and names x, y and
///   z (column, row, plane) as far as the grid has these axes, each line is a cell: its position
///   and its values. `column` chooses among several values. The lines may have any order; together
///   they must be a grid with even steps, each position once. Values ascend with the positions.
/// - Else the table is the array: a line is a row, and empty lines separate planes or records. One
///   line alone is an array of one axis; so is one column, if the grid has one axis.
///
/// Throws IoError that names the file and the line.
StoredArray table_array(const std::filesystem::path& path, const std::string& column,
                        int grid_axes);

}  // namespace lapl
