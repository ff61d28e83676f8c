// The text of configs: the bytes allowed in it, its form in YAML and in messages, and the known
// word nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// Index of the first byte that is invalid UTF-8 or a control character other than tab and newline;
/// text.size() if there is none.
std::size_t first_bad_byte(std::string_view text);

/// Removes the first UTF-8 character of `text` and returns it. If no character begins there,
/// removes one byte and returns none.
std::optional<char32_t> read_character(std::string_view& text);

/// True for one line of UTF-8 without control characters, which a resolved config can contain.
bool is_clean_line(std::string_view text);

/// The text as a YAML scalar: plain if that is safe, else in double quotes.
std::string yaml_text(std::string_view text);

/// `text` with "?" in place of invalid UTF-8 and of characters that control a terminal or change
/// the writing direction; tabs and newlines stay.
std::string printable(std::string_view text);

/// The same JSON value, with characters that control a terminal written as escapes.
std::string escaped_json(std::string_view json);

/// `text` as one line of at most 60 bytes for a message, with "?" as in printable, and also in
/// place of tabs and newlines.
std::string shown(std::string_view text);

/// True for plain scalars that YAML readers may read as null or as a truth value (yes, no, on, off,
/// ...).
bool is_reserved_word(std::string_view text);

/// Number of insertions, deletions, substitutions and swaps of neighbours between `a` and `b`,
/// ignoring case (optimal string alignment distance); limit + 1 if it is above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// Largest edit distance of a plausible misspelling: a third of the length, at least 1.
std::size_t misspelling_limit(std::string_view text);

/// The nearest of `words` within the misspelling limit; empty if none is near. A text of fewer than
/// `shortest` letters may differ in case only, because a guess at a short value misleads (gpu does
/// not mean cpu). For names of keys and commands, a guess is harmless, so `shortest` is 0.
std::string nearest_word(std::string_view text, const std::vector<std::string>& words,
                         std::size_t shortest = 4);

/// Joins words: "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& words);

}  // namespace lapl
