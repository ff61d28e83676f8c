// The key table of a run config, one row per key; see KeyRow (schema.hpp) for the columns.
#include "io/config/config_keys.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "io/config/conditions.hpp"
#include "io/config/config_text.hpp"
#include "io/config/map_values.hpp"
#include "io/filters/filter_keys.hpp"
#include "io/filters/window_keys.hpp"
#include "kernels/engines.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

using enum OnRestart;

constexpr RestartRule of_equation = {reworded, Permission::equation},
                      of_boundary = {reworded, Permission::boundary},
                      where_estimated = {estimates, Permission::equation},
                      of_output = {free, Permission::output};

// Adds the keys of a part of the config under the name of its section.
template <class Section>
void add_section(ConfigTable& table, const std::string& section, Section RunConfig::*part,
                 const KeyTable<Section>& keys, RestartRule rule) {
  for (const Key<Section>& key : keys) {
    KeyRow row = static_cast<const KeyRow&>(key);
    row.name = section + '.' + key.name;
    table.emplace_back(row, rule, [part, put = key.put](RunConfig& run, const YamlNode& node) {
      put(run.*part, node);
    });
  }
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"auto"};
  for (const EngineInfo& engine : all_engines()) names.emplace_back(engine.name);
  return names;
}

// Stores the conditions of both sides of an axis, or the one word that applies to both.
void put_boundary(RunConfig& run, int axis, Boundary Boundaries::*word, const YamlNode& node) {
  std::erase_if(run.conditions,
                [&](const SideCondition& condition) { return condition.axis == axis; });
  if (node.kind != YamlNode::Kind::map) return assign(run.boundaries.*word, node);
  run.boundaries.*word = Boundary::zero;
  for_each_entry(node, [&](const std::string& side, const YamlNode& of_side) {
    add_conditions({.axis = axis, .last = side == "last"}, of_side, run.conditions);
  });
  if (std::ranges::any_of(run.conditions, [&](const SideCondition& condition) {
        return condition.axis == axis && condition.kind == ConditionKind::periodic;
      }))
    run.boundaries.*word = Boundary::periodic;
}

// Stores the spacings of grid.size. Must run after grid.shape and grid.spacing are stored.
void put_size(RunConfig& run, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return;
  Spacing size;
  assign(size, node);
  std::vector<double> spacings;
  for (std::size_t axis = 3 - run.shape.axes; axis < 3; ++axis)
    spacings.push_back(size.by_axis[axis] / static_cast<double>(by_axis(run.shape)[axis]));
  run.spacing = Spacing::of(spacings);
}

// Where every position is a float32, rounding leaves positions that count from the first node
// symmetric, and the digests are those of grid.origin.
bool is_exact(std::int64_t nodes, double spacing) {
  int exponent = 0;
  const double digits = std::ldexp(std::frexp(spacing, &exponent), 24);  // at most 2^24
  if (digits != std::round(digits)) return false;
  const auto whole = static_cast<std::int64_t>(digits);
  return nodes <= (std::int64_t{1} << 23) / (whole / (whole & -whole));
}

// Puts the middle of the grid at 0. Must run after grid.shape and its spacing are stored.
void put_center(RunConfig& run) {
  Spacing& spacing = run.spacing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t nodes = by_axis(run.shape)[axis];
    const double middle = static_cast<double>(nodes - 1) / 2;
    spacing.origin[axis] = -middle * spacing.by_axis[axis];
    if (!is_exact(nodes, spacing.by_axis[axis])) spacing.middle[axis] = middle;
  }
}

// clang-format off
ConfigTable boundary_keys(int axes) {
  const Schema type =
      either(word(names_in(name_table<Boundary>)), either(finite_real(), axis_conditions()));
  const ConfigTable all = {
      {{.name = "boundary.planes", .type = type, .preset = "zero",
       .meaning = "condition at the first and the last plane, on three axes"}, of_boundary,
       [](RunConfig& run, const YamlNode& node) { put_boundary(run, 0, &Boundaries::planes, node); }},
      {{.name = "boundary.rows", .type = type, .preset = "zero",
       .meaning = "condition at the first and the last row, on two and three axes"}, of_boundary,
       [](RunConfig& run, const YamlNode& node) { put_boundary(run, 1, &Boundaries::rows, node); }},
      {{.name = "boundary.columns", .type = type, .preset = "zero",
       .meaning = "condition at the first and the last column"}, of_boundary,
       [](RunConfig& run, const YamlNode& node) {
         put_boundary(run, 2, &Boundaries::columns, node);
       }},
  };
  return {all.end() - axes, all.end()};
}

