// Enumerators by the names that configs and messages have for them: one table an enumeration.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <vector>

namespace lapl {

template <class Enumeration>
struct Named {
  Enumeration value;
  const char* name;
  const char* summary = "";  ///< one line for people
};

/// The table of an enumeration, in the order in which lists have it; specialised beside each.
template <class Enumeration>
inline constexpr int name_table = 0;

template <class Enumeration>
requires std::is_enum_v<Enumeration>
const char* name_of(Enumeration value) {
  for (const auto& row : name_table<Enumeration>)
    if (row.value == value) return row.name;
  return "";
}

/// The names in a table, or in a part of one.
template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.name);
  return words;
}

}  // namespace lapl
