#include "io/config/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/filters/filter_keys.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

std::vector<EmbeddedConfig> with_summaries(std::vector<EmbeddedConfig> configs) {
  for (EmbeddedConfig& config : configs)
    config.summary = config.text.substr(2, config.text.find('\n') - 2);  // skips "# "
  return configs;
}

/// `text` as comment lines, broken between words; all lines after the first begin with `hang`.
std::string comment(const std::string& indent, const std::string& text,
                    const std::string& hang = "") {
  constexpr std::size_t width = 100;
  std::string lines, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (indent.size() + line.size() + 1 + word.size() > width) {
      lines += indent + line + '\n';
      line = "# " + hang + word;
    } else {
      line += (line.empty() ? "# " : " ") + word;
    }
  }
  return lines + indent + line + '\n';
}

std::string default_text(const std::string& preset) {
  return preset.empty() ? "required" : "default " + preset;
}

/// The comment for a key, from the key table. If a config gives filters, it includes the keys of a
/// filter.
std::string key_comment(const ConfigKey& key, const std::string& indent, bool given) {
  const std::string unit = key.unit.empty() ? "" : fmt::format("unit: {}; ", key.unit);
  std::string text = comment(indent, key.meaning) +
                     comment(indent, fmt::format("({}; {}{})", description(key.type), unit,
                                                 default_text(key.preset)));
  if (key.name == "filters" && given)
    for (const auto& filter_key : filter_keys())
      text += comment(indent,
                      fmt::format("- {}: {} ({})", filter_key.name, filter_key.meaning,
                                  default_text(filter_key.preset)),
                      "  ");
  return text;
}

}  // namespace

const std::vector<EmbeddedConfig>& gallery() {
  static const std::vector<EmbeddedConfig> configs = with_summaries({
#include "gallery_configs.hpp"
  });
  return configs;
}

const std::vector<EmbeddedConfig>& config_uses() {
  static const std::vector<EmbeddedConfig> configs = with_summaries({
#include "new_configs.hpp"
  });
  return configs;
}

std::vector<std::string> names_of_new() {
  std::vector<std::string> names = names_in(config_uses());
  for (const EmbeddedConfig& config : gallery()) names.push_back(config.name);
  return names;
}

std::string config_for(std::string_view name) {
  if (const auto config = std::ranges::find(gallery(), name, &EmbeddedConfig::name);
      config != gallery().end())
    return std::string(config->text);
  const auto use = std::ranges::find(config_uses(), name, &EmbeddedConfig::name);
  if (use == config_uses().end()) {
    const std::vector<std::string> names = names_of_new();
    const std::string near = nearest_word(name, names, 0);
    throw ConfigError(
        "use {}: not known ({})", shown(name),
        near.empty() ? "expected " + alternatives(names) : "did you mean " + near + "?");
  }
  const std::vector<ResolvedKey> settings = resolved_keys(std::string(use->text));
  const auto setting = [&](const std::string& key) {
    const auto at = std::ranges::find(settings, key, &ResolvedKey::key);
    return at == settings.end() ? nullptr : &*at;
  };
  const auto chosen_kind = [&](const ConfigKey& key) {
    const auto* const given = setting(key.key_of_kind());
    return given ? given->value : find_config_key(key.key_of_kind())->preset;
  };
  std::string text = comment("", use->name + ": " + use->summary) + "#\n" +
                     comment("",
                             "Lines such as \"#spacing: 1\" show defaults; without the # they are "
                             "entries. lapl validate FILE says every mistake.");
  std::string_view open_section;
  for (const ConfigKey& key : config_keys_for({})) {
    if (!key.kinds.empty() && !key.belongs_to(chosen_kind(key))) continue;
    const bool in_section = key.section() != key.name;
    if (key.section() != open_section) {
      open_section = key.section();
      const bool live = std::ranges::any_of(settings, [&](const ResolvedKey& given) {
        return given.key.starts_with(std::string(open_section) + ".");
      });
      text += '\n';
      if (in_section) text += fmt::format("{}{}:\n", live ? "" : "#", open_section);
    }
    const std::string indent = in_section ? "  " : "";
    const ResolvedKey* const given = setting(key.name);
    text += key_comment(key, indent, given != nullptr);
    if (given && !given->origin.empty()) text += comment(indent, "Here: " + given->origin);
    std::string preset = key.preset;
    if (const std::size_t mark = preset.find(config_name_mark); mark != std::string::npos)
      preset.replace(mark, config_name_mark.size(), use->name);
    text += fmt::format("{}{}{}: {}\n", indent, given ? "" : "#", key.entry(),
                        given ? given->value : preset);
  }
  return text;
}

}  // namespace lapl
