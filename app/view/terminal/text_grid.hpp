// A grid of characters with colours, and the text that shows it on a terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/view/plot/colormap.hpp"

namespace lapl {

/// Colours of a terminal: none, the 256 of xterm, or 24 bits.
enum class TerminalColors { none, palette, full };

struct TextStyle {
  std::optional<Rgb> ink = {};    ///< of the character; none: the terminal's default
  std::optional<Rgb> paper = {};  ///< of the background; none: the terminal's default
  bool bold = false;
  bool dim = false;

  bool operator==(const TextStyle&) const = default;
};

/// A rectangle in a TextGrid.
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

  /// Puts untrusted UTF-8 text, clipped at the right edge. Invalid bytes, and characters that may
  /// not be one column wide, become "?". Returns the column after the text.
  int text(int row, int column, std::string_view utf8, TextStyle style = {});

  /// Puts one character that is one column wide; ignored outside the grid.
  void glyph(int row, int column, char32_t character, TextStyle style = {});

  /// The text of each row without trailing spaces; each ends with the default colours. Without
  /// colours it contains no escape sequences.
  std::vector<std::string> lines(TerminalColors colors) const;

 private:
  struct Cell {
    char32_t character = U' ';
    TextStyle style;
  };

  int rows_, columns_;
  std::vector<Cell> cells_;
};

/// The number of columns that TextGrid::text fills.
int text_columns(std::string_view utf8);

}  // namespace lapl
