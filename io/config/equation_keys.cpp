// The keys of section equation that are neither rates nor quantities.
#include <fmt/format.h>

#include "io/config/config_keys.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

// clang-format off
KeyTable<EquationConfig> make_equation_keys() {
  std::string summaries;
  for (const Equation& equation : name_table<EquationKind>)
    summaries += fmt::format("{}{}: {}", summaries.empty() ? "" : "; ", equation.name, equation.summary);
  KeyTable<EquationConfig> keys = {
      {{.name = "kind", .type = word(names_in(name_table<EquationKind>)), .preset = "diffusion",
       .meaning = summaries}, store(&EquationConfig::kind)},
  };
  for (const Equation& equation : name_table<EquationKind>)
    for (const EquationParameter& parameter : equation.parameters)
      keys.push_back({{.name = std::string(parameter.name),
                       .type = null_or(positive_real()),
                       .preset = "null",
                       .unit = std::string(parameter.unit),
                       .meaning = std::string(parameter.meaning),
                       .kinds = {equation.name}},
                      [&parameter](EquationConfig& config, const YamlNode& node) {
                        std::optional<double> given;
                        assign(given, node);
                        config.parameters.erase(std::string(parameter.name));
                        if (given) config.parameters.emplace(parameter.name, *given);
                      }});
  return keys;
}
// clang-format on

}  // namespace

const KeyTable<EquationConfig>& equation_keys() {
  static const KeyTable<EquationConfig> keys = make_equation_keys();
  return keys;
}

}  // namespace lapl
