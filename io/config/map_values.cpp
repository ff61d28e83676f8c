#include "io/config/map_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "io/config/config_keys.hpp"

namespace lapl {
namespace {

// A parameter is a number or the source of a field. The first key of the map selects the source.
using P = ParameterConfig;
struct ParameterSource {
  P::Kind kind;
  KeyTable<P> keys;
};
const std::array<ParameterSource, 4>& parameter_sources() {
  static const std::array<ParameterSource, 4> sources = {{
      {P::Kind::image,
       {{{.name = "image", .type = path()}, store(&P::path)},
        {{.name = "range", .type = list(finite_real(), 2, 2), .preset = "[0, 1]"},
         store(&P::range)}}},
      {P::Kind::hdf5,
       {{{.name = "hdf5", .type = path()}, store(&P::path)},
        {{.name = "dataset", .type = text(), .preset = "/field"}, store(&P::dataset)},
        {{.name = "record", .type = record_choice(), .preset = "0"}, store(&P::record)}}},
      {P::Kind::hdf5, {{{.name = "npy", .type = path()}, store(&P::path)}}},
      {P::Kind::formula, {{{.name = "formula", .type = formula_text()}, store(&P::formula)}}},
  }};
  return sources;
}

// The word for a right side whose mean is removed.
constexpr const char* removed_word = "removed";

const KeyTable<SolveConfig>& solve_keys() {
  const Schema sides =
      either(formula_text(), named_formulas("found no field (expected at least one)"));
  static const KeyTable<SolveConfig> keys = {
      {{.name = "solve", .type = sides}, store(&SolveConfig::left)},
      {{.name = "equals", .type = sides}, store(&SolveConfig::right)},
      {{.name = "tolerance", .type = null_or(real(1e-15, 0.5)), .preset = "null"},
       store(&SolveConfig::tolerance)},
      {{.name = "most_iterations", .type = integer(1, 1000000), .preset = "200"},
       store(&SolveConfig::most_iterations)},
      {{.name = "method", .type = word(names_in(name_table<SolveMethod>)), .preset = "auto"},
       store(&SolveConfig::method)},
      {{.name = "mean", .type = null_or(word({removed_word})), .preset = "null"},
       [](SolveConfig& solve, const YamlNode& node) {
         solve.removes_mean = node.text == removed_word;
       }}};
  return keys;
}

const KeyTable<StopConfig>& stop_keys() {
  static const KeyTable<StopConfig> keys = {
      {{.name = "when", .type = formula_text()}, store(&StopConfig::when)},
      {{.name = "every", .type = integer(1, most_steps), .preset = "1"},
       store(&StopConfig::every)}};
  return keys;
}

using D = DerivedConfig;
const KeyTable<D>& derived_keys() {
  static const KeyTable<D> keys = {
      {{.name = "formula", .type = formula_text()}, store(&D::formula)},
      {{.name = "unit", .type = null_or(short_text()), .preset = "null"}, store(&D::unit)}};
  return keys;
}

const KeyTable<IntegralConfig>& integral_keys() {
  static const KeyTable<IntegralConfig> keys = {
      {{.name = "formula", .type = formula_text()}, store(&IntegralConfig::formula)},
      {{.name = "on",
        .type = word({"cells", "planes.first", "planes.last", "rows.first", "rows.last",
                      "columns.first", "columns.last", "mask"}),
        .preset = "cells"},
       store(&IntegralConfig::on)},
      {{.name = "box",
        .type = map_of_names(list(finite_real(), 2, 2), "{x: [low, high], y: [low, high], ...}"),
        .preset = "{}"},
       [](IntegralConfig& integral, const YamlNode& node) {
         for_each_entry(node, [&](const std::string& axis, const YamlNode& ends) {
           assign(integral.box[axis], ends);
         });
       }}};
  return keys;
}

const KeyTable<Probe>& probe_keys() {
  static const KeyTable<Probe> keys = {
      {{.name = "at", .type = list(finite_real(), 1, 3)}, store(&Probe::position)},
      {{.name = "interpolate", .type = word({"linear", "nearest"}), .preset = "linear"},
       [](Probe& probe, const YamlNode& node) { probe.is_linear = node.text == "linear"; }}};
  return keys;
}

Schema probe_place() {
  static const auto cell = [] { return list(integer(0, most_cells), 1, 3); };
  static const auto position = [] {
    return map_schema(probe_keys(), "{at: [x, y, z], interpolate: linear or nearest}");
  };
  const auto read = [](const YamlNode& node, const std::string& path, YamlProblems& problems) {
    return resolved(node.kind == YamlNode::Kind::map ? position() : cell(), node, path, problems);
  };
  return {{OwnForm{description(cell()) + ", or " + description(position()), read,
                   [] {
                     return nlohmann::ordered_json{
                         {"anyOf", {json_schema(cell()), json_schema(position())}}};
                   }}},
          {}};
}

const KeyTable<ProbesConfig>& probes_keys() {
  static const KeyTable<ProbesConfig> keys = {
      {{.name = "every", .type = step_interval(), .preset = "1"},
       [](ProbesConfig& probes, const YamlNode& node) {
         put_interval(probes.every, probes.time, node);
       }},
      {{.name = "at",
        .type = map_of_names(
            probe_place(), "",
            "expected a map of names with an index for each axis: [plane, row, column], [row, "
            "column] or [column], or with a position: {at: [x, y, z]}")},
       store(&ProbesConfig::at)}};
  return keys;
}

const KeyTable<Tolerance>& tolerance_keys() {
  static const KeyTable<Tolerance> keys = {
      {{.name = "relative", .type = positive_real()}, store(&Tolerance::relative)},
      {{.name = "absolute", .type = positive_real()}, store(&Tolerance::absolute)}};
  return keys;
}

const KeyTable<InitialFrom>& initial_from_keys() {
  static const KeyTable<InitialFrom> keys = {
      {{.name = "path", .type = path()}, store(&InitialFrom::path)},
      {{.name = "fields", .type = list(text(), 1, any_count)}, store(&InitialFrom::fields)},
      {{.name = "record", .type = record_choice(), .preset = "last"}, store(&InitialFrom::record)},
      {{.name = "interpolate",
        .type = null_or(word(names_in(name_table<Interpolation>))),
        .preset = "null"},
       store(&InitialFrom::interpolate)}};
  return keys;
}

const KeyTable<StepAtTime>& step_at_time_keys() {
  static const KeyTable<StepAtTime> keys = {
      {{.name = "step", .type = integer(1, most_steps)}, store(&StepAtTime::step)},
      {{.name = "time", .type = finite_real()}, store(&StepAtTime::time)}};
  return keys;
}

}  // namespace

Schema field_source() {
  MapForm form{
      .choices = {},
      .description =
          "{image: FILE, range: [black, white]}, {hdf5: FILE, dataset: NAME, record: RECORD}, "
          "{npy: FILE} or {formula: FORMULA}",
      .stand_ins = {}};
  for (const ParameterSource& source : parameter_sources())
    form.choices.push_back(key_rows(source.keys));
  return {{form}, {}};
}

Schema parameter() { return either(finite_real(), field_source()); }

void assign(P& parameter, const YamlNode& node) {
  parameter = {};
  if (node.kind == YamlNode::Kind::scalar) assign(parameter.number, node);
  for (const auto& [kind, keys] : parameter_sources()) {
    if (!find_child(node, keys.front().name)) continue;
    parameter.kind = kind;
    put_map(keys, parameter, node);
  }
}

Schema named_formulas(const std::string& if_empty) {
  return map_of_names(formula_text(), "a map of names with a formula each", if_empty);
}

Schema quantities() {
  const char* const form =
      "{solve: FORMULA, equals: FORMULA}, or with a map of fields for each FORMULA";
  return map_of_names(either(formula_text(), map_schema(solve_keys(), form)),
                      fmt::format("a map of names, each with a formula or {}", form));
}

void assign(EquationConfig& equation, const YamlNode& node) {
  equation.quantities.clear();
  equation.solves.clear();
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::map)
      return assign(equation.quantities.emplace_back(name, "").second, value);
    const YamlNode &left = *find_child(value, "solve"), &right = *find_child(value, "equals");
    for_each_solved(name, value, [&](const std::string& field) {
      SolveConfig& solve = equation.solves.emplace_back();
      solve.field = field;
      solve.name = name;
      // Each of several fields has its own sides in place of the maps of all.
      YamlNode own = value;
      if (left.kind == YamlNode::Kind::map)
        for (std::size_t i = 0; i + 1 < own.children.size(); i += 2)
          if (const std::string& key = own.children[i].text; key == "solve" || key == "equals") {
            const YamlNode* const side = find_child(*find_child(value, key), field);
            own.children[i + 1] = side ? *side : text_node("", right.position);
          }
      put_map(solve_keys(), solve, own);
      if (right.kind == YamlNode::Kind::map)
        for_each_entry(right, [&](const std::string& other, const YamlNode&) {
          if (find_child(left, other) == nullptr) solve.unmatched = other;
        });
    });
  });
}

