// lapl help [TOPIC] [KEY]: explains a command or a config key.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/help_text.hpp"
#include "app/commands/commands.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/short_forms.hpp"
#include "io/config/unknown_keys.hpp"
#include "io/filters/filter_keys.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

struct HelpOptions {
  std::string topic;
  std::string key;
  const CommandLine* line = nullptr;
};

std::string preset_of_key(const KeyRow& key) { return key.is_required() ? "none" : key.preset; }

// The help of one key, with all entries of the key table.
std::string help_of_key(const ConfigKey& key) {
  std::string text = help_paragraphs(fmt::format("{}: {}", key.name, key.meaning)) + '\n';
  text += help_entry("value", description(key.type));
  text += help_entry("default", preset_of_key(key));
  if (!key.unit.empty()) text += help_entry("unit", key.unit);
  if (!key.kinds.empty())
    text += help_entry("only with", key.key_of_kind() + ' ' + alternatives(key.kinds));
  text += help_entry("a restart changes it", restart_rule_text(key));
  if (key.name != "filters") return text;
  text += "\nKeys of a filter:\n";
  for (const auto& of_filter : filter_keys()) text += help_entry(of_filter.name, of_filter.meaning);
  return text;
}

// The help of the keys of a section ("": of all sections); empty if there is no such section.
std::string help_of_section(std::string_view section) {
  std::string text;
  std::string_view before;
  for (const ConfigKey& key : config_keys()) {
    if (!section.empty() && key.section() != section) continue;
    if (key.section() != before) text += fmt::format("\n{}:\n", key.section());
    before = key.section();
    text += help_entry(key.name, key.meaning + (key.is_required() ? " (required)" : ""));
  }
  return text;
}

// The short forms of section boundary (io/config/short_forms.hpp).
std::string help_of_sides() {
  return '\n' +
         help_paragraphs(fmt::format(
             "Entries of boundary are conditions at both sides of an axis or at one side ({}), or "
             "a condition of all fields or of one by its name. A condition is zero, insulated, a "
             "number (its value) or a map with value, derivative, mixed or absorbing. dirichlet, "
             "neumann and robin are value, derivative and mixed; the first two alone are zero and "
             "insulated. periodic is of an axis.",
             fmt::join(names_in(side_names()), ", ")));
}

std::string help_of_config(const std::string& name) {
  if (const ConfigKey* const key = find_config_key(name)) return help_of_key(*key);
  const KeyRow row{.name = name};
  const std::string section(row.section());
  if (const ConfigKey* const key = find_config_key(section + ".FIELD");
      key != nullptr && nearest_key(name).empty())
    return help_of_key(*key);
  if (section == shorthand_section && name != section) return help_of_config(section);
  const std::string keys =
      help_of_section(name) + (name == shorthand_section ? help_of_sides() : "");
  if (keys.empty()) {
    const std::string near = nearest_key(name);
    throw ConfigError("{}: no such config key ({}see lapl help config)", shown(name),
                      near.empty() ? "" : fmt::format("did you mean {}? ", near));
  }
  return help_paragraphs(
             "Keys of a config, in its file or after --set. `lapl help config KEY` says the "
             "values, the "
             "default and the unit of one. A key section.entry is entry under section: in the "
             "file.") +
         keys;
}

int help_command(const HelpOptions& options) {
  if (options.topic == "config") {
    print_text("{}", help_of_config(options.key));
    return 0;
  }
  if (!options.key.empty())
    throw ConfigError("{}: only lapl help config takes a second word", shown(options.key));
  print_text("{}", options.line->help(options.topic));
  return 0;
}

}  // namespace

void add_help_command(CommandLine& line) {
  Command command = line.add("help", "Explain a command, or a config key");
  HelpOptions& options = command.calls(help_command);
  options.line = &line;
  command.positional("TOPIC", &options.topic, "A command, or config. Default: all commands");
  command.positional("KEY", &options.key,
                     "After config: a key, or a section such as time. Default: all keys");
  command.footer(R"(Examples:
  lapl help plot
  lapl help config
  lapl help config time.step)");
}

}  // namespace lapl
