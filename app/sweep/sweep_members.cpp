// Makes the members of a sweep from lists of values, and checks them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "app/sweep/sweep.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "io/config/config.hpp"
#include "io/config/config_number.hpp"
#include "io/filters/filter_source.hpp"
#include "io/json.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/config_changes.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"
#include "solver/dataset_names.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_members = 10000;

struct List {
  std::string key;
  std::vector<std::string> values;
};

// The values of the range FIRST:LAST:STEP, with LAST if a step meets it. Any other text is one
// value.
std::vector<std::string> values_in(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ':');)
    if (const auto number = read_number(part).real) numbers.push_back(*number);
  if (numbers.size() != 3 || std::ranges::count(text, ':') != 2) return {text};
  const auto [first, last, step] = std::tie(numbers[0], numbers[1], numbers[2]);
  const double steps = std::floor((last - first) / step + 1e-9);
  if (!(steps >= 0 && steps < static_cast<double>(most_members)))
    throw ConfigError(
        "{}: is no range of at most {} values (expected FIRST:LAST:STEP, such as 0.05:0.2:0.05)",
        text, most_members);
  std::vector<std::string> values;
  for (double i = 0; i <= steps; ++i)
    values.push_back(fmt::format("{:.14g}", std::fma(i, step, first)));
  return values;
}

// The values of a list. Commas outside of brackets and quotes separate them: "[10,20],[30,40]" has
// two.
std::vector<std::string> list_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '"' && c == '\\' && i + 1 < text.size()) {
      values.back() += c;
      values.back() += text[++i];
      continue;
    }
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '[' || c == '{')
      ++depth;
    else if (c == ']' || c == '}')
      --depth;
    if (c == ',' && depth == 0 && quote == '\0')
      values.emplace_back();
    else
      values.back() += c;
  }
  for (std::string& value : values) {
    value.erase(0, value.find_first_not_of(' '));
    value.erase(value.find_last_not_of(' ') + 1);
  }
  return values;
}

// The settings that list two values or more. Other settings are added to `common`.
std::vector<List> lists_in(const std::vector<std::string>& settings,
                           std::vector<std::string>& common) {
  std::vector<List> lists;
  std::map<std::string, int> given;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      common.push_back(setting);  // parse_config reports the mistake
      continue;
    }
    const std::string key = setting.substr(0, equals);
    ++given[key];
    List list{key, {}};
    for (const std::string& value : list_values(setting.substr(equals + 1)))
      for (std::string& single : values_in(value)) list.values.push_back(std::move(single));
    if (key == "output.directory")
      throw ConfigError(
          "--set output.directory: the members' run folders are made below --output (give that)");
    if (list.values.size() == 1) {
      common.push_back(setting);
      continue;
    }
    if (const std::set<std::string> different(list.values.begin(), list.values.end());
        different.size() < list.values.size())
      throw ConfigError("--set {}: a value is there twice", setting);
    lists.push_back(std::move(list));
  }
  for (const List& list : lists)
    if (given[list.key] > 1)
      throw ConfigError("--set {}: given {} times (expected one list of all values)", list.key,
                        given[list.key]);
  if (lists.empty())
    throw ConfigError(
        "nothing to sweep: expected --set KEY=VALUE,VALUE,... with two values or more");
  return lists;
}

// A value as part of a folder's name: only characters that need no quotes in a shell, else "-".
std::string plain_text(const std::string& value) {
  std::string plain;
  for (const char c : value) {
    const bool kept =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
    if (kept)
      plain += c;
    else if (!plain.empty() && plain.back() != '-')
      plain += '-';
  }
  return plain.substr(0, plain.find_last_not_of('-') + 1);
}

std::vector<SweepMember> combinations(const std::vector<List>& lists,
                                      const std::vector<SweptKey>& keys,
                                      const std::vector<std::string>& common) {
  std::vector<SweepMember> members(1);
  members.front().settings = common;
  for (std::size_t key = 0; key < lists.size(); ++key) {
    const List& list = lists[key];
    if (members.size() * list.values.size() > most_members)
      throw ConfigError("the lists have more than {} combinations", most_members);
    std::vector<SweepMember> longer;
    for (const SweepMember& member : members)
      for (std::size_t i = 0; i < list.values.size(); ++i) {
        const std::string& value = list.values[i];
        SweepMember& added = longer.emplace_back(member);
        added.name += fmt::format("{}{}-{}", member.name.empty() ? "" : "_", keys[key].name,
                                  plain_text(value));
        added.values.emplace_back(list.key, value);
        added.swept[list.key] = keys[key].values[i];
        added.settings.push_back(list.key + "=" + value);
      }
    members = std::move(longer);
  }
  return members;
}

