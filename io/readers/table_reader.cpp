#include "io/readers/table_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>

#include "io/config/config_text.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

/// Numbers in rows of equal length, and the line of each row.
struct Table {
  std::string file;
  std::vector<std::string> names;  ///< of the line before the numbers
  std::size_t columns = 0;
  std::vector<double> values;
  std::vector<std::size_t> lines;
  std::vector<std::size_t> blocks;  ///< the first row after each gap of empty lines

  std::size_t rows() const { return lines.size(); }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  template <class... Values>
  [[noreturn]] void refuse(fmt::format_string<Values...> format, Values&&... what) const {
    throw IoError("{}: {}", file, fmt::format(format, std::forward<Values>(what)...));
  }
};

// The words between commas if there are any, else between blanks; without quotation marks.
std::vector<std::string_view> words_in(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f", unused = " \t\r\v\f\"";
  const bool by_commas = line.find(',') != std::string_view::npos;
  std::vector<std::string_view> words;
  for (bool more = true; more;) {
    if (!by_commas) line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (!by_commas && line.empty()) break;
    const auto end = by_commas ? line.find(',') : line.find_first_of(blanks);
    std::string_view word = line.substr(0, end);
    word.remove_prefix(std::min(word.find_first_not_of(unused), word.size()));
    words.push_back(word.substr(0, word.find_last_not_of(unused) + 1));
    more = end != std::string_view::npos;
    if (more) line.remove_prefix(end + 1);
  }
  return words;
}

bool number_in(std::string_view word, double& number) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* const end = word.data() + word.size();
  const auto [after, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && after == end;
}

void add_row(Table& table, std::string_view line, std::size_t number) {
  const auto words = words_in(line);
  double value = 0;
  if (table.rows() == 0 &&
      std::ranges::none_of(words, [&](std::string_view word) { return number_in(word, value); })) {
    table.names.assign(words.begin(), words.end());
    return;
  }
  if (table.rows() == 0) table.columns = words.size();
  if (words.size() != table.columns)
    table.refuse("line {} has {} numbers, line {} has {} (expected lines of equal length)", number,
                 words.size(), table.lines.front(), table.columns);
  for (const std::string_view word : words) {
    if (!number_in(word, value))
      table.refuse("line {}: found {} (expected numbers with blanks or commas between them)",
                   number, word.empty() ? "no number between commas" : shown(std::string(word)));
    table.values.push_back(value);
  }
  table.lines.push_back(number);
}

Table read_table(const std::filesystem::path& path) {
  const std::string text = read_start(path);
  Table table;
  table.file = path.string();
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  bool gap = false;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto length = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    const auto comment = std::min(line.find('#'), line.size());
    const bool has_comment = comment < line.size();
    const std::string_view remark = line.substr(std::min(comment + 1, line.size()));
    line = line.substr(0, comment);
    if (line.find_first_not_of(" \t\r\v\f") == std::string_view::npos) {
      if (table.rows() == 0 && has_comment) {
        const auto words = words_in(remark);
        table.names.assign(words.begin(), words.end());
      }
      gap = gap || !has_comment;
      continue;
    }
    const std::size_t before = table.rows();
    add_row(table, line, number);
    if (gap && before > 0) table.blocks.push_back(before);
    gap = false;
  }
  if (table.rows() == 0) table.refuse("is a text without numbers");
  return table;
}

// The columns of x, y and z as far as the grid has these axes; none if one has no name.
std::vector<std::size_t> position_columns(const Table& table, int axes) {
  constexpr std::array<std::array<std::string_view, 2>, 3> names = {
      {{"x", "column"}, {"y", "row"}, {"z", "plane"}}};
  std::vector<std::size_t> columns;
  if (table.names.size() != table.columns) return columns;
  for (int axis = 0; axis < axes; ++axis) {
    const auto found = std::ranges::find_if(table.names, [&](const std::string& name) {
      return name == names[axis][0] || name == names[axis][1];
    });
    if (found == table.names.end()) return {};
    columns.push_back(static_cast<std::size_t>(found - table.names.begin()));
  }
  return columns;
}