Schema rate() {
  static const KeyTable<FormulaText> keys = {
      {{.name = "next", .type = formula_text()},
       [](FormulaText& next, const YamlNode& node) { assign(next, node); }}};
  return either(formula_text(), map_schema(keys, "{next: FORMULA}"));
}

Schema stop_condition() {
  return either(formula_text(), map_schema(stop_keys(), "{when: FORMULA, every: STEPS}"));
}

void assign(StopConfig& stop, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::map) return put_map(stop_keys(), stop, node);
  stop = {};
  assign(stop.when, node);
}

Schema integrals() {
  const char* const form = "{formula: FORMULA, on: SIDE, box: {x: [low, high], ...}}";
  return map_of_names(either(formula_text(), map_schema(integral_keys(), form)),
                      fmt::format("a map of names, each with a formula or {}", form));
}

// Stores items by name; `plain` receives the value of one that is no map.
template <class Item, class Plain>
static void assign_named(std::vector<Item>& items, const YamlNode& node, const KeyTable<Item>& keys,
                         Plain Item::*plain) {
  items.clear();
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    Item& item = items.emplace_back();
    item.name = name;
    if (value.kind == YamlNode::Kind::map)
      put_map(keys, item, value);
    else
      assign(item.*plain, value);
  });
}

void assign(std::vector<IntegralConfig>& integrals, const YamlNode& node) {
  assign_named(integrals, node, integral_keys(), &IntegralConfig::formula);
}

