// Names of enumerators in configs and messages: one table per enumeration.
#pragma once

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lapl {

/// A row of a table of names.
template <class Enumeration>
struct Named {
  Enumeration value;
  const char* name;
  const char* summary = "";  ///< one line for people
};

/// The table of an enumeration, in the order in which names are listed; specialised beside the
/// enumeration.
template <class Enumeration>
inline constexpr int name_table = 0;

/// The row of an enumerator, which the table must have.
template <class Enumeration>
requires std::is_enum_v<Enumeration>
const auto& table_row(Enumeration value) {
  return *std::ranges::find(name_table<Enumeration>, value,
                            [](const auto& row) { return row.value; });
}

template <class Enumeration>
requires std::is_enum_v<Enumeration>
const char* enum_name(Enumeration value) { return table_row(value).name; }

/// The words of a list such as "a,b,c".
inline std::vector<std::string> comma_separated(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

/// True for a letter followed by letters, digits and underscores.
inline bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The names in a table or in a part of it.
template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.name);
  return words;
}

}  // namespace lapl
