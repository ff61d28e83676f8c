#include "io/config/config_uses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/gallery.hpp"
#include "io/filters/filter_keys.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

std::vector<ConfigUse> make_uses() {
  return {
      {"quick",
       "a small fractal field, done in a second: to see what there is",
       {{"grid.shape", "[500, 500]"},
        {"initial.kind", "fractal"},
        {"equation.coefficient", "0.25"},
        {"time.steps", "1000"},
        {"output.every", "250"}}},
      {"tutorial",
       "the published GPU tutorial's run: 10,000 steps of a fractal field of 2000 x 2000 cells",
       {{"grid.shape", "[2000, 2000]"},
        {"initial.kind", "fractal"},
        {"equation.coefficient", "0.25", "the largest stable one"},
        {"time.steps", "10000"},
        {"output.every", "2500"}}},
      {"image",
       "a picture, blurred: N steps are a Gaussian filter of variance 2 c N",
       {{"grid.shape", "[96, 256]", "that of the picture"},
        {"boundary.rows", "insulated"},
        {"boundary.columns", "insulated"},
        {"initial.kind", "image"},
        {"initial.path", "picture.png", "put your picture here; grey values from 0 to 1"},
        {"equation.coefficient", "0.2"},
        {"time.steps", "100"},
        {"output.every", "25"}}},
      {"own-field",
       "a field of your own from an HDF5 file, such as h5py writes",
       {{"grid.shape", "[48, 64]", "that of the dataset"},
        {"initial.kind", "hdf5"},
        {"initial.path", "field.h5",
         "in Python: with h5py.File(\"field.h5\", \"w\") as file: file[\"field\"] = array"},
        {"initial.dataset", "/field"},
        {"equation.coefficient", "0.2"},
        {"time.steps", "1000"},
        {"output.every", "250"}}},
      {"filtered",
       "filters on the way: each output holds a smoothed field and its slope too",
       {{"grid.shape", "[500, 500]"},
        {"initial.kind", "fractal"},
        {"equation.coefficient", "0.25"},
        {"time.steps", "1000"},
        {"output.every", "500"},
        {"output.fields", "[field]"},
        {"filters",
         "[{name: smooth, kernel: gaussian, sigma: 4}, {name: slope, kernel: sobel_columns}]"}}},
      {"long-batch",
       "days of steps in jobs with a time limit: checkpoints by the clock, restarts, self-checks",
       {{"grid.shape", "[4000, 4000]"},
        {"initial.kind", "fractal"},
        {"equation.coefficient", "0.25"},
        {"time.steps", "100000000"},
        {"output.every", "1000000"},
        {"checkpoint.every", "30m", "at most so much is lost when a job is killed"},
        {"limits.wall_time", "690m",
         "some time before the batch system's own limit; lapl run --auto-resume goes on"},
        {"limits.verify_every", "100000", "finds what memory or processor got wrong"}}},
      {"verification",
       "an eigenmode of the boundary: every value must decay as (1 - c lambda)^n",
       {{"grid.shape", "[127, 191]"},
        {"boundary.rows", "zero"},
        {"boundary.columns", "zero"},
        {"initial.kind", "sine"},
        {"initial.mode", "[2, 3]", "lambda = 4 - 2 cos(2 pi / 128) - 2 cos(3 pi / 192)"},
        {"equation.coefficient", "0.2"},
        {"time.steps", "2000"},
        {"compute.precision", "float64"},
        {"output.every", "500"}}},
  };
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

const std::vector<ConfigUse>& config_uses() {
  static const std::vector<ConfigUse> uses = make_uses();
  return uses;
}

std::vector<std::string> names_of_new() {
  std::vector<std::string> names = names_in(config_uses());
  for (const GalleryConfig& config : gallery()) names.emplace_back(config.name);
  return names;
}

std::string config_for(std::string_view name) {
  if (const auto config = std::ranges::find(gallery(), name, &GalleryConfig::name);
      config != gallery().end())
    return std::string(config->text);
  const auto use = std::ranges::find(config_uses(), name, &ConfigUse::name);
  if (use == config_uses().end()) {
    const std::vector<std::string> names = names_of_new();
    const std::string near = nearest_word(name, names, 0);
    throw ConfigError("use {}: not known ({})", shown(name),
                      near.empty() ? "expected " + either_of(names) : "did you mean " + near + "?");
  }
  const auto setting = [&](const std::string& key) {
    const auto at = std::ranges::find(use->settings, key, &ConfigUse::Setting::key);
    return at == use->settings.end() ? nullptr : &*at;
  };
  const auto kind_of = [&](const ConfigKey& key) {
    const auto* const given = setting(key.key_of_kind());
    return given ? given->value : find_config_key(key.key_of_kind())->preset;
  };
  std::string text = comment("", use->name + ": " + use->summary) + "#\n" +
                     comment("",
                             "Lines such as \"#spacing: 1\" show defaults; without the # they are "
                             "entries. lapl validate FILE says every mistake.");
  std::string_view open_section;
  for (const ConfigKey& key : config_keys_for({})) {
    if (!key.kinds.empty() && !key.belongs_to(kind_of(key))) continue;
    const bool in_section = key.section() != key.name;
    if (key.section() != open_section) {
      open_section = key.section();
      const bool live = std::ranges::any_of(use->settings, [&](const ConfigUse::Setting& given) {
        return given.key.starts_with(std::string(open_section) + ".");
      });
      text += '\n';
      if (in_section) text += fmt::format("{}{}:\n", live ? "" : "#", open_section);
    }
    const std::string indent = in_section ? "  " : "";
    const ConfigUse::Setting* given = setting(key.name);
    text += key_comment(key, indent, given != nullptr);
    if (given && !given->note.empty()) text += comment(indent, "Here: " + given->note);
    std::string preset = key.preset;
    if (const std::size_t mark = preset.find(config_name_mark); mark != std::string::npos)
      preset.replace(mark, config_name_mark.size(), use->name);
    text += fmt::format("{}{}{}: {}\n", indent, given ? "" : "#", key.entry(),
                        given ? given->value : preset);
  }
  return text;
}

}  // namespace lapl
