#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "solver/equation/complex_parts.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/mistake_list.hpp"

namespace lapl {
namespace {

class Splitting : public MistakeList {
 public:
  explicit Splitting(RunConfig& run) : MistakeList(run), config_(run) {}

  std::vector<KeyMistake> mistakes() {
    if (config_.equation.kind != EquationKind::formula) {
      add("fields", "found a complex field without equation.kind: formula (expected that kind)");
      return std::move(found_);
    }
    check_names();
    std::map<std::string, Formula, std::less<>> quantities;
    for (const auto& quantity : config_.equation.quantities)
      attempt("equation.let",
              [&] { quantities.emplace(quantity.first, quantity.second.parsed(quantity.first)); });
    formulas_.emplace(std::set<std::string, std::less<>>(config_.complex_fields.begin(),
                                                         config_.complex_fields.end()),
                      std::move(quantities));
    split_quantities();
    split_rates();
    split_solves();
    split_after();
    split_initials();
    config_.conditions = split(config_.conditions);
    config_.mask_conditions = split(config_.mask_conditions);
    for (DerivedConfig& derived : config_.derived)
      make_real("output.derived", derived.name, derived.formula, derived.name + ": ");
    for (IntegralConfig& integral : config_.integrals)
      make_real("output.integrals", integral.name, integral.formula, integral.name + ": ");
    if (config_.stop) make_real("limits.stop", "limits.stop", config_.stop->when);
    config_.fields = with_parts(config_.fields);
    config_.output_fields = with_parts(config_.output_fields);
    return std::move(found_);
  }

 private:
  using Texts = std::array<FormulaText, 2>;

  bool is_complex(const std::string& field) const {
    return std::ranges::count(config_.complex_fields, field) > 0;
  }

  void check_names() {
    const auto refuse = [&](const std::string& key, const std::string& name, const char* why) {
      add(key, fmt::format("found the name {}, {} (expected another)", name, why));
    };
    const auto check = [&](const std::string& key, const std::string& name) {
      if (name == "i") refuse(key, name, "the imaginary unit where a field is complex");
      if (key != "fields" && is_complex(name)) refuse(key, name, "which is taken");
    };
    for (const std::string& field : config_.fields) {
      check("fields", field);
      if (is_complex(field) && is_reserved_name(field))
        refuse("fields", field, "which formulas have already");
    }
    for (const auto& [name, parameter] : config_.parameters) check("parameters." + name, name);
    for (const auto& [name, text] : config_.equation.quantities) check("equation.let", name);
    for (const DerivedConfig& derived : config_.derived) check("output.derived", derived.name);
  }

  static FormulaText part_text(const std::optional<Formula>& part) {
    return part ? FormulaText(*part) : "0";
  }
  Texts part_texts(const Formula& formula) {
    const ComplexParts parts = formulas_->split_parts(formula);
    return {part_text(parts[0]), part_text(parts[1])};
  }

  Texts parts(const std::string& key, const std::string& name, const FormulaText& text) {
    Texts made = {"0", "0"};
    attempt(key, [&] { made = part_texts(text.parsed(name)); });
    return made;
  }
  void make_real(const std::string& key, const std::string& name, FormulaText& text,
                 const std::string& part = "") {
    const auto make = [&] { text = FormulaText(formulas_->require_real(text.parsed(name))); };
    if (!attempt(key, make, part)) text = "0";
  }

  void split_quantities() {
    NamedFormulas made;
    for (const auto& quantity : config_.equation.quantities) {
      const std::string& name = quantity.first;
      const auto names = part_names(name);
      const auto make = [&] {
        const ComplexParts& parts = formulas_->quantity(name);
        if (!parts[1]) return made.emplace_back(name, part_text(parts[0])), void();
        for (const std::size_t which : {0, 1})
          if (parts.at(which)) made.emplace_back(names.at(which), part_text(parts.at(which)));
      };
      if (!formulas_->is_quantity(name) || !attempt("equation.let", make))  // wrong: 0 by any name
        for (const std::string& any : {name, names[0], names[1]}) made.emplace_back(any, "0");
    }
    config_.equation.quantities = std::move(made);
  }

  void split_solves() {
    for (SolveConfig& solve : config_.equation.solves) {
      if (is_complex(solve.field))
        add("equation.let", fmt::format("found the complex field {} (expected a real one, for a "
                                        "real or imaginary part)",
                                        solve.field));
      make_real("equation.let", solve.field, solve.left, solve.field + ".solve: ");
      make_real("equation.let", solve.field, solve.right, solve.field + ".equals: ");
    }
  }

  void split_rates() {
    auto& rates = config_.equation.rates;
    for (const std::string& field : config_.fields) {
      const auto rate = rates.find(field);
      if (rate == rates.end()) continue;
      if (!is_complex(field)) {
        make_real("equation." + field, field, rate->second);
        continue;
      }
      const auto texts = parts("equation." + field, field, rate->second);
      rates.erase(rate);
      const bool is_map = config_.equation.maps.erase(field) > 0;
      for (const std::size_t which : {0, 1}) {
        const std::string part = part_names(field).at(which);
        rates[part] = texts.at(which);
        if (is_map) config_.equation.maps.insert(part);
      }
    }
  }