// True if the member's folder contains this very run, complete. Throws ConfigError if it contains a
// run that this config cannot continue.
bool is_complete(const LoadedConfig& config) {
  const fs::path folder = config.run.directory;
  std::optional<RunFolder> held;  // locked, so that all that is read is of one run
  try {
    held.emplace(RunFolder::open(folder));
  } catch (const IoError&) {
    return false;  // the member reports this error when it starts
  }
  if (!fs::exists(folder / "config.yaml")) return false;  // the run ended before it wrote one
  const LoadedConfig before = load_config(folder / "config.yaml", {});
  try {
    require_same_problem(before, "the run folder", config);
  } catch (const ConfigError& error) {
    throw ConfigError("{}: {}", folder.string(), error.what());
  }
  return summary_if_any(folder).value("status", nlohmann::ordered_json()) == "complete" &&
         before.run.end == config.run.end &&
         (config.run.ends_by_time() || before.run.steps == config.run.steps);
}

// {NAME: {"key": KEY, "value": VALUE}} (io/hdf5/axes.hpp) in place of {KEY: VALUE}.
void name_swept(SweepMember& member, const std::vector<SweptKey>& keys) {
  std::vector<std::string> taken = output_names(member.run);
  taken.insert(taken.end(), output_parts.begin(), output_parts.end());
  for (const FilterConfig& filter : member.run.filters) taken.push_back(filter.name);
  nlohmann::ordered_json named;
  for (const SweptKey& key : keys)
    named[coordinate_name(key, taken)] = {{"key", key.key}, {"value", member.swept[key.key]}};
  member.swept = std::move(named);
}

}  // namespace

std::vector<SweepMember> sweep_members(const std::string& config, const std::string& text,
                                       const std::vector<std::string>& settings,
                                       const fs::path& folder, bool go_on) {
  std::vector<std::string> common;
  const std::vector<List> lists = lists_in(settings, common);
  std::vector<std::string> list_keys;
  std::vector<std::vector<std::string>> list_texts;
  for (const List& list : lists) {
    list_keys.push_back(list.key);
    list_texts.push_back(list.values);
  }
  const std::vector<SweptKey> keys = swept_keys(list_keys, list_texts);
  std::vector<SweepMember> members = combinations(lists, keys, common);
  std::vector<std::string> mistakes;
  std::set<std::string> names, sources, known;
  const auto add_mistake = [&](const std::string& message) {  // each line once
    std::istringstream stream(message);
    for (std::string line; std::getline(stream, line);)
      if (known.insert(line).second) mistakes.push_back(line);
  };
  std::size_t runs = 0;
  for (SweepMember& member : members) {
    if (!names.insert(member.name).second)
      add_mistake(fmt::format("two combinations would have the run folder {}", member.name));
    try {
      std::vector<std::string> all = member.settings;
      all.push_back(text_setting("output.directory", (folder / member.name).string()));
      const LoadedConfig loaded = parse_config(text, config, fs::path(config).parent_path(), all);
      member.run = loaded.run;
      const InitialConfig& initial = member.run.initial;
      // An initial file that several members share is checked once: it may be large.
      if (sources
              .insert(fmt::format("{}:{} {}", initial.path, initial.dataset,
                                  shape_text(member.run.shape)))
              .second)
        load_initial_fields(member.run);
      load_coefficients(member.run);
      load_filters(member.run);
      name_swept(member, keys);
      if (!RunFolder::has_run(member.run.directory)) continue;
      ++runs;
      if (go_on) member.complete = is_complete(loaded);
    } catch (const ConfigError& error) {
      add_mistake(error.what());
    }
  }
  if (runs > 0 && !go_on)
    add_mistake(
        fmt::format("{}: holds runs of {} of the {} members already (give --auto-resume to go on "
                    "with them, or another --output)",
                    folder.string(), runs, members.size()));
  if (!mistakes.empty()) throw ConfigError("{}", fmt::join(mistakes, "\n"));
  return members;
}

}  // namespace lapl
