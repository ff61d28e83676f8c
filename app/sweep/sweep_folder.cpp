#include "app/sweep/sweep_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/durable/posix_file.hpp"
#include "io/json.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The lines of a CSV file (RFC 4180).
std::vector<std::vector<std::string>> csv_lines(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  bool quoted = false, begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins) lines.push_back({""});
    begins = false;
    std::string& word = lines.back().back();
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      word += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      lines.back().emplace_back();
    else if (c == '\n' && !quoted)
      begins = true;
    else
      word += c;
  }
  return lines;
}

std::size_t place_in(const std::vector<std::string>& list, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::find(list, text) - list.begin());
}

// Keeps the members with the value of KEY=VALUE, and removes that key.
void choose(SweepFolder& sweep, const std::string& setting) {
  const auto equals = setting.find('=');
  const std::string given = setting.substr(0, equals);
  const auto key = std::ranges::find_if(
      sweep.keys, [&](const SweptKey& each) { return each.key == given || each.name == given; });
  if (equals == std::string::npos || key == sweep.keys.end()) {
    std::vector<std::string> names;
    for (const SweptKey& each : sweep.keys) names.push_back(each.name);
    throw ConfigError("--where {}: expected KEY=VALUE with one of the swept keys {}", setting,
                      fmt::join(names, ", "));
  }
  const std::string value = setting.substr(equals + 1);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < key->values.size(); ++i) texts.push_back(key->text(i));
  std::size_t chosen = place_in(texts, value);
  const auto same = std::ranges::find(key->values, json_value(value));
  if (chosen == texts.size()) chosen = static_cast<std::size_t>(same - key->values.begin());
  if (chosen == texts.size())
    throw ConfigError("--where {}: no member has this value ({} has {})", setting, key->key,
                      fmt::join(texts, ", "));
  const auto at = key - sweep.keys.begin();
  std::erase_if(sweep.members, [&](const SweepFolder::Member& member) {
    return member.place[static_cast<std::size_t>(at)] != chosen;
  });
  for (SweepFolder::Member& member : sweep.members) member.place.erase(member.place.begin() + at);
  sweep.keys.erase(key);
}

}  // namespace

std::string SweptKey::text(std::size_t value) const {
  const Json& held = values.at(value);
  return held.is_string()         ? held.get<std::string>()
         : held.is_number_float() ? fmt::format("{}", held.get<double>())
                                  : json_text(held);
}

Json json_value(const std::string& yaml) {
  Json value = parse_json(yaml);
  return value.is_discarded() ? Json(yaml) : value;
}

std::vector<SweptKey> swept_keys(const std::vector<std::string>& keys,
                                 const std::vector<std::vector<std::string>>& texts) {
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  std::vector<SweptKey> swept;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto alike = [&](const std::string& other) { return last(other) == last(keys[i]); };
    SweptKey& key = swept.emplace_back(
        SweptKey{keys[i], std::ranges::count_if(keys, alike) > 1 ? keys[i] : last(keys[i])});
    for (const std::string& text : texts[i]) key.values.push_back(json_value(text));
    const auto is_number = [](const Json& value) { return value.is_number(); };
    const auto is_integer = [](const Json& value) {
      return value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<std::uint64_t>() >> 63 == 0);
    };
    if (std::ranges::all_of(key.values, is_integer)) continue;
    const bool numbers = std::ranges::all_of(key.values, is_number);
    for (std::size_t value = 0; value < texts[i].size(); ++value)
      key.values[value] = numbers ? Json(key.values[value].get<double>()) : Json(texts[i][value]);
  }
  return swept;
}

std::string coordinate_name(const SweptKey& key, const std::vector<std::string>& taken) {
  std::string name = key.name;
  while (std::ranges::count(taken, name) > 0) name = name == key.name ? key.key : name + "_";
  std::ranges::replace(name, '.', '_');
  return name;
}

std::string SweepFolder::values_text(const Member& member) const {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", keys[i].name, keys[i].text(member.place[i]));
  return text.empty() ? member.name : text;
}

RunView read_member_status(const SweepFolder::Member& member, const std::string& host) {
  if (RunFolder::has_run(member.folder)) return read_run_status(member.folder, host);
  RunView run;  // it waits, or failed before it had a folder
  run.status = member.row["status"].get<std::string>();
  if (const Json& error = member.row["error"]; error.is_string()) {
    const std::string text = error.get<std::string>();
    run.note = text.substr(0, text.find('\n'));
  }
  return run;
}

bool is_sweep(const fs::path& path) {
  return fs::exists(path / "summary.csv") && !RunFolder::has_run(path);
}

SweepFolder read_sweep(const fs::path& path, const std::vector<std::string>& where) {
  const fs::path table = path / "summary.csv";
  const auto lines = csv_lines(read_start(table, std::uint64_t{1} << 30));
  const auto bad = [&](const std::string& why) {
    return IoError("{}: {}, unlike the table of a sweep", table.string(), why);
  };
  if (lines.size() < 2) throw bad("has no members");
  const std::vector<std::string>& head = lines.front();
  const std::size_t status = place_in(head, "status");
  if (head.front() != "member" || status == head.size() || status < 2)
    throw bad("has no columns member, a swept key and status");
  SweepFolder sweep;
  sweep.path = path;
  std::vector<std::vector<std::string>> texts(status - 1);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string>& words = lines[i];
    if (words.size() != head.size()) throw bad(fmt::format("line {} has another length", i + 1));
    if (fs::path(words.front()).filename() != words.front())  // never leaves the folder
      throw bad(fmt::format("line {} names no folder", i + 1));
    SweepFolder::Member& member =
        sweep.members.emplace_back(SweepFolder::Member{words[0], path / words[0], {}, {}});
    for (std::size_t key = 0; key + 1 < status; ++key) {
      std::vector<std::string>& known = texts[key];
      const std::string& text = words[key + 1];
      if (place_in(known, text) == known.size()) known.push_back(text);
      member.place.push_back(place_in(known, text));
    }
    for (std::size_t column = 0; column < head.size(); ++column)
      member.row[head[column]] = words[column];
  }
  sweep.keys =
      swept_keys({head.begin() + 1, head.begin() + static_cast<std::ptrdiff_t>(status)}, texts);
  for (const std::string& setting : where) choose(sweep, setting);
  return sweep;
}

void add_where_option(Command& command, std::vector<std::string>& where) {
  command.option("--where KEY=VALUE", &where,
                 "Of a sweep, only the members with this value of a swept key (repeatable)",
                 {.values = 1, .repeatable = true});
}

void refuse_where(const std::vector<std::string>& where, const std::string& path) {
  if (!where.empty())
    throw ConfigError("--where {}: {} is no sweep (expected the folder of lapl sweep)",
                      where.front(), path);
}

}  // namespace lapl
