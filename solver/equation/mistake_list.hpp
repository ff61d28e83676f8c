// Mistakes in a config's formulas, collected one after the other, and the checks of its conditions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {

/// A list of mistakes. A mistake in a quantity is listed once, even if several formulas read the
/// quantity.
class MistakeList {
 public:
  explicit MistakeList(const RunConfig& run) : run_(run) {}

 protected:
  bool is_quantity(const std::string& name) const {
    return std::ranges::any_of(run_.equation.quantities,
                               [&](const auto& entry) { return entry.first == name; });
  }
  std::string fields_text() const {
    std::string text;
    for (const std::string& field : run_.fields) text += (text.empty() ? "" : ", ") + field;
    return text;
  }

  void use(const std::set<std::string>& names) { used_.insert(names.begin(), names.end()); }
  void add(const std::string& key, const std::string& what) {
    found_.push_back({.key = key, .what = what});
  }

  // Runs `body` and records its FormulaError: at equation.let if the mistake is in a quantity, else
  // at `key`, with `part` before the message. Returns false if `body` has thrown one.
  template <class Body>
  bool attempt(const std::string& key, const Body& body, const std::string& part = "") {
    try {
      body();
      return true;
    } catch (const FormulaError& error) {
      if (!reported_.insert({error.of, error.text, error.at}).second) return false;
      const bool quantity = is_quantity(error.of);
      found_.push_back({.key = quantity ? "equation.let" : key,
                        .what = quantity ? fmt::format("{}: {}{}", error.of, error.what(),
                                                       key.starts_with("boundary")
                                                           ? fmt::format(", where {} reads it", key)
                                                           : "")
                                         : part + error.what(),
                        .formula = error.text,
                        .at = error.at,
                        .word = error.word,
                        .known = error.known});
      return false;
    }
  }

  const RunConfig& run_;
  std::vector<KeyMistake> found_;
  std::set<std::string> used_;  // names that formulas read

 private:
  std::set<std::tuple<std::string, std::string, std::size_t>> reported_;
};

/// Checks conditions of sides and of the mask's boundary, and the sides of integrals.
class ConditionChecker : public MistakeList {
 protected:
  using MistakeList::MistakeList;

  void check_conditions();
  void check_faces(const IntegralConfig& integral);
  void check_box(const IntegralConfig& integral);
  void check_nodes(const std::string& key, const std::string& why);

 private:
  void check_condition(const std::string& key, SideCondition condition,
                       const std::function<void(SideCondition)>& write);
  void check_absorbing(const std::string& key, SideCondition condition,
                       const std::vector<std::string>& arrays);
  void check_node_value(const std::string& key, const SideCondition& condition,
                        const ConditionTerms& terms);
  void check_sides();
};

class StageMaker;

/// Checks next values, values after steps, windows, and fields that are solved for together.
class MapChecker : public ConditionChecker {
 protected:
  using ConditionChecker::ConditionChecker;

  void check_windows();
  void check_maps();
  /// Adds the names that equation.after reads to `looked_at`.
  void check_after(StageMaker& check, const FormulaSystem& system,
                   std::set<std::string>& looked_at);
  bool has_other_fields(const SolveConfig& solve);
};

}  // namespace lapl
