#include "io/config/config_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "io/config/config_number.hpp"

namespace lapl {
namespace {

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Length in bytes of the UTF-8 character at `start`; 0 if it is invalid (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text, std::size_t start) {
  const unsigned char lead = byte_at(text, start);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() - start < length) return 0;
  // The bounds exclude overlong forms, surrogates and code points above U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, start + 1) < low || byte_at(text, start + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte_at(text, start + i) & 0xC0) != 0x80) return 0;
  return length;
}

bool is_control(unsigned char byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
}

/// The code point of a valid character.
char32_t code_point(std::string_view character) {
  constexpr std::array<unsigned char, 5> lead_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = byte_at(character, 0) & lead_bits.at(character.size());
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6 | (byte_at(character, i) & 0x3F);
  return code;
}

/// True for terminal controls (C0, DEL, C1), line ends, direction controls and noncharacters.
bool is_command(char32_t code) {
  const auto within = [code](char32_t low, char32_t high) { return code >= low && code <= high; };
  return within(0, 0x1F) || within(0x7F, 0x9F) || code == 0x061C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069) || code == 0xFEFF ||
         within(0xFFFE, 0xFFFF);
}

enum class CharacterKind { printed, command, broken };  // broken: a byte of invalid UTF-8

/// Calls `use(character, kind)` for each character of the text.
template <class Use>
void for_each_character(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::string_view before = text;
    const std::optional<char32_t> code = read_character(text);
    use(before.substr(0, before.size() - text.size()), !code ? CharacterKind::broken
                                                       : is_command(*code)
                                                           ? CharacterKind::command
                                                           : CharacterKind::printed);
  }
}

}  // namespace

std::optional<char32_t> read_character(std::string_view& text) {
  const std::size_t length = character_length(text, 0);
  const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
  text.remove_prefix(character.size());
  return length == 0 ? std::nullopt : std::optional(code_point(character));
}

std::size_t first_bad_byte(std::string_view text) {
  std::size_t index = 0;
  while (index < text.size()) {
    const std::size_t length = character_length(text, index);
    if (length == 0 || is_control(byte_at(text, index))) return index;
    index += length;
  }
  return index;
}

bool is_clean_line(std::string_view text) {
  return first_bad_byte(text) == text.size() && text.find_first_of("\t\n\r") == text.npos;
}

std::string yaml_text(std::string_view text) {
  const auto is_safe = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || c == '_' || c == '/' || c == '.' || c == '-';
  };
  const bool starts_plain =
      !text.empty() && (std::isalpha(byte_at(text, 0)) || text[0] == '_' || text[0] == '/');
  if (starts_plain && std::all_of(text.begin(), text.end(), is_safe) && !is_reserved_word(text) &&
      read_number(text).fault.empty())
    return std::string(text);
  std::string quoted = "\"";
  for_each_character(text, [&](std::string_view character, CharacterKind kind) {
    if (character == "\"" || character == "\\") quoted += '\\';
    if (kind != CharacterKind::command) {  // keeps invalid UTF-8, which parse_yaml refuses
      quoted += character;
    } else {
      const auto code = static_cast<std::uint32_t>(code_point(character));
      quoted += code > 0xFF ? fmt::format("\\u{:04X}", code) : fmt::format("\\x{:02X}", code);
    }
  });
  return quoted + '"';
}

std::string printable(std::string_view text) {
  std::string result;
  for_each_character(text, [&](std::string_view character, CharacterKind kind) {
    const bool space = character == "\n" || character == "\t";
    result += space || kind == CharacterKind::printed ? character : "?";
  });
  return result;
}

std::string escaped_json(std::string_view json) {
  std::string result;
  for_each_character(json, [&](std::string_view character, CharacterKind kind) {
    if (kind == CharacterKind::command && character != "\n")
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point(character)));
    else
      result += character;
  });
  return result;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result;
  bool whole = true;
  for_each_character(text, [&](std::string_view character, CharacterKind kind) {
    const std::string_view piece = kind == CharacterKind::printed ? character : "?";
    whole = whole && result.size() + piece.size() <= longest;
    if (whole) result += piece;
  });
  return whole ? result : result + "...";
}

bool is_reserved_word(std::string_view text) {
  static constexpr std::array<std::string_view, 9> reserved = {"yes", "no", "on",   "off",  "true",
                                                               "y",   "n",  "null", "false"};
  return std::ranges::any_of(
      reserved, [&](std::string_view word) { return edit_distance(text, word, 0) == 0; });
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  // Three rows of the dynamic-programming table: two rows back, one row back, and the current row.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::size_t misspelling_limit(std::string_view text) {
  return std::max<std::size_t>(1, text.size() / 3);
}

std::string nearest_word(std::string_view text, const std::vector<std::string>& words,
                         std::size_t shortest) {
  std::string nearest;
  std::size_t limit = text.size() < shortest ? 0 : misspelling_limit(text);
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(text, word, limit);
    if (distance > limit || distance >= word.size()) continue;
    if (nearest.empty() || distance < limit) nearest = word;
    limit = distance;
  }
  return nearest;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace lapl
