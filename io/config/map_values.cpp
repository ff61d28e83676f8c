#include "io/config/map_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "io/config/config_keys.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"

namespace lapl {
namespace {

using nlohmann::ordered_json;
using Reading = std::variant<Value, YamlProblems>;

// `what` about a part of a value, which `name` stands for.
YamlProblems problem(const YamlNode& node, const std::string& name, const std::string& what) {
  return {{node.position, name + ": " + what}};
}

bool is_map(const YamlNode& node) {
  return node.refused.empty() && node.kind == YamlNode::Kind::map;
}

// A formula's text, or what is wrong with it.
YamlProblems read_formula(const YamlNode& node, const std::string& name, FormulaText& text) {
  if (!node.refused.empty())
    return problem(node, name, fmt::format("found {} (write the formula itself)", node.refused));
  if (node.kind != YamlNode::Kind::scalar || node.text.empty())
    return problem(node, name, "expected a formula");
  text = node.text;
  return {};
}

template <class Take>
YamlProblems read_entries(const YamlNode& node, const std::string& path, const Take& take) {
  YamlProblems problems;
  for_each_key(
      node, path.empty() ? "" : path + ".",
      [&](TextPosition position, const std::string& name, const std::string& what) {
        problems.push_back({position, name + ": " + what});
      },
      [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        for (YamlProblem& wrong : take(name, key, value)) problems.push_back(std::move(wrong));
      });
  return problems;
}

std::optional<LawKind> law_kind(const std::string& word) {
  if (word == "dirichlet") return LawKind::value;
  if (word == "neumann") return LawKind::derivative;
  for (const auto& row : name_table<LawKind>)
    if (word == row.name) return row.value;
  return std::nullopt;
}

std::string law_words() {
  std::string words = "zero, insulated, ";
  for (const LawRow& row : name_table<LawKind>) words += std::string(row.form) + ", ";
  return words + "or a map of fields with these";
}

YamlProblems read_side(const YamlNode& node, const std::string& name, SideLaw law,
                       std::vector<SideLaw>& laws);

YamlProblems read_law(const YamlNode& map, const std::string& name, SideLaw law, LawKind kind,
                      std::vector<SideLaw>& laws) {
  law.kind = kind;
  const YamlNode& value = map.children[1];
  const std::string path = name + "." + map.children[0].text;
  YamlProblems problems;
  const LawRow& row = row_of(kind);
  const auto relation = [&](const char* factor_name, const char* value_name) {
    return fmt::format(fmt::runtime(row.keeps), fmt::arg("factor", factor_name),
                       fmt::arg("value", value_name));
  };
  if (!row.takes_factor()) {
    problems = read_formula(value, path, law.value);
  } else if (!is_map(value)) {
    problems = problem(value, path, "expected {value: b, factor: a}, of " + relation("a", "b"));
  } else {
    FormulaText factor;
    law.value = {};
    problems = read_entries(value, path,
                            [&](const std::string& of, const YamlNode& key, const YamlNode& given) {
                              if (key.text == "value") return read_formula(given, of, law.value);
                              if (key.text == "factor") return read_formula(given, of, factor);
                              return problem(key, of, "unknown key (expected value or factor)");
                            });
    law.factor = factor;
    if (problems.empty() && (law.value.empty() || factor.empty()))
      problems =
          problem(value, path, "expected both value and factor, of " + relation("factor", "value"));
  }
  laws.push_back(law);
  return problems;
}

YamlProblems read_side(const YamlNode& node, const std::string& name, SideLaw law,
                       std::vector<SideLaw>& laws) {
  if (!node.refused.empty())
    return problem(node, name, fmt::format("found {} (write the law itself)", node.refused));
  if (node.kind == YamlNode::Kind::scalar) {
    if (node.text == "periodic")
      return problem(node, name, "found periodic, which is of both sides (write it for the axis)");
    if (node.text != "zero" && node.text != "insulated" && node.text != "dirichlet" &&
        node.text != "neumann")
      return problem(node, name,
                     fmt::format("found {} (expected {})", shown(node.text), law_words()));
    law.kind =
        node.text == "zero" || node.text == "dirichlet" ? LawKind::value : LawKind::derivative;
    laws.push_back(law);
    return {};
  }
  if (!is_map(node) || node.children.empty())
    return problem(node, name, fmt::format("expected {}", law_words()));
  const auto kind = law_kind(node.children[0].text);
  if (kind && node.children.size() == 2) return read_law(node, name, law, *kind, laws);
  if (kind || !law.array.empty())
    return problem(node, name, fmt::format("expected one law: {}", law_words()));
  return read_entries(node, name,
                      [&](const std::string& of, const YamlNode& key, const YamlNode& value) {
                        law.array = key.text;
                        return read_side(value, of, law, laws);
                      });
}

Reading read_laws(const YamlNode& node) {
  AxisLaws laws;
  bool has_first = false, has_last = false;
  YamlProblems problems = read_entries(
      node, "", [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        if (key.text != "first" && key.text != "last")
          return problem(key, name, "unknown key (expected first or last, the sides of the axis)");
        SideLaw law;
        law.last = key.text == "last";
        (law.last ? has_last : has_first) = true;
        return read_side(value, name, law, laws.laws);
      });
  for (const auto& [has, name] : {std::pair(has_first, "first"), std::pair(has_last, "last")})
    if (!has) problems.push_back({node.position, fmt::format("{}: missing", name)});
  if (!problems.empty()) return problems;
  return laws;
}

// A map that read_map has read into `target` with `keys`.
template <class Target>
Reading read_keys(const KeyTable<Target>& keys, const YamlNode& node, Target target) {
  const YamlProblems problems = read_map(keys, node, "", target);
  if (!problems.empty()) return problems;
  return target;
}

Reading read_parameter(const YamlNode& node) {
  using P = ParameterConfig;
  P parameter;
  if (child_of(node, "image")) {
    parameter.kind = P::Kind::image;
    return read_keys<P>({{{.name = "image", .type = path()}, store(&P::path)},
                         {{.name = "range", .type = list(finite_real(), 2, 2), .preset = "[0, 1]"},
                          store(&P::range)}},
                        node, parameter);
  }
  if (child_of(node, "hdf5")) {
    parameter.kind = P::Kind::hdf5;
    return read_keys<P>(
        {{{.name = "hdf5", .type = path()}, store(&P::path)},
         {{.name = "dataset", .type = text(), .preset = "/field"}, store(&P::dataset)}},
        node, parameter);
  }
  parameter.kind = P::Kind::formula;
  return read_keys<P>({{{.name = "formula", .type = formula_text()}, store(&P::formula)}}, node,
                      parameter);
}

template <int axes>
Reading read_initial(const YamlNode& node) {
  InitialMap initial;
  YamlProblems problems = read_map(initial_keys(axes), node, "", initial.config);
  if (!problems.empty()) return problems;
  const std::string kind = name_of(initial.config.kind);
  for (const Key<InitialConfig>& key : initial_keys(axes)) {
    const YamlNode* const given = child_of(node, key.name);
    if (!key.belongs_to(kind)) {
      if (given)
        problems.push_back(
            {given->position, fmt::format("{}: does not apply to kind {} (it belongs to {})",
                                          key.name, kind, either_of(key.kinds))});
    } else if (given) {
      initial.keys.emplace_back(key.name, yaml_of(std::get<Value>(read_value(key.type, *given))));
    } else if (key.is_required()) {
      problems.push_back({node.position, fmt::format("{}: missing (expected {})", key.name,
                                                     description(key.type))});
    } else {
      initial.keys.emplace_back(key.name, key.preset);
    }
  }
  if (!problems.empty()) return problems;
  return initial;
}

Reading read_named_formulas(const YamlNode& node) {
  NamedFormulas formulas;
  YamlProblems problems = read_entries(
      node, "", [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        return read_formula(value, name, formulas.emplace_back(key.text, "").second);
      });
  if (!problems.empty()) return problems;
  return formulas;
}

Reading read_derived(const YamlNode& node) {
  using D = DerivedConfig;
  static const KeyTable<D> keys = {
      {{.name = "formula", .type = formula_text()}, store(&D::formula)},
      {{.name = "unit", .type = text(), .preset = "\"1\""}, store(&D::unit)}};
  std::vector<D> derived;
  YamlProblems problems = read_entries(
      node, "", [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        D& output = derived.emplace_back();
        output.name = key.text;
        return is_map(value) ? read_map(keys, value, name, output)
                             : read_formula(value, name, output.formula);
      });
  if (!problems.empty()) return problems;
  return derived;
}

Reading read_physical_time(const YamlNode& node) {
  return read_keys<PhysicalTime>(
      {{{.name = "time", .type = positive_real()}, store(&PhysicalTime::seconds)}}, node, {});
}

YamlProblems read_cells(const YamlNode& node, const std::string& path, ProbesConfig& probes) {
  if (!is_map(node) || node.children.empty())
    return problem(node, path,
                   "expected a map of names with an index for each axis: [plane, row, column], "
                   "[row, column] or "
                   "[column]");
  static const ValueType type = list(integer(0, most_cells), 1, 3);
  return read_entries(
      node, path, [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        const auto reading = read_value(type, value);
        if (const auto* const wrong = std::get_if<YamlProblems>(&reading))
          return problem(value, name, wrong->front().what);
        probes.at.emplace_back(key.text,
                               std::get<std::vector<std::int64_t>>(std::get<Value>(reading)));
        return YamlProblems();
      });
}

Reading read_probes(const YamlNode& node) {
  using P = ProbesConfig;
  return read_keys<P>(
      {{{.name = "every", .type = integer(1, most_steps), .preset = "1"}, store(&P::every)},
       {{.name = "at"},
        {},
        [](P& probes, const YamlNode& value, const std::string& path) {
          return read_cells(value, path, probes);
        }}},
      node, P());
}

ordered_json any_map() { return {{"type", "object"}}; }
ordered_json formulas_schema() {
  return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number"}}}}};
}

std::string law_yaml(const SideLaw& law) {
  const std::string value = yaml_text(law.value.text());
  const LawRow& row = row_of(law.kind);
  if (!row.takes_factor()) return fmt::format("{{{}: {}}}", row.name, value);
  return fmt::format("{{{}: {{value: {}, factor: {}}}}}", row.name, value,
                     yaml_text(law.factor.text()));
}

}  // namespace

ValueType formula_text() { return {{FormulaForm{}}, {}}; }
ValueType axis_laws() {
  return {{MapForm{"a map of first and last with a law each", read_laws, any_map}}, {}};
}
ValueType parameter() {
  return either(finite_real(),
                {{MapForm{"{image: FILE, range: [black, white]}, {hdf5: FILE, dataset: NAME} or "
                          "{formula: FORMULA}",
                          read_parameter, any_map}},
                 {}});
}
ValueType initial_map(int axes) {
  constexpr std::array readers = {read_initial<0>, read_initial<1>, read_initial<2>,
                                  read_initial<3>};
  return {{MapForm{"a map of kind and the keys of section initial that it reads",
                   readers.at(static_cast<std::size_t>(axes)), any_map}},
          {}};
}
ValueType named_formulas() {
  return {{MapForm{"a map of names with a formula each", read_named_formulas, formulas_schema}},
          {}};
}
ValueType derived_outputs() {
  return {
      {MapForm{"a map of names, each with {formula: FORMULA, unit: UNIT}", read_derived, any_map}},
      {}};
}

ValueType physical_time() {
  return {{MapForm{"{time: SECONDS}", read_physical_time, any_map}}, {}};
}
ValueType probes() {
  return {{MapForm{"{every: STEPS, at: {NAME: [plane, row, column], ...}}", read_probes, any_map}},
          {}};
}

std::string yaml_of(const ProbesConfig& probes) {
  std::string cells;
  for (const auto& [name, cell] : probes.at)
    cells +=
        fmt::format("{}{}: {}", cells.empty() ? "" : ", ", yaml_text(name), yaml_of(Value(cell)));
  return fmt::format("{{every: {}, at: {{{}}}}}", probes.every, cells);
}

std::string yaml_of(const AxisLaws& axis) {
  std::string sides;
  for (const bool last : {false, true}) {
    std::string each;
    for (const SideLaw& law : axis.laws) {
      if (law.last != last) continue;
      each += law.array.empty() ? law_yaml(law)
                                : fmt::format("{}{}: {}", each.empty() ? "{" : ", ",
                                              yaml_text(law.array), law_yaml(law));
    }
    if (std::ranges::any_of(
            axis.laws, [&](const SideLaw& law) { return law.last == last && !law.array.empty(); }))
      each += '}';
    sides += fmt::format("{}{}: {}", last ? ", " : "", last ? "last" : "first", each);
  }
  return '{' + sides + '}';
}

std::string yaml_of(const ParameterConfig& parameter) {
  switch (parameter.kind) {
    case ParameterConfig::Kind::number: break;
    case ParameterConfig::Kind::image:
      return fmt::format("{{image: {}, range: [{}, {}]}}", yaml_text(parameter.path),
                         number_text(parameter.range[0]), number_text(parameter.range[1]));
    case ParameterConfig::Kind::hdf5:
      return fmt::format("{{hdf5: {}, dataset: {}}}", yaml_text(parameter.path),
                         yaml_text(parameter.dataset));
    case ParameterConfig::Kind::formula:
      return fmt::format("{{formula: {}}}", yaml_text(parameter.formula.text()));
  }
  return number_text(parameter.number);
}

std::string yaml_of(const InitialMap& initial) {
  std::string text = "{";
  for (const auto& [name, value] : initial.keys)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", name,
                        name == "path" ? yaml_text(initial.config.path) : value);
  return text + '}';
}

std::string yaml_of(const NamedFormulas& formulas) {
  std::string text = "{";
  for (const auto& [name, formula] : formulas)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", yaml_text(name),
                        yaml_text(formula.text()));
  return text + '}';
}

std::string yaml_of(const std::vector<DerivedConfig>& derived) {
  std::string text = "{";
  for (const DerivedConfig& output : derived)
    text += fmt::format("{}{}: {{formula: {}, unit: {}}}", text.size() > 1 ? ", " : "",
                        yaml_text(output.name), yaml_text(output.formula.text()),
                        yaml_text(output.unit));
  return text + '}';
}

}  // namespace lapl
