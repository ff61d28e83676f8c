// docs/config.md and the tables of docs/filters.md are made from the key tables.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <fstream>
#include <iterator>

#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/short_forms.hpp"
#include "io/filters/filter_job.hpp"
#include "io/filters/filter_keys.hpp"

namespace lapl {
namespace {

std::string preset_cell(const KeyRow& key) {
  return key.is_required() ? "required" : '`' + key.preset + '`';
}

// The keys as a Markdown table.
std::string key_reference(const std::vector<KeyRow>& keys) {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const KeyRow& key : keys)
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, description(key.type),
                        preset_cell(key), key.meaning);
  return text;
}

std::string boundary_reference() {
  std::string text =
      "A condition is given for a side, for an axis (both of its sides), or at `boundary` itself "
      "(all\nsides). A map of fields gives each field its own condition; at `boundary` itself, it "
      "applies to the\naxes that are not named. A number means a value. `dirichlet`, `neumann` and "
      "`robin` mean `value`,\n`derivative` and `mixed`.\n\n"
      "| axis | first side | last side |\n|---|---|---|\n";
  for (const int axis : {2, 1, 0}) {
    std::array<std::string, 3> cells;
    for (const SideName& name : side_names())
      if (name.axis == axis) {
        std::string& cell = cells.at(static_cast<std::size_t>(name.sides));
        cell += fmt::format("{}`{}`", cell.empty() ? "" : ", ", name.name);
      }
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return text + '\n';
}

// The key table as Markdown.
std::string config_reference() {
  std::string text = R"(# Config keys

Every key of a config, with its values, its default, its unit and its meaning.

A key `section.entry` is `entry` under `section:` in the file. On the command line
`--set section.entry=VALUE` replaces what the file says.

Numbers are plain decimals, without leading zeros, hexadecimal digits, quotes, underscores,
`.nan` or `.inf`. An integer may be any whole number: `1e4`, `2500.0`. Errors are: unknown keys,
repeated keys, anchors, aliases, tags and a second document. A file has at most 1 MiB.

The last column says which keys a restart may change: `lapl resume`, or `lapl run` and `lapl sweep`
with `--auto-resume`. Only `lapl resume` has `--change`
([batch.md](batch.md#another-parameter-step-or-scheme-from-a-checkpoint-on)); it checks the changed
config as that of a new run, and the log, run.json and later outputs record each key with both
values. *In other words* means another spelling of the same equation
([format.md](format.md#digest-of-an-equation)). The time never jumps: steps of another size are
counted from the checkpoint on (`time.since`).

This page is made from the key table in `io/config/config_keys.cpp`;
`tests/io/config_reference_test.cpp` fails where the two differ.
)";
  std::string_view open_section;
  for (const ConfigKey& key : config_keys()) {
    if (key.section() != open_section) {
      open_section = key.section();
      text += fmt::format("\n## {}\n\n", open_section);
      if (open_section == shorthand_section) {
        text += boundary_reference();
      }
      text +=
          "| key | value | default | unit | meaning | a restart may change it |\n"
          "|---|---|---|---|---|---|\n";
    }
    std::string meaning = key.meaning;
    if (!key.kinds.empty()) meaning += fmt::format(" (kind {})", alternatives(key.kinds));
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, description(key.type),
                        preset_cell(key), key.unit, meaning, restart_rule_text(key));
    if (key.name == "filters")
      text += "\nEach filter is a map:\n\n" + key_reference(key_rows(filter_keys()));
  }
  return text;
}

TEST_CASE("docs/config.md has every key") {
  std::ifstream file(LAPL_SOURCE_DIR "/docs/config.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK(page == config_reference());  // else write config_reference() there
  for (const ConfigKey& key : config_keys())
    CHECK(page.find("| `" + key.name + "` |") != std::string::npos);
}

TEST_CASE("docs/filters.md has every key of lapl filter") {
  std::ifstream file(LAPL_SOURCE_DIR "/docs/filters.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK(page.find(key_reference(filter_job_keys()) +
                  "\n`filter:` is a map of these, `filters:` a list of such maps:\n\n" +
                  key_reference(key_rows(filter_keys()))) != std::string::npos);
}

}  // namespace
}  // namespace lapl
