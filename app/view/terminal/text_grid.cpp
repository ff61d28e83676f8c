#include "app/view/terminal/text_grid.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "io/config/config_text.hpp"

namespace lapl {
namespace {

// True for Latin, Greek and Cyrillic characters, except combining marks. Every terminal shows them
// in one column, and none is a control character.
bool is_plain(char32_t c) {
  return (c >= 0x20 && c < 0x7f) || (c > 0xa0 && c < 0x300 && c != 0xad) ||
         (c >= 0x370 && c < 0x483) || (c >= 0x48a && c < 0x530);
}

// Removes the first character from `utf8` and returns it; '?' for one that is not drawn.
char32_t read_plain(std::string_view& utf8) {
  const auto character = read_character(utf8);
  return character && is_plain(*character) ? *character : U'?';
}

void append_utf8(std::string& text, char32_t c) {
  const auto byte = [&](char32_t value) { text.push_back(static_cast<char>(value)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {  // no character beyond the basic plane is drawn
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// The nearest of xterm's 6 x 6 x 6 colours and 24 greys.
int palette_index(Rgb rgb) {
  constexpr std::array levels = {0, 95, 135, 175, 215, 255};
  const std::array parts = {static_cast<int>(rgb >> 16 & 255), static_cast<int>(rgb >> 8 & 255),
                            static_cast<int>(rgb & 255)};
  int cube = 0, cube_distance = 0;
  for (const int part : parts) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < levels.size(); ++i)
      if (std::abs(levels[i] - part) < std::abs(levels[nearest] - part)) nearest = i;
    cube = 6 * cube + static_cast<int>(nearest);
    cube_distance += (levels[nearest] - part) * (levels[nearest] - part);
  }
  const int mean = (parts[0] + parts[1] + parts[2]) / 3;
  const int grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
  int grey_distance = 0;
  for (const int part : parts) grey_distance += (8 + 10 * grey - part) * (8 + 10 * grey - part);
  return grey_distance < cube_distance ? 232 + grey : 16 + cube;
}

std::string color_sequence(int kind, Rgb rgb, TerminalColors colors) {
  if (colors == TerminalColors::palette) return fmt::format(";{};5;{}", kind, palette_index(rgb));
  return fmt::format(";{};2;{};{};{}", kind, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255);
}

std::string escape_sequence(const TextStyle& style, TerminalColors colors) {
  std::string sequence = "\033[0";
  if (style.bold) sequence += ";1";
  if (style.dim) sequence += ";2";
  if (style.ink) sequence += color_sequence(38, *style.ink, colors);
  if (style.paper) sequence += color_sequence(48, *style.paper, colors);
  return sequence + "m";
}

}  // namespace

int text_columns(std::string_view utf8) {
  int columns = 0;
  for (; !utf8.empty(); ++columns) read_plain(utf8);
  return columns;
}

TextGrid::TextGrid(int rows, int columns)
    : rows_(rows),
      columns_(columns),
      cells_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

int TextGrid::text(int row, int column, std::string_view utf8, TextStyle style) {
  for (; !utf8.empty(); ++column) glyph(row, column, read_plain(utf8), style);
  return column;
}

void TextGrid::glyph(int row, int column, char32_t character, TextStyle style) {
  if (row < 0 || row >= rows_ || column < 0 || column >= columns_) return;
  cells_[row * columns_ + column] = {character, style};
}

std::vector<std::string> TextGrid::lines(TerminalColors colors) const {
  std::vector<std::string> lines;
  for (auto row = cells_.begin(); row != cells_.end(); row += columns_) {
    auto end = row + columns_;
    while (end != row && end[-1].character == U' ' && !end[-1].style.paper) --end;
    std::string line;
    TextStyle current;
    for (auto cell = row; cell != end; ++cell) {
      if (colors != TerminalColors::none && cell->style != current)
        line += escape_sequence(current = cell->style, colors);
      append_utf8(line, cell->character);
    }
    if (current != TextStyle{}) line += "\033[0m";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace lapl
