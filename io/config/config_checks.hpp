// Checks the rules between config keys.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config_mistakes.hpp"
#include "io/config/config_reader.hpp"
#include "solver/equation/equation.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The base of checkers: the entries of a config, some of which may be wrong, and the config that
/// the right ones make.
class KeyChecker {
 public:
  KeyChecker(const RunConfig& run, const Entries& entries, Mistakes& mistakes)
      : run_(run), entries_(entries), mistakes_(mistakes) {}

 protected:
  /// True if none of these keys has a wrong value.
  bool right(std::initializer_list<const char*> keys) const {
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) {
      const auto at = entries_.find(key);
      return at != entries_.end() && at->second.value;
    });
  }
  bool all_right() const {
    return std::ranges::all_of(entries_,
                               [](const auto& entry) { return entry.second.value.has_value(); });
  }
  /// True if the key has a value that is not null, right or wrong. A key that another key's kind
  /// excludes has no entry.
  bool given(std::string_view key) const {
    const auto at = entries_.find(key);
    return at != entries_.end() && !at->second.is_null();
  }
  /// Advice in messages about numbers beyond the run's precision: float64, if that is float32.
  const char* or_float64() const {
    return run_.precision == Precision::float32 ? ", or compute.precision: float64" : "";
  }
  void add(const char* key, const std::string& what) {
    mistakes_.add(entries_.at(key).place, key, what);
  }

  const RunConfig& run_;
  const Entries& entries_;
  Mistakes& mistakes_;
};

/// Checks the keys of section grid, and eigenmodes, which must fit the grid.
void check_grid(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

/// Checks time.start and the times that must follow it, the end of the run, and the interval of
/// outputs.
void check_times_given(const RunConfig& run, const Entries& entries, Mistakes& mistakes);

/// Adds a mistake for every broken rule. `entries` holds every key that applies, `run` the values
/// of the keys without a mistake of their own. Skips a rule if one of its keys has such a mistake.
/// `of_splitting` has the mistakes that split_complex_fields found
/// (solver/equation/complex_parts.hpp). Returns the system of the config, if there is no mistake.
std::optional<FormulaSystem> check_together(const RunConfig& run, const Entries& entries,
                                            Mistakes& mistakes,
                                            const std::vector<KeyMistake>& of_splitting);

}  // namespace lapl
