// Characters in rows and columns with colours, and the text that shows them on a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/view/plot/colormap.hpp"

namespace lapl {

/// Colours of a terminal: none, the 256 of xterm, or all of 24 bits.
enum class TerminalColors { none, palette, full };

struct TextStyle {
  std::optional<Rgb> ink = {};    ///< none: the terminal's own
  std::optional<Rgb> paper = {};  ///< likewise
  bool bold = false;
  bool dim = false;

  bool operator==(const TextStyle&) const = default;
};

/// Part of a grid.
struct TextArea {
  int row = 0;
  int column = 0;
  int rows = 0;
  int columns = 0;
};

class TextGrid {
 public:
  TextGrid(int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  /// Puts text in UTF-8, wherever it comes from, cut off at the right end. A character that may not
  /// be one column wide, or is no text, shows as "?". Returns the column after it.
  int text(int row, int column, std::string_view utf8, TextStyle style = {});

  /// Puts one character that is one column wide; nothing outside the grid.
  void glyph(int row, int column, char32_t character, TextStyle style = {});

  /// One text a row, without the spaces at its end; each ends with the terminal's own colours.
  /// Without colours there is no escape sequence in it.
  std::vector<std::string> lines(TerminalColors colors) const;

 private:
  struct Cell {
    char32_t character = U' ';
    TextStyle style;
  };

  int rows_, columns_;
  std::vector<Cell> cells_;
};

/// How many columns TextGrid::text takes for it.
int text_columns(std::string_view utf8);

}  // namespace lapl
