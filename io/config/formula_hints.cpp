#include "io/config/formula_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "io/config/config_text.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/formula.hpp"

namespace lapl {
namespace {

/// Functions of other programs and their names in lapl; empty if lapl has no such function.
constexpr std::pair<std::string_view, std::string_view> other_functions[] = {
    {"laplace", "laplacian"},
    {"lap", "laplacian"},
    {"del2", "laplacian"},
    {"div", "divergence"},
    {"grad", "gradient"},
    {"ln", "log"},
    {"sgn", "sign"},
    {"if", "where"},
    {"fmod", "mod"},
    {"remainder", "mod"},
    {"xor", "a != b"},
    {"randn", "noise"},
    {"white_noise", "noise"},
    {"d2_dydx", "d2_dxdy"},
    {"d2_dzdx", "d2_dxdz"},
    {"d2_dzdy", "d2_dydz"},
    {"time", "t"},
    {"pi", "pi"},
    {"asin", ""},
    {"acos", ""},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"erfc", "1 - erf(a)"}};

/// True for derivatives along an axis that the grid lacks, such as d2_dydz.
bool is_off_grid(std::string_view name, int axes) {
  return (axes < 3 && name.find("dz") != name.npos) || (axes < 2 && name.find("dy") != name.npos);
}

// The key in which a formula was written; for a part of a complex field, the key of that field.
std::string written_key(const std::string& key, const RunConfig& run, const Entries& entries) {
  const std::size_t dot = key.find('.');
  if (entries.contains(key) || dot == std::string::npos) return key;
  const std::string complex = complex_parent(run, key.substr(dot + 1));
  if (complex.empty()) return key;
  const std::string whole = key.substr(0, dot + 1) + complex;
  return entries.contains(whole) ? whole : "initial.formula";
}

// The line of a formula around byte `at`, and a second line with a caret below that byte.
std::string caret_lines(const std::string& formula, std::size_t at) {
  constexpr std::size_t before = 50, width = 80;
  at = std::min(at, formula.size());
  const std::size_t line = at == 0 ? std::string::npos : formula.rfind('\n', at - 1);
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  const std::size_t first = at - start > before ? at - before : start;
  std::string text = formula.substr(first, formula.find('\n', at) - first).substr(0, width);
  return fmt::format("\n    {}\n    {}^", printable(text), std::string(at - first, ' '));
}

// A hint for an unknown name in a formula: what other programs mean by it, or the nearest name.
std::string meant_by(const KeyMistake& mistake, int axes) {
  std::vector<std::string> names = mistake.known;
  std::erase_if(names, [&](const std::string& name) { return is_off_grid(name, axes); });
  const bool initial = mistake.key.starts_with("initial");
  if (initial && std::ranges::count(names_in(name_table<InitialKind>), mistake.word) > 0)
    return fmt::format("did you mean {{kind: {}}}?", mistake.word);
  for (const std::string_view draw : {"random", "rand", "randn"})
    if (mistake.word == draw)
      return initial ? "did you mean random, from 0 to 1?" : "did you mean noise?";
  if (mistake.word == "poisson") return "docs/solves.md has elliptic equations";
  for (const auto& [other, meant] : other_functions)
    if (edit_distance(mistake.word, other, 0) == 0 && !is_off_grid(meant, axes))
      return meant.empty() ? "docs/formulas.md has the functions that there are"
                           : fmt::format("did you mean {}?", meant);
  for (const std::string_view of_complex : {"i", "re", "im", "conj", "arg"})
    if (mistake.word == of_complex)
      return "it has a meaning in formulas of complex fields alone: docs/complex-fields.md";
  if (const std::string near = nearest_word(mistake.word, names, 0); !near.empty())
    return fmt::format("did you mean {}?", near);
  std::erase_if(names, [](const std::string& name) {
    return formula_function(name) != nullptr || name == "noise";
  });
  names.emplace_back("a function of docs/formulas.md");
  return "expected " + alternatives(names) + "; numbers of your own stand in parameters";
}

}  // namespace

void add_formula_mistakes(const std::vector<KeyMistake>& found, const RunConfig& run,
                          const Entries& entries, Mistakes& mistakes) {
  std::set<std::string> reported;  // a mistake in a complex formula comes with both parts
  for (const KeyMistake& mistake : found) {
    const auto parameter = entries.find("parameters." + mistake.word);
    if (parameter != entries.end() && !parameter->second.value) continue;  // is reported itself
    const std::string key = written_key(mistake.key, run, entries);
    std::string what = mistake.what;
    if (!mistake.word.empty()) what += fmt::format(" ({})", meant_by(mistake, run.shape.axes));
    const auto entry = entries.find(key);
    Place place = entry == entries.end() ? Place{} : entry->second.place;
    if (mistake.at) {
      what += caret_lines(mistake.formula, *mistake.at);
      const bool alone = entry != entries.end() && entry->second.value &&
                         entry->second.value->text == mistake.formula;
      if (place.in_file() && alone) place.position.column += static_cast<int>(*mistake.at);
    }
    if (reported.insert(key + ": " + what).second) mistakes.add(place, key, what);
  }
}

}  // namespace lapl