Schema derived_outputs() {
  return map_of_names(
      map_schema(derived_keys(), "{formula: FORMULA, unit: UNIT}", {{formula_text(), "formula"}}),
      "a map of names, each with {formula: FORMULA, unit: UNIT}");
}

void assign(std::vector<D>& derived, const YamlNode& node) {
  assign_named(derived, node, derived_keys(), &D::formula);
}

Schema probes() {
  return map_schema(
      probes_keys(),
      "{every: STEPS or {time: T}, at: {NAME: [plane, row, column], NAME: {at: [x, y, z]}, ...}}");
}

void assign(std::vector<Probe>& probes, const YamlNode& node) {
  assign_named(probes, node, probe_keys(), &Probe::cell);
}

void assign(ProbesConfig& probes, const YamlNode& node) { put_map(probes_keys(), probes, node); }

Schema tolerance() {
  return either(positive_real(),
                map_schema(tolerance_keys(), "{relative: NUMBER, absolute: NUMBER}"));
}

void assign(Tolerance& tolerance, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return put_map(tolerance_keys(), tolerance, node);
  assign(tolerance.relative, node);
  tolerance.absolute = tolerance.relative;
}

Schema found_step() {
  const KeyRow found = {.name = "auto", .type = positive_real()};
  return either(positive_real(), {{MapForm{{{found}}, "{auto: NUMBER}", {}}}, {}});
}

Schema step_interval() {
  const KeyRow time = {.name = "time", .type = positive_real()};
  return either(integer(1, most_steps), {{MapForm{{{time}}, "{time: T}", {}}}, {}});
}

void put_interval(std::int64_t& steps, std::optional<double>& time, const YamlNode& node) {
  time.reset();
  if (const YamlNode* const given = find_child(node, "time"))
    assign(time, *given);
  else
    assign(steps, node);
}

Schema initial_from() {
  return map_schema(
      initial_from_keys(),
      "{path: FILE, fields: [NAME, ...], record: RECORD, interpolate: linear or cubic}");
}

void assign(InitialFrom& from, const YamlNode& node) { put_map(initial_from_keys(), from, node); }

Schema step_at_time() { return map_schema(step_at_time_keys(), "{step: NUMBER, time: T}"); }

void assign(StepAtTime& since, const YamlNode& node) { put_map(step_at_time_keys(), since, node); }

Schema record_choice() {
  const KeyRow time = {.name = "time", .type = finite_real()};
  return either(either(word({"last"}), integer(0, most_cells)),
                {{MapForm{{{time}}, "{time: T}", {}}}, {}});
}

void assign(RecordChoice& record, const YamlNode& node) {
  record = {};
  record.last = node.kind == YamlNode::Kind::scalar && node.text == "last";
  if (const YamlNode* const time = find_child(node, "time"))
    assign(record.time, *time);
  else if (!record.last)
    record.index = static_cast<std::size_t>(*read_number(node.text).integer);
}

void put_time_step(RunConfig& run, const YamlNode& node) {
  const YamlNode* const found = find_child(node, "auto");
  run.scheme.varies = found != nullptr;
  run.time_step.reset();
  if (found || node.text != "auto") assign(run.time_step, found ? *found : node);
}

void put_tolerance(RunConfig& run, const YamlNode& node) {
  if (run.scheme.kind == Scheme::steady) return assign(run.steady_tolerance, node);
  assign(run.scheme.tolerance, node);
  run.scheme.varies = run.scheme.varies || run.scheme.tolerance;
  if (run.scheme.tolerance) run.scheme = run.checked_scheme();
}

void put_stages(RunConfig& run, const YamlNode& node) {
  run.scheme.stages.reset();
  if (node.kind == YamlNode::Kind::scalar && node.text != "auto") assign(run.scheme.stages, node);
}

void put_scheme(RunConfig& run, const YamlNode& node) {
  assign(run.scheme.kind, node);
  if (run.scheme.kind != Scheme::steady) return;
  run.time_step = 1;
  run.steps = std::max<std::int64_t>(run.steps, 1);
}

}  // namespace lapl