// Rows for a key that exists once per field or parameter.
ConfigKey rate_key(const std::string& field) {
  return {{.name = "equation." + field, .type = rate(),
           .meaning = "du/dt of the field, or {next: FORMULA}, its value after each step of euler",
           .kinds = {enum_name(EquationKind::formula)}}, of_equation,
          [field](RunConfig& run, const YamlNode& node) {
            const YamlNode* const next = find_child(node, "next");
            if (next) run.equation.maps.insert(field);
            run.equation.rates.insert_or_assign(field, (next ? next : &node)->text);
          }};
}
ConfigKey initial_key(const std::string& field, int axes) {
  return {{.name = "initial." + field,
           .type = either(formula_text(), map_schema(initial_keys(axes), "a map of kind and the keys of section initial that it reads")),
           .meaning = "initial field of one of several fields"}, never,
          [field, axes](RunConfig& run, const YamlNode& node) {
            put_map(initial_keys(axes), run.initials.insert_or_assign(field, InitialConfig()).first->second, node);
          }};
}
ConfigKey parameter_key(const std::string& name) {
  return {{.name = "parameters." + name, .type = parameter(),
           .meaning = "a constant or a field that formulas read: a number, a picture's "
                      "luminance from range[0] to range[1], a dataset, or a formula of the "
                      "position"}, of_equation,
          [name](RunConfig& run, const YamlNode& node) { assign(run.parameters[name], node); }};
}

