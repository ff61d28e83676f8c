// Mistakes in next values, in values after steps, in windows and in fields that are solved for.
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/error.hpp"
#include "solver/equation/mistake_list.hpp"
#include "solver/equation/stage_maker.hpp"
#include "solver/filters/window_config.hpp"

namespace lapl {

void MapChecker::check_windows() {
  for (const auto& [name, window] : run_.kernels) {
    if (window.kind == WindowKind::hdf5 && window.weights.empty()) continue;  // not read
    try {
      convolution_window(window, run_);
    } catch (const ConfigError& error) {
      add("kernels", fmt::format("{}: {}", name, error.what()));
    } catch (const FormulaError&) {  // the check of its formula reports it
    }
  }
}

void MapChecker::check_after(StageMaker& check, const FormulaSystem& system,
                             std::set<std::string>& looked_at) {
  for (const auto& [name, text] : run_.equation.after)
    if (std::ranges::count(run_.fields, name) == 0)
      add("equation.after",
          fmt::format("found {} (expected fields: {})", name, fmt::join(run_.fields, ", ")));
    else if (std::ranges::count(run_.equation.solves, name, &SolveConfig::field) > 0)
      add("equation.after", fmt::format("found {}, which its equation in equation.let determines "
                                        "(expected another field)",
                                        name));
    else if (run_.equation.maps.contains(name))
      add("equation.after", fmt::format("found {}, which has {{next: FORMULA}} (expected the "
                                        "value after a step there)",
                                        name));
  for (const auto& replaced : system.after) {
    const Formula& formula = replaced.second;
    attempt(
        "equation.after",
        [&] {
          const std::set<std::string>& names = check.names_read_by(formula);
          looked_at.insert(names.begin(), names.end());
          if (names.contains("noise"))
            throw FormulaError(0, "reads noise, which only rates and next values have",
                               formula.name, formula.text);
        },
        formula.name + ": ");
  }
  if (!run_.equation.after.empty() && run_.scheme.kind == Scheme::steady)
    add("equation.after", "given with time.scheme steady, which takes no steps (expected none)");
}

void MapChecker::check_maps() {
  for (const std::string& field : run_.equation.maps)
    if (run_.scheme.kind != Scheme::euler)
      add("equation." + field,
          fmt::format("found {{next: FORMULA}} with time.scheme {} (expected euler, which "
                      "evaluates it once)",
                      enum_name(run_.scheme.kind)));
}

// True if the fields that are solved for together have mistakes.
bool MapChecker::has_other_fields(const SolveConfig& solve) {
  const std::size_t before = found_.size();
  constexpr std::int64_t most = 4;
  if (std::ranges::count(run_.equation.solves, solve.field, &SolveConfig::field) > 1)
    add("equation.let", fmt::format("{}: {} has another equation in equation.let (expected one)",
                                    solve.name, solve.field));
  if (solve.right.empty())
    add("equation.let", fmt::format("{}: equals has no {} (expected the fields of solve)",
                                    solve.name, solve.field));
  if (!solve.unmatched.empty())
    add("equation.let", fmt::format("{}: equals has {}, but solve has not (expected the same "
                                    "fields)",
                                    solve.name, solve.unmatched));
  if (const auto count = std::ranges::count(run_.equation.solves, solve.name, &SolveConfig::name);
      count > most)
    add("equation.let", fmt::format("{}: found {} fields to solve for together (expected at most "
                                    "{})",
                                    solve.name, count, most));
  return found_.size() > before;
}

}  // namespace lapl
