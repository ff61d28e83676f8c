// Text of configs: which bytes may be in it, how it is written as YAML and shown in messages, and
// which known word is meant by a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lapl {

/// Index of the first byte that is not part of valid UTF-8 or is a control character other than tab
/// and line end; the size of `text` where there is none.
std::size_t first_bad_byte(std::string_view text);

/// Whether a config may hold this text, and so a run that has it can go on: one line of UTF-8
/// without control characters.
bool is_clean_line(std::string_view text);

/// A scalar that YAML reads as this text: plain where that is safe, else in double quotes.
std::string yaml_text(std::string_view text);

/// `text` for a terminal: each byte but tabs and line ends that is not UTF-8, and each character
/// that a terminal could take for a command or for a turn of direction, as "?".
std::string printable(std::string_view text);

/// JSON, of which strings hold commands: the same value without them.
std::string escaped_json(std::string_view json);

/// `text` in one line for a message: at most 60 bytes, the same and tabs and line ends as "?".
std::string shown(std::string_view text);

/// Whether YAML readers may take the plain scalar for a truth value (yes, no, on, off, ...) or
/// null.
bool is_reserved_word(std::string_view text);

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, case apart
/// (optimal string alignment distance); more than `limit` is returned as limit + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// Largest distance at which `text` may still be a misspelling: a third of its length, at least 1.
std::size_t misspelling_limit(std::string_view text);

/// The nearest of `words` within the misspelling limit; empty where none is near. Guesses at short
/// values mislead (gpu is not meant to be cpu): below `shortest` letters only the case may differ.
/// Names of keys and commands have no such opposites: 0.
std::string nearest_word(std::string_view text, const std::vector<std::string>& words,
                         std::size_t shortest = 4);

/// "a", "a or b", "a, b or c".
std::string either_of(const std::vector<std::string>& words);

}  // namespace lapl
