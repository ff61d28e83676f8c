#include "io/config/unknown_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "io/config/config_text.hpp"
#include "io/config/short_forms.hpp"
#include "solver/equation/formula_mistakes.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

/// Names that other programs use, or that users guess, and the keys that they mean.
constexpr std::pair<std::string_view, std::string_view> other_keys[] = {
    {"grid.n", "grid.shape"},
    {"grid.nx", "grid.shape"},
    {"grid.ny", "grid.shape"},
    {"grid.nz", "grid.shape"},
    {"grid.resolution", "grid.shape"},
    {"grid.dx", "grid.spacing"},
    {"grid.h", "grid.spacing"},
    {"grid.lengths", "grid.size"},
    {"grid.bounds", "grid.size"},
    {"domain", "grid"},
    {"mesh", "grid"},
    {"time.dt", "time.step"},
    {"time.t_end", "time.end"},
    {"time.t_max", "time.end"},
    {"time.duration", "time.end"},
    {"time.n_steps", "time.steps"},
    {"time.method", "time.scheme"},
    {"time.integrator", "time.scheme"},
    {"time.solver", "time.scheme"},
    {"solver", "time.scheme"},
    {"scheme", "time.scheme"},
    {"bc", "boundary"},
    {"bcs", "boundary"},
    {"boundary_conditions", "boundary"},
    {"boundary.west", "boundary.left"},
    {"boundary.east", "boundary.right"},
    {"boundary.south", "boundary.bottom"},
    {"boundary.north", "boundary.top"},
    {"initial_condition", "initial"},
    {"initial_conditions", "initial"},
    {"ic", "initial"},
    {"params", "parameters"},
    {"constants", "parameters"},
    {"pde", "equation"},
    {"rhs", "equation"},
    {"output.interval", "output.every"},
    {"output.dir", "output.directory"},
    {"output.path", "output.directory"},
    {"output.folder", "output.directory"},
    {"dt", "time.step"},
    {"t_end", "time.end"},
    {"precision", "compute.precision"},
    {"backend", "compute.backend"},
    {"threads", "compute.threads"}};

/// Why a key that other configs have does not exist in this one; empty if no config has it.
std::string why_not_here(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  if (section == "initial" && find_config_key(name))
    return "does not apply where fields have their own (write initial.FIELD: {kind: ...})";
  if (section == "boundary" && find_config_key(name))
    return "does not apply: grid.shape has no such axis (expected three for planes, two for rows)";
  return {};
}

}  // namespace

std::vector<const ConfigKey*> section_keys(const ConfigTable& table, const std::string& section) {
  std::vector<const ConfigKey*> keys;
  for (const ConfigKey& key : table)
    if (key.section() == section) keys.push_back(&key);
  return keys;
}

std::string section_problem(const YamlNode& node, const std::string& name,
                            const ConfigTable& table) {
  const std::string problem = !node.refused.empty()               ? node.refused
                              : node.kind == YamlNode::Kind::null ? "nothing"
                              : node.kind == YamlNode::Kind::list ? "a list"
                                                                  : shown(node.text);
  std::vector<std::string_view> known;
  for (const ConfigKey* const key : section_keys(table, name)) known.push_back(key->entry());
  if (name == "equation")
    return fmt::format("found {} (expected a map of fields, as in equation: {{u: laplacian(u)}})",
                       problem);
  if (name == "initial")
    return fmt::format(
        "found {} (expected a number or a formula, or a map of fields with these, as in initial: "
        "{{u: 1 - x}}, or of keys of initial: {})",
        problem, fmt::join(known, ", "));
  return fmt::format("found {} (expected a map with keys of {}: {})", problem, name,
                     fmt::join(known, ", "));
}

std::string unknown_key(const std::string& name, const ConfigTable& table) {
  if (const std::string why = why_not_here(name); !why.empty()) return why;
  for (const auto& [other, meant] : other_keys)
    if (edit_distance(name, other, 0) == 0)
      return fmt::format("unknown key (did you mean {}?)", meant);
  std::string near = nearest_key(name, table);
  const KeyRow given{.name = name};
  if ((given.section() == "initial" || given.section() == shorthand_section) &&
      KeyRow{.name = near}.section() != given.section()) {
    std::vector<std::string> fields;
    for (const ConfigKey& key : table)
      if (key.section() == "equation" && !is_key_beside_rates(key.entry()))
        fields.emplace_back(key.entry());
    if (!near.empty() && !fields.empty())
      return fmt::format("neither a key nor a field (expected {})", alternatives(fields));
  }
  if (near.empty() && given.section() == shorthand_section)
    if (const auto side = nearest_word(given.entry(), names_in(side_names()), 0); !side.empty())
      near = fmt::format("{}.{}", shorthand_section, side);
  if (near.empty() && given.section() == "equation" && is_plain_name(given.entry()))
    return "unknown key (expected a rate, as in u: laplacian(u), or a key of the equation's kind)";
  return near.empty() ? "unknown key" : fmt::format("unknown key (did you mean {}?)", near);
}

std::string nearest_key(const std::string& name, const ConfigTable& table) {
  constexpr std::size_t any_distance = 64;
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot);
  const std::string entry = dot == std::string::npos ? name : name.substr(dot + 1);
  const std::size_t limit = misspelling_limit(entry);
  std::string nearest;
  std::tuple<std::size_t, bool, std::size_t> least;
  const auto consider = [&](std::string_view candidate, std::size_t distance, bool elsewhere) {
    if (distance > limit) return;
    const std::tuple cost(distance + (elsewhere ? 1 : 0), elsewhere,
                          edit_distance(name, candidate, any_distance));
    if (nearest.empty() || cost < least) {
      nearest = candidate;
      least = cost;
    }
  };
  const auto consider_key = [&](const ConfigKey& key) {
    const bool elsewhere =
        key.section() == key.name ? dot != std::string::npos : key.section() != section;
    consider(key.name, edit_distance(entry, key.entry(), limit), elsewhere);
  };
  // The key may lack only its dot, as timestep does.
  const auto is_but_for_dot = [&](const ConfigKey& key) {
    return dot == std::string::npos && edit_distance(name, key.name, 1) == 1;
  };
  for (const ConfigKey& key : table) {
    if (name.starts_with(key.name + '.') || is_but_for_dot(key)) return key.name;
    consider_key(key);
  }
  consider_key(*find_config_key(mask_key));  // not in the table of a grid without a mask
  // The keys of section parameters may have any name, so only the section's name can be misspelt.
  if (nearest.empty() && edit_distance(section, "parameters", 3) < 3 && section != "parameters")
    return dot == std::string::npos ? "parameters" : "parameters" + name.substr(dot);
  if (nearest.empty())  // the key may exist on a grid with more axes
    for (const ConfigKey& key : config_keys())
      if (key.section() == shorthand_section) {
        if (is_but_for_dot(key)) return key.name;
        consider_key(key);
      }
  if (dot != std::string::npos) return nearest;
  for (const std::string& known : config_sections())
    consider(known, edit_distance(name, known, limit), false);
  return nearest;
}

}  // namespace lapl
