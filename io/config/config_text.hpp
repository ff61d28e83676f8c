// The text of configs: the bytes that are allowed in it, its form in YAML and in messages, and the
// known word nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// Index of the first byte that is invalid UTF-8 or a control character other than tab and line
/// end; text.size() where there is none.
std::size_t first_bad_byte(std::string_view text);

/// True for one line of UTF-8 without control characters: text that a resolved config can hold.
bool is_clean_line(std::string_view text);

/// The text as a YAML scalar: plain where that is safe, else in double quotes.
std::string yaml_text(std::string_view text);

/// `text` with "?" for invalid UTF-8 and for characters by which a terminal takes commands or turns
/// the writing direction; tabs and line ends stay.
std::string printable(std::string_view text);

/// The same JSON value with characters that command a terminal written as escapes.
std::string escaped_json(std::string_view json);

/// `text` as one line of at most 60 bytes for a message, with "?" as in printable and for tabs and
/// line ends.
std::string shown(std::string_view text);

/// True for plain scalars that YAML readers may take for a truth value (yes, no, on, off, ...) or
/// null.
bool is_reserved_word(std::string_view text);

/// Number of insertions, deletions, substitutions and swaps of neighbours between `a` and `b`,
/// ignoring case (optimal string alignment distance); limit + 1 where it is above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// Largest edit distance of a plausible misspelling: a third of the length, at least 1.
std::size_t misspelling_limit(std::string_view text);

/// The nearest of `words` within the misspelling limit; empty where none is near. For texts below
/// `shortest` letters only the case may differ, since guesses at short values mislead (gpu does not
/// mean cpu). Names of keys and commands have no such opposites; for them `shortest` is 0.
std::string nearest_word(std::string_view text, const std::vector<std::string>& words,
                         std::size_t shortest = 4);

/// Joins words: "a", "a or b", "a, b or c".
std::string either_of(const std::vector<std::string>& words);

}  // namespace lapl
