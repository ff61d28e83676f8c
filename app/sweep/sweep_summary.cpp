#include "app/sweep/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "app/exit_code.hpp"
#include "app/view/table.hpp"
#include "io/durable/posix_file.hpp"
#include "io/json.hpp"
#include "io/run/run_table.hpp"
#include "kernels/error.hpp"
#include "solver/diagnostics.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The value as JSON where it is that too, else as text.
Json json_of(const std::string& yaml) {
  Json value = parse_json(yaml);
  return value.is_discarded() ? Json(yaml) : value;
}

// The row's columns, from the last line of diagnostics.csv.
void add_last_output(Json& row, const fs::path& folder) {
  if (!fs::exists(folder / "diagnostics.csv")) return;
  std::istringstream file(read_start(folder / "diagnostics.csv"));
  std::string head, line, last;
  std::getline(file, head);
  while (std::getline(file, line)) last = line;
  const std::vector<std::string> names = table_parts(head), values = table_parts(last);
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    if (row.contains(names[i]) && row[names[i]].is_null() && !values[i].empty())
      row[names[i]] = json_of(values[i]);
}

const char* status_of(int code) {
  return code == exit_complete ? "complete" : code == exit_stopped_early ? "stopped" : "failed";
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

std::vector<std::string> result_columns(const std::vector<SweepMember>& members) {
  std::set<std::string> taken = {"member", "status", "exit_code", "code",
                                 "step",   "digest", "seconds",   "error"};
  for (const auto& [key, value] : members.front().values) taken.insert(key);
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  };
  for (const SweepMember& member : members) {
    const std::vector<std::string>& fields = member.run.fields;
    for (const std::string& field : fields)
      for (const char* what : {"min", "max", "mean"}) add(column_prefix(fields, field) + what);
    for (const IntegralConfig& integral : member.run.integrals) {
      const std::string& name = integral.name;
      if (taken.contains(name))
        throw ConfigError(
            "output.integrals.{}: the table of a sweep has a column of that name (expected another "
            "name)",
            name);
      add(name);
    }
  }
  return columns;
}

Json summary_row(const SweepMember& member, const std::vector<std::string>& results,
                 const std::optional<MemberEnd>& end) {
  Json row = {{"member", member.name}};
  for (const auto& [key, value] : member.values) row[key] = json_of(value);
  row["status"] = "waiting";
  for (const char* name : {"exit_code", "step"}) row[name] = nullptr;
  for (const std::string& name : results) row[name] = nullptr;
  for (const char* name : {"digest", "seconds", "error"}) row[name] = nullptr;
  if (!end) return row;
  row["status"] = status_of(end->code);
  row["exit_code"] = end->code;
  add_last_output(row, member.run.directory);
  const Json summary = summary_if_any(member.run.directory);
  for (const char* name : {"step", "digest", "seconds"})
    if (summary.contains(name)) row[name] = summary[name];
  if (!end->error.empty()) row["error"] = end->error;
  return row;
}

std::string summary_table(const Json& rows) {
  std::vector<std::vector<std::string>> lines(1);
  std::string errors;
  for (const auto& [name, value] : rows.front().items())
    if (name != "member" && name != "error")
      lines.front().push_back(name == "exit_code" ? "code" : name);
  for (const Json& row : rows) {
    auto& line = lines.emplace_back();
    for (const auto& [name, value] : row.items())
      if (name != "member" && name != "error") line.push_back(cell_text(value));
    if (!row["error"].is_null())
      errors += fmt::format("{}: {}\n", text_of(row["member"]), text_of(row["error"]));
  }
  return table_text(lines) + errors;
}

std::string summary_csv(const Json& rows) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  };
  std::string names, text;
  for (const auto& [name, value] : rows.front().items()) names += (names.empty() ? "" : ",") + name;
  for (const Json& row : rows) {
    std::string line;
    for (const auto& [name, value] : row.items())
      line += (line.empty() ? "" : ",") + quoted(text_of(value));
    text += line + "\n";
  }
  return names + "\n" + text;
}

}  // namespace lapl
