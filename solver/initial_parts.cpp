#include "solver/initial_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace lapl {

const InitialConfig& field_initial(const RunConfig& config, const std::string& field) {
  const auto own = config.initials.find(field);
  return own == config.initials.end() ? config.initial : own->second;
}

std::vector<InitialPart> initial_parts(const RunConfig& config) {
  std::vector<InitialPart> parts;
  for (const auto& [name, formula] : config.initial_quantities) {
    InitialConfig& initial = parts.emplace_back(InitialPart{name, {}, {}}).initial;
    initial.kind = InitialKind::formula;
    initial.formula = formula;
    initial.fractal.seed = config.initial.fractal.seed;
  }
  for (std::size_t field = 0; field < config.fields.size(); ++field)
    parts.push_back({config.fields[field], field_initial(config, config.fields[field]), field});
  return parts;
}

std::vector<InitialPart> ordered_initial_parts(const RunConfig& config) {
  std::vector<InitialPart> parts = initial_parts(config), ordered;
  std::map<std::uint64_t, std::int64_t> draws;  // uses of `random` so far, by seed
  std::map<std::string_view, std::size_t> named;
  std::vector<Formula> formulas(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    named.emplace(parts[i].name, i);
    if (parts[i].initial.kind != InitialKind::formula) continue;
    formulas[i] = parts[i].initial.formula.parsed(parts[i].key());
    std::int64_t& before = draws[parts[i].initial.fractal.seed];
    parts[i].draws = before;
    before += std::ranges::count(formulas[i].nodes, "random", &FormulaNode::name);
  }
  std::vector<std::size_t> through;  // the parts being visited, each read by the one before it
  std::vector<bool> done(parts.size());
  const std::function<void(std::size_t)> visit = [&](std::size_t part) {
    through.push_back(part);
    for (const FormulaNode& node : formulas[part].nodes) {
      const auto read = named.find(node.name);
      if (node.kind != FormulaNode::Kind::name || read == named.end()) continue;
      const auto refuse = [&](const std::string& what) {
        FormulaError error(node.at, what);
        error.of = formulas[part].name;
        error.text = formulas[part].text;
        throw error;
      };
      parts[read->second].is_read = true;
      std::string circle;
      for (auto at = std::ranges::find(through, read->second); at != through.end(); ++at)
        circle += parts[*at].name + ", ";
      if (!circle.empty())
        refuse(fmt::format("initial fields read each other: {}{}", circle, read->first));
      if (through.size() > formula_depth_limit)
        refuse(fmt::format("more than {} initial fields one upon the other", formula_depth_limit));
      if (!done[read->second]) visit(read->second);
    }
    through.pop_back();
    done[part] = true;
    ordered.push_back(parts[part]);
  };
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!done[i]) visit(i);
  for (InitialPart& part : ordered) part.is_read = parts[named.at(part.name)].is_read;
  return ordered;
}

}  // namespace lapl