ConfigTable make_key_table(const ConfigNames& names) {
  const int axes = names.axes, initial_axes = names.all ? 0 : axes;
  ConfigTable table = {
      {{.name = "grid.shape", .type = list(integer(1, most_cells), 1, 3),
       .unit = "cells", .meaning = "numbers of planes, rows and columns: [columns], [rows, "
                                   "columns] or "
                                   "[planes, rows, columns]; at most 2^40 cells together"}, never,
       store(&RunConfig::shape)},
      {{.name = "grid.spacing", .type = one_or_list(positive_real(), 1, 3), .preset = "1",
       .unit = "length", .meaning = "distance h between neighbouring nodes: one for all axes, "
                                    "or a list "
                                    "of one for each, in the order of grid.shape"}, never,
       store(&RunConfig::spacing)},
      {{.name = "grid.size", .type = one_or_list(null_or(positive_real()), 1, 3), .preset = "null",
       .unit = "length", .meaning = "size of the grid, instead of grid.spacing, which is then the "
                                    "size over the number of cells: one for all axes, or a list "
                                    "of one for each"}, never,
       put_size},
      {{.name = "grid.origin", .type = one_or_list(finite_real(), 1, 3), .preset = "0",
       .unit = "length", .meaning = "position of the first node: one for all axes, or a list of "
                                    "one for each"}, never,
       [](RunConfig& run, const YamlNode& node) {
         Spacing at;
         assign(at, node);
         run.spacing.origin = at.by_axis;
       }},
      {{.name = "grid.center", .type = word({"true", "false"}), .preset = "false",
       .meaning = "true: the middle of the grid is at 0, with positions that are symmetric to the bit, "
                  "instead of grid.origin"}, never,
       [](RunConfig& run, const YamlNode& node) {
         if (node.text == "true") put_center(run);
       }},
      {{.name = "grid.coordinates", .type = word(names_in(name_table<Coordinates>)),
       .preset = "cartesian",
       .meaning = "cylindrical: [r] or [z, r]; spherical: [r]; the last axis of grid.shape, x, is r, "
                  "from half a cell on where grid.origin is 0 (docs/coordinates.md)"}, never,
       [](RunConfig& run, const YamlNode& node) {
         assign(run.coordinates, node);
         if (run.coordinates != Coordinates::cartesian && run.spacing.origin[2] == 0)
           run.spacing.origin[2] = run.spacing.by_axis[2] / 2;
       }},
      {{.name = "grid.mask", .type = null_or(field_source()), .preset = "null",
       .meaning = "the shape of the domain: cells where a picture, a dataset or a formula of the "
                  "position is 0 are outside of it; null: every cell is inside"}, of_equation,
       store(&RunConfig::mask)},
      {{.name = "grid.unit", .type = null_or(short_text()), .preset = "null",
       .meaning = "unit of length, such as m: a word for files, pictures and messages, as no number "
                  "depends on it; null: none is named"}, of_output,
       [](RunConfig& run, const YamlNode& node) { run.units.length = node.text; }},

      {{.name = "fields", .type = field_names(), .preset = "[field]",
       .meaning = "names of the fields: letters, digits and _; NAME: complex makes the pair NAME_re, "
                  "NAME_im; unit, label and standard_name (of the CF conventions) are for files and "
                  "pictures; without this key, the names in section equation that are no keys of it"},
       OnRestart::words, put_fields},
  };
  for (const std::string& parameter : names.parameters) table.push_back(parameter_key(parameter));
  table.push_back({{.name = "kernels", .type = windows(), .preset = "{}",
                    .meaning = "windows that formulas name in convolve(NAME, e) "
                               "(docs/convolutions.md)"}, of_equation,
                   [](RunConfig& run, const YamlNode& node) { assign(run.kernels, node); }});
  std::ranges::copy(boundary_keys(axes), std::back_inserter(table));
  if (names.mask || names.all)
    table.push_back({{.name = std::string(mask_key), .type = side_condition(true), .preset = "insulated",
                      .meaning = "condition at the boundary of grid.mask, or one for each field"},
                     of_boundary, [](RunConfig& run, const YamlNode& node) {
                       run.mask_conditions.clear();
                       if (run.mask) add_conditions({.of_mask = true}, node, run.mask_conditions);
                     }});
  if (!names.initial_by_field || names.all)
    add_section(table, "initial", &RunConfig::initial, initial_keys(initial_axes), never);
  if (names.initial_by_field || names.all)
    for (const std::string& field : names.all ? names.fields : names.initial_fields)
      table.push_back(initial_key(field, initial_axes));
  if (names.initial_by_field && !names.all && std::ranges::count(names.fields, "seed") == 0)
    table.push_back({{.name = "initial.seed", .type = integer(0, largest_seed), .preset = "3966789",
                      .meaning = "seed of `noise` in rates, of `random` in initial.let and in "
                                 "formulas of fields without a kind; other fields have their own"}, never,
                     [](RunConfig& run, const YamlNode& node) {
                       assign(run.initial.fractal.seed, node);
                     }});
  ConfigKey initial_let = {{.name = "initial.let", .type = named_formulas(), .preset = "{}",
                            .meaning = "quantities that the formulas of initial fields name, each "
                                       "evaluated once",
                            .kinds = {enum_name(InitialKind::formula)}}, never,
                           store(&RunConfig::initial_quantities)};
  if (names.initial_by_field && !names.all) initial_let.kinds.clear();
  table.push_back(initial_let);
  if (std::ranges::count(names.fields, "from") == 0)
    table.push_back({{.name = "initial.from", .type = null_or(initial_from()), .preset = "null",
                      .meaning = "fields that have the values of another file instead, each of the "
                                 "dataset with its name; lapl run --from sets it"}, never,
                     store(&RunConfig::initial_from)});
  add_section(table, "equation", &RunConfig::equation, equation_keys(), of_equation);
  for (const std::string& field : names.fields)  // formula_mistakes reports names of keys
    if (!is_key_beside_rates(field) && std::ranges::count(names.solved, field) == 0)
      table.push_back(rate_key(field));
  std::vector<std::string> preset_outputs;
  for (const std::string& field : names.fields) preset_outputs.push_back(yaml_text(field));
  if (names.equation == EquationKind::diffusion && names.fields.size() == 1)
    preset_outputs.emplace_back(laplacian_name);
  RunConfig outputs;
  outputs.fields = names.fields;
  for (const std::string& field : names.complex)
    std::ranges::copy(part_names(field), std::back_inserter(outputs.fields));
  for (const std::string& derived : names.derived) outputs.derived.push_back({derived, "", ""});
  const std::vector<std::string> output_words = output_names(outputs);
  const std::string formula_kind = enum_name(EquationKind::formula);
  table.push_back(
      {{.name = "equation.let", .type = quantities(), .preset = "{}",
       .meaning = "quantities that the formulas of the rates name, and fields that linear "
                  "equations over the grid determine (docs/solves.md)", .kinds = {formula_kind}},
       of_equation, [](RunConfig& run, const YamlNode& node) { assign(run.equation, node); }});
  table.push_back(
      {{.name = "equation.after", .type = named_formulas(), .preset = "{}",
       .meaning = "values of fields that replace those after each step, such as clamp(u, 0, 1) for u",
       .kinds = {formula_kind}}, of_equation,
       [](RunConfig& run, const YamlNode& node) { assign(run.equation.after, node); }});
  std::ranges::copy(time_keys(), std::back_inserter(table));
  const ConfigTable rest = {
      {{.name = "compute.backend", .type = word({"auto", "cuda", "cpu"}), .preset = "auto",
       .meaning = "where to compute; auto: CUDA where there is a device, else the CPU"}, free,
       store(&RunConfig::backend)},
      {{.name = "compute.precision", .type = word(names_in(name_table<Precision>)), .preset = "float32",
       .meaning = "number type of the field"}, Permission::precision, store(&RunConfig::precision)},
      {{.name = "compute.engine", .type = word(engine_names()), .preset = "auto",
       .meaning = "engine; auto: the fastest for the grid, spectral with etdrk2 and "
                  "etdrk4 alone, as its digests differ"}, engine,
       store(&RunConfig::engine)},
      {{.name = "compute.threads", .type = either(word({"auto"}), integer(1, 1024)),
       .preset = "auto", .unit = "threads",
       .meaning = "CPU threads; auto: one for each core, fewer for small grids"}, free,
       store(&RunConfig::threads)},
      {{.name = "compute.cache", .type = word({"on", "off"}), .preset = "on",
       .meaning = "on: compiled code is kept for later runs, in lapl below $XDG_CACHE_HOME or "
                  "~/.cache; off: nothing is read or written there"}, free,
       [](RunConfig& run, const YamlNode& node) { run.caches_code = node.text == "on"; }},

      {{.name = "output.directory", .type = text(), .preset = "runs/<config name>",
       .meaning = "run folder; relative to the current folder"},
       free, store(&RunConfig::directory)},
      {{.name = "output.every", .type = step_interval(),
       .preset = "2500", .unit = "steps, or time",
       .meaning = "interval between outputs; one in time is a whole number of steps; step 0 and "
                  "the last step are always written"}, of_output,
       [](RunConfig& run, const YamlNode& node) {
         put_interval(run.output_every, run.output_time, node);
       }},
      {{.name = "output.count", .type = null_or(integer(1, most_steps)), .preset = "null",
       .unit = "outputs", .meaning = "number of outputs after step 0, instead of output.every, "
                                     "which follows from it and the end of the run"}, of_output},
      {{.name = "output.fields", .type = names.all ? output_fields(text())
                                                   : output_fields(word(output_words), output_words.size()),
       .preset = fmt::format("[{}]", fmt::join(preset_outputs, ", ")),
       .meaning = "contents of an output: fields, laplacian if there is one field, names of "
                  "output.derived; one with every, a multiple of output.every, is in the outputs at "
                  "its multiples, the first and the last"}, of_output, put_output_fields},
      {{.name = "output.compression", .type = null_or(integer(1, 9)), .preset = "null",
       .meaning = "level of deflate, in chunks of about 1 MiB; null: not compressed; checkpoints never are"},
       of_output, store(&RunConfig::stored, &StoredForm::compression)},
      {{.name = "output.precision", .type = word({"auto", "float32"}), .preset = "auto",
       .meaning = "number type of the values in outputs; auto: compute.precision; checkpoints keep theirs"},
       of_output, store(&RunConfig::stored, &StoredForm::precision)},
      {{.name = "output.round", .type = null_or(real(2.5e-16, 0.25)), .preset = "null",
       .meaning = "outputs keep so many bits of each value that its relative error is at most this; "
                  "null: all; checkpoints keep all"},
       of_output, store(&RunConfig::stored, &StoredForm::round)},
      {{.name = "output.derived", .type = derived_outputs(), .preset = "{}",
       .meaning = "outputs computed from the fields by formulas"},
       of_output, store(&RunConfig::derived)},
      {{.name = "output.integrals", .type = integrals(), .preset = "{}",
       .meaning = "columns of diagnostics.csv: the sum of each formula over all cells, times a "
                  "cell's volume, or over the faces of a side or of the mask's boundary, times their area; "
                  "box: over the cells with their centres in it"},
       of_output, store(&RunConfig::integrals)},
      {{.name = "output.probes", .type = null_or(probes()), .preset = "null",
       .meaning = "cells or positions whose values go into probes.csv; null: none"},
       of_output, store(&RunConfig::probes)},

      {{.name = "checkpoint.every", .type = either(integer(1, most_steps), duration()),
       .preset = "2500", .unit = "steps, or a time",
       .meaning = "interval between checkpoints, in steps or in wall-clock time"}, free,
       store(&RunConfig::checkpoint_every)},
      {{.name = "checkpoint.keep", .type = integer(1, 1000000), .preset = "3",
       .unit = "files", .meaning = "number of newest checkpoints to keep"}, free,
       store(&RunConfig::checkpoints_kept)},

      {{.name = "filters", .type = filters(), .preset = "[]",
       .meaning = "convolutions of a field, stored in each output"}, of_output,
       store(&RunConfig::filters)},

      {{.name = "limits.wall_time", .type = null_or(duration()), .preset = "null",
       .unit = "a time", .meaning = "wall-clock time after which the run stores a checkpoint "
                                    "and exits with 75; null: no limit"}, free,
       store(&RunConfig::wall_time)},
      {{.name = "limits.check_finite_every", .type = integer(1, most_steps), .preset = "500",
       .unit = "steps", .meaning = "steps between checks that every value is finite"}, where_estimated,
       store(&RunConfig::check_finite_every)},
      {{.name = "limits.check_stability_every", .type = null_or(integer(1, most_steps)),
       .preset = "null", .unit = "steps",
       .meaning = "steps between estimates of the largest stable step, which time.step auto uses "
                  "and other steps are compared with; null: as limits.check_finite_every with "
                  "auto, else never"}, where_estimated,
       store(&RunConfig::check_stability_every)},
      {{.name = "limits.steady", .type = null_or(positive_real()), .preset = "null",
       .unit = "1/time", .meaning = "the run is complete once no value changes by this much per "
                                 "unit of time, checked every limits.check_finite_every steps; "
                                 "null: never"}, free,
       store(&RunConfig::steady)},
      {{.name = "limits.stop", .type = null_or(stop_condition()), .preset = "null",
       .meaning = "the run is complete once this formula is not 0 in a cell, such as maximum(u) > 2; "
                  "checked after every step, or by {when: FORMULA, every: STEPS}; null: never"}, free,
       store(&RunConfig::stop)},
      {{.name = "limits.smallest_step", .type = null_or(positive_real()), .preset = "null",
       .unit = "time", .meaning = "a run with time.tolerance ends with an error before a step that "
                               "would be shorter; null: rounding alone limits it"}, free,
       [](RunConfig& run, const YamlNode& node) {
         std::optional<double> given;
         assign(given, node);
         run.smallest_step = given.value_or(0);
       }},
      {{.name = "limits.unstable_step", .type = word({"refuse", "warn"}), .preset = "refuse",
       .meaning = "what happens to a run whose time.step is known to be unstable"}, free,
       [](RunConfig& run, const YamlNode& node) { run.refuses_unstable = node.text == "refuse"; }},
      {{.name = "limits.verify_every", .type = null_or(integer(1, most_steps)), .preset = "null",
       .unit = "steps",
       .meaning = "interval at which all steps since the last check are computed again and their "
                  "bits compared; null: never"}, free, store(&RunConfig::verify_every)},
  };
  table.insert(table.end(), rest.begin(), rest.end());
  return table;
}
// clang-format on

}  // namespace

ConfigTable config_keys_for(const ConfigNames& names) { return make_key_table(names); }

const ConfigTable& config_keys() {
  static const ConfigTable table = make_key_table({.fields = {"FIELD"},
                                                   .parameters = {"NAME"},
                                                   .derived = {"NAME"},
                                                   .axes = 3,
                                                   .initial_by_field = true,
                                                   .all = true});
  return table;
}

}  // namespace lapl