std::size_t value_column(const Table& table, const std::vector<std::size_t>& positions,
                         const std::string& column) {
  std::vector<std::size_t> others;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.columns; ++i) {
    if (std::ranges::count(positions, i) > 0) continue;
    if (table.names[i] == column) return i;
    others.push_back(i);
    names.push_back(table.names[i]);
  }
  if (others.size() != 1)
    table.refuse(
        "has {} beside the positions, none of them is {} (dataset: names one)",
        names.empty() ? "no column" : fmt::format("the columns {}", fmt::join(names, ", ")),
        column);
  return others.front();
}

/// Even steps along one axis.
struct Steps {
  double first = 0, step = 0;
  std::size_t count = 1;
};

Steps steps_along(const Table& table, std::size_t column) {
  std::vector<double> sorted;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    sorted.push_back(table.at(row, column));
    if (!std::isfinite(sorted.back()))
      table.refuse("line {}: {} is {} (expected a finite position)", table.lines[row],
                   table.names[column], sorted.back());
  }
  std::ranges::sort(sorted);
  const double near = 1e-7 * (sorted.back() - sorted.front());
  const auto same = [&](double one, double next) { return next - one <= near; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  Steps steps{sorted.front(), 0, sorted.size()};
  if (sorted.size() == 1) return steps;
  steps.step = (sorted.back() - sorted.front()) / static_cast<double>(sorted.size() - 1);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (std::abs(sorted[i] - steps.first - static_cast<double>(i) * steps.step) > 0.1 * steps.step)
      table.refuse(
          "{} is {}, {}, ...: its {} values from {} to {} have uneven steps at {} (expected "
          "a grid of even steps)",
          table.names[column], sorted[0], sorted[1], sorted.size(), sorted.front(), sorted.back(),
          sorted[i]);
  return steps;
}

// The values in the order of the grid.
std::vector<double> on_grid(const Table& table, const std::vector<std::size_t>& positions,
                            std::size_t value, std::vector<hsize_t>& extent) {
  std::vector<Steps> steps;
  for (const std::size_t column : positions) steps.push_back(steps_along(table, column));
  double cells = 1;
  for (const Steps& axis : steps) {
    cells *= static_cast<double>(axis.count);
    extent.insert(extent.begin(), axis.count);
  }
  std::vector<double> values(table.rows());
  std::vector<std::size_t> by(table.rows(), 0);  // the line that has the cell's value
  if (cells > static_cast<double>(table.rows()))
    table.refuse("has {} lines for a grid of {} positions (expected one line for each)",
                 table.rows(), cells);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::size_t cell = 0;
    for (std::size_t axis = steps.size(); axis-- > 0;) {
      const auto [first, step, count] = steps[axis];
      const double place = step == 0 ? 0 : (table.at(row, positions[axis]) - first) / step;
      // A position a little beyond the last one is that one.
      cell = cell * count + std::min(static_cast<std::size_t>(std::lround(place)), count - 1);
    }
    if (by[cell] != 0)
      table.refuse("line {} has the position of line {} (expected each position once)",
                   table.lines[row], by[cell]);
    by[cell] = table.lines[row];
    values[cell] = table.at(row, value);
  }
  return values;
}

// The axes of a table that is the array itself.
std::vector<hsize_t> whole_extent(const Table& table, int grid_axes) {
  const std::size_t blocks = table.blocks.size() + 1, rows = table.rows() / blocks;
  for (std::size_t block = 1; block < blocks; ++block)
    if (table.blocks[block - 1] != block * rows || rows * blocks != table.rows())
      table.refuse(
          "{} lines in {} blocks, line {} begins one (expected blocks of equal length "
          "between empty lines)",
          table.rows(), blocks, table.lines[table.blocks[block - 1]]);
  if (blocks > 1 && (grid_axes > 1 || table.columns > 1)) return {blocks, rows, table.columns};
  if (table.rows() == 1) return {table.columns};
  if (table.columns == 1 && grid_axes == 1) return {table.rows()};
  return {table.rows(), table.columns};
}

}  // namespace

StoredArray table_array(const std::filesystem::path& path, const std::string& column,
                        int grid_axes) {
  Table table = read_table(path);
  StoredArray array;
  const auto positions = position_columns(table, grid_axes);
  const auto values = std::make_shared<std::vector<double>>();
  if (positions.empty()) {
    array.extent = whole_extent(table, grid_axes);
    *values = std::move(table.values);
  } else {
    const auto value = value_column(table, positions, column.substr(column.starts_with('/')));
    *values = on_grid(table, positions, value, array.extent);
  }
  array.bytes = held_bytes(values);
  return array;
}

}  // namespace lapl