  void split_after() {
    NamedFormulas made;
    for (auto& [field, formula] : config_.equation.after) {
      if (!is_complex(field)) {
        make_real("equation.after", field, formula, field + ": ");
        made.emplace_back(field, formula);
        continue;
      }
      const Texts texts = parts("equation.after", field, formula);
      for (const std::size_t which : {0, 1})
        made.emplace_back(part_names(field).at(which), texts.at(which));
    }
    config_.equation.after = std::move(made);
  }

  // If a complex field's initial field is no formula, it sets the real part; the imaginary is 0.
  void split_initials() {
    for (auto& [name, text] : config_.initial_quantities)
      make_real("initial.let", name, text, name + ": ");
    for (auto& [field, initial] : config_.initials)
      if (!is_complex(field) && initial.kind == InitialKind::formula)
        make_real("initial." + field, "initial." + field, initial.formula);
    for (const std::string& field : config_.complex_fields) {
      const auto own = config_.initials.find(field);
      const auto names = part_names(field);
      if (own == config_.initials.end() && config_.initials.contains(names[0])) continue;
      const InitialConfig initial = own == config_.initials.end() ? config_.initial : own->second;
      const std::string key =
          own == config_.initials.end() ? "initial.formula" : "initial." + field;
      if (own != config_.initials.end()) config_.initials.erase(own);
      for (const std::size_t which : {0, 1}) config_.initials[names.at(which)] = initial;
      if (initial.kind != InitialKind::formula) {
        InitialConfig& imaginary = config_.initials[names[1]];
        imaginary.kind = InitialKind::uniform;
        imaginary.value = 0;
      } else {
        const Texts texts = parts(key, key, initial.formula);
        for (const std::size_t which : {0, 1})
          config_.initials[names.at(which)].formula = texts.at(which);
        if (key == "initial.formula") config_.initial.formula = texts.front();
      }
    }
  }

  // A condition of a complex field becomes a condition of each part that has none of its own.
  std::vector<SideCondition> split(const std::vector<SideCondition>& conditions) {
    std::vector<SideCondition> made;
    for (const SideCondition& condition : conditions) {
      const auto is_given = [&](const std::string& array) {
        return std::ranges::any_of(conditions, [&](const SideCondition& other) {
          return other.array == array && other.axis == condition.axis &&
                 other.last == condition.last;
        });
      };
      for (const std::string& array :
           condition.array.empty() ? config_.fields : std::vector<std::string>{condition.array}) {
        if (condition.array.empty() && is_given(array)) continue;
        SideCondition of_part = condition;
        Texts values = {"0", "0"};
        const std::string key = condition_key(condition), name = condition_name(condition);
        const auto make = [&] {
          of_part.factor = FormulaText(formulas_->require_real(condition.factor.parsed(name)));
          if (!is_pair(array) ||
              condition.kind == ConditionKind::absorbing)  // a speed, which is real
            values.fill(FormulaText(formulas_->require_real(condition.value.parsed(name))));
          else
            values = part_texts(condition.value.parsed(name));
        };
        if (!attempt(key, make))
          of_part = {condition.axis,   condition.last, {}, ConditionKind::value, "0", "0",
                     condition.of_mask};
        of_part.array = array;
        of_part.value = values[0];
        if (!is_pair(array)) made.push_back(of_part);
        for (const std::size_t which : {0, 1}) {
          of_part.array = part_names(array).at(which);
          of_part.value = values.at(which);
          const bool exists = is_complex(array) || is_quantity(of_part.array);
          if (is_pair(array) && exists && !is_given(of_part.array)) made.push_back(of_part);
        }
      }
    }
    return made;
  }
  bool is_pair(const std::string& array) const {
    const auto names = part_names(array);
    const bool quantity = formulas_->is_quantity(array) || is_quantity(array);
    return is_complex(array) || (quantity && is_quantity(names[1]));
  }
  std::vector<std::string> with_parts(const std::vector<std::string>& names) const {
    std::vector<std::string> all;
    for (const std::string& name : names) {
      if (!is_complex(name))
        all.push_back(name);
      else
        std::ranges::copy(part_names(name), std::back_inserter(all));
    }
    return all;
  }

  RunConfig& config_;
  std::optional<ComplexFormulas> formulas_;
};

}  // namespace

std::vector<KeyMistake> split_complex_fields(RunConfig& run) {
  return run.complex_fields.empty() ? std::vector<KeyMistake>() : Splitting(run).mistakes();
}

std::string complex_parent(const RunConfig& run, const std::string& field) {
  for (const std::string& complex : run.complex_fields)
    if (std::ranges::count(part_names(complex), field) > 0) return complex;
  return {};
}

}  // namespace lapl
