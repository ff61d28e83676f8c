// lapl sweep CONFIG: runs a config with every combination of listed values.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/exit_code.hpp"
#include "app/sweep/sweep.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "app/view/table.hpp"
#include "io/config/config.hpp"
#include "io/durable/durable_file.hpp"
#include "io/durable/posix_file.hpp"
#include "io/json.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_table.hpp"
#include "kernels/error.hpp"
#include "solver/diagnostics.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct SweepWords {
  std::string config;
  std::string output;
  ConfigWords words;
  std::string jobs = "auto";
  bool auto_resume = false;
  Console::Options console;
};

// Sets the columns `results` of a row, from the last line of diagnostics.csv.
void add_last_output(Json& row, const fs::path& folder, const std::vector<std::string>& results) {
  if (!fs::exists(folder / "diagnostics.csv")) return;
  TableReader table(read_start(folder / "diagnostics.csv"), results);
  std::vector<std::string> last;
  while (auto line = table.next()) last = std::move(*line);
  for (std::size_t i = 0; i < last.size(); ++i)
    if (table.has(i)) row[results[i]] = json_value(last[i]);
}

const char* status_word(int code) {
  return code == exit_complete ? "complete" : code == exit_stopped_early ? "stopped" : "failed";
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

// The columns about the last outputs: least, largest and mean value of each field of any member,
// and integrals. Throws ConfigError where an integral has the name of another column.
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

// The row of a member: member, the swept keys, status, exit_code, step, the results, digest,
// seconds (of the last part of the run), error. Unknown values are null, as for a member that was
// not started.
Json summary_row(const SweepMember& member, const std::vector<std::string>& results,
                 const std::optional<MemberEnd>& end) {
  Json row = {{"member", member.name}};
  for (const auto& [key, value] : member.values) row[key] = json_value(value);
  row["status"] = "waiting";
  for (const char* name : {"exit_code", "step"}) row[name] = nullptr;
  for (const std::string& name : results) row[name] = nullptr;
  for (const char* name : {"digest", "seconds", "error"}) row[name] = nullptr;
  if (!end) return row;
  row["status"] = status_word(end->code);
  row["exit_code"] = end->code;
  add_last_output(row, member.run.directory, results);
  const Json summary = summary_if_any(member.run.directory);
  for (const char* name : {"step", "digest", "seconds"})
    if (summary.contains(name)) row[name] = summary[name];
  if (!end->error.empty()) row["error"] = end->error;
  return row;
}

// The rows as a table with aligned columns, and the errors below it.
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
      errors += fmt::format("{}: {}\n", value_text(row["member"]), value_text(row["error"]));
  }
  return table_text(lines) + errors;
}

// The rows as CSV (RFC 4180) below a line of column names.
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
      line += (line.empty() ? "" : ",") + quoted(value_text(value));
    text += line + "\n";
  }
  return names + "\n" + text;
}

// Exit code 75 if the sweep or a member was stopped early; else that of the first member that
// failed.
int sweep_exit_code(const Json& rows, const std::string& stopped_by) {
  int code = exit_complete;
  for (const Json& row : rows) {
    if (!stopped_by.empty() || row["exit_code"] == int{exit_stopped_early})
      return exit_stopped_early;
    if (code == exit_complete) code = row["exit_code"].get<int>();
  }
  return code;
}

int sweep_command(const SweepWords& options) {
  const fs::path folder =
      options.output.empty()
          ? fs::path("runs") / (fs::path(options.config).stem().string() + "-sweep")
          : fs::path(options.output);
  if (RunFolder::has_run(folder))
    throw ConfigError(
        "{}: is a run folder (expected one for the run folders of a sweep: give another --output)",
        folder.string());
  const std::string text = read_config_text(options.config);
  const std::vector<SweepMember> members =
      sweep_members(options.config, text, options.words.all(), folder, options.auto_resume);
  const std::vector<std::string> results = result_columns(members);
  fs::create_directories(folder);

  Console console(options.console);
  Json rows = Json::array();
  std::size_t ended = 0;
  for (const SweepMember& member : members) {
    rows.push_back(
        summary_row(member, results, member.complete ? std::optional(MemberEnd{}) : std::nullopt));
    if (member.complete) ++ended;
  }
  console.note(fmt::format("{} members{}, run folders below {}", members.size(),
                           ended > 0 ? fmt::format(", {} complete already", ended) : "",
                           folder.string()));
  const auto write_table = [&] { replace_file(folder / "summary.csv", summary_csv(rows)); };
  write_table();  // it names the members for lapl watch
  const std::string stopped_by =
      run_members(members,
                  {.config = options.config,
                   .text = text,
                   .jobs = options.jobs == "auto" ? 0 : std::stoi(options.jobs),
                   .go_on = options.auto_resume},
                  [&](const SweepMember& member, const MemberEnd& end) {
                    Json& row = rows[&member - members.data()];
                    row = summary_row(member, results, end);
                    if (options.console.quiet && !end.error.empty())  // --quiet prints no table
                      print_error(fmt::format("{}: {}", member.name, end.error));
                    console.note(fmt::format("{} of {}: {} {}", ++ended, members.size(),
                                             member.name, row["status"].get<std::string>()));
                  });
  if (!stopped_by.empty())
    console.note(
        fmt::format("stopped by {}; the same command with --auto-resume goes on", stopped_by));
  console.summary(summary_table(rows), rows);
  write_table();
  return sweep_exit_code(rows, stopped_by);
}

}  // namespace

void add_sweep_command(CommandLine& line) {
  Command command =
      line.add("sweep", "Run a config with every combination of some values, side by side");
  SweepWords& options = command.calls(sweep_command);
  command.positional("CONFIG", &options.config, "YAML run config; - is standard input",
                     {.required = true});
  command.option("--output DIR", &options.output,
                 "Folder for the run folders (runs/<config name>-sweep)");
  command.option("--set KEY=VALUES", &options.words.settings,
                 "The values to combine, with commas between them, or one for all (repeatable)",
                 {.values = 1, .repeatable = true});
  command.option("--backend NAMES", &options.words.backend, "auto, cuda or cpu (compute.backend)");
  command.option("--jobs", &options.jobs,
                 "Members at once, at most; auto: as many as cores and memory allow",
                 {.one_of = {"auto"}, .between = {{1, 1024}}});
  command.flag("--auto-resume", &options.auto_resume,
               "Go on with a sweep: members that are complete are left as they are");
  add_console_options(command, options.console);
  command.footer(
      R"(Each member has a folder such as coefficient-0.05_seed-1. One that fails does not stop the
others. The table at the end is in summary.csv too. Exit code 75 where members were stopped
early, else that of the first one that failed.

Examples:
  lapl sweep configs/tutorial-small.yaml --set equation.coefficient=0.05,0.1,0.2
  lapl sweep tutorial.yaml --output seeds --set initial.seed=1,2
  lapl sweep tutorial.yaml --output seeds --set initial.seed=1,2,3 --auto-resume)");
}

}  // namespace lapl
