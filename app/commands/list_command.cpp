// lapl list [WHAT]: lists names that configs and options accept.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/help_text.hpp"
#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/view/plot/colormap.hpp"
#include "app/view/print_text.hpp"
#include "io/config/gallery.hpp"
#include "io/json.hpp"
#include "io/run/run_backend.hpp"
#include "kernels/backend.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/code_cache.hpp"
#include "solver/equation/formula.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

template <class Table>
Json named(const Table& table) {
  Json items = Json::array();
  for (const auto& row : table) items.push_back({{"name", row.name}, {"summary", row.summary}});
  return items;
}

// The words for both sides of an axis, then the conditions for one side.
Json boundaries() {
  Json items = named(name_table<Boundary>);
  for (const ConditionRow& row : name_table<ConditionKind>)
    if (row.value != ConditionKind::periodic)
      items.push_back(
          {{"name", row.name},
           {"summary", fmt::format("{}, {}", row.form,
                                   row.place == 1     ? "at the node just outside"
                                   : row.place == 0.5 ? "at the face, half a cell outside"
                                                      : "on the last node itself")}});
  return items;
}

Json functions() {
  Json items = Json::array();
  for (const FormulaFunction& function : formula_functions)
    items.push_back({{"name", function.name},
                     {"summary", function.meaning},
                     {"arguments", function.arguments}});
  return items;
}

// Makes a backend with the engine for a small grid. Returns its device, or the reason why there is
// none.
Json tried(const std::string& backend, const std::string& engine) try {
  RunConfig small;
  small.shape = {128, 128};
  small.equation.coefficient = 0.25;
  small.engine = engine;
  use_code_cache(false);  // a list leaves no files
  const auto made = make_backend<float>(backend, engine, make_problem<float>(Model(small), {}), 1);
  return {{"available", true}, {"where", made->description().device}};
} catch (const DeviceError& error) {
  return {{"available", false}, {"why_not", error.what()}};
}

Json engines() {
  Json items = Json::array();
  for (const EngineInfo& engine : all_engines()) {
    Json item = {{"name", engine.name}, {"summary", engine.summary}, {"backend", engine.backend}};
    const std::string name(engine.name);
    item.update(tried(choose_backend("auto", name).backend, name));
    items.push_back(item);
  }
  return items;
}

Json backends() {
  Json items = Json::array({{{"name", "cpu"}, {"summary", "this processor"}},
                            {{"name", "cuda"}, {"summary", "an NVIDIA GPU"}}});
  for (Json& item : items) item.update(tried(item["name"].get<std::string>(), "auto"));
  return items;
}

struct Group {
  const char* name;
  const char* key;  // the config key or option that accepts these names
  Json (*items)();
};
constexpr std::array groups = {
    Group{"functions", "in formulas", functions},
    Group{"schemes", "time.scheme", [] { return named(name_table<Scheme>); }},
    Group{"initial", "initial.kind", [] { return named(name_table<InitialKind>); }},
    Group{"boundaries", "boundary: an axis, or {first: SIDE, last: SIDE}", boundaries},
    Group{"filters", "filters: [{kernel: NAME}], or numbers, or an HDF5 dataset",
          [] { return named(named_kernels); }},
    Group{"engines", "compute.engine", engines},
    Group{"backends", "compute.backend", backends},
    Group{"gallery", "lapl new NAME", [] { return named(gallery()); }},
    Group{"colormaps", "lapl plot --colormap", [] { return named(colormaps()); }}};

// Prints the names of a group. Each reason why some do not work here follows once.
void print_group(const Group& group, const Json& items) {
  print_text("{} ({})\n", group.name, group.key);
  std::set<std::string> reasons;
  for (const Json& item : items) {
    const auto of = [&](const char* key) { return item.value(key, ""); };
    std::string name = of("name"), summary = of("summary");
    if (item.contains("arguments")) name += '(' + of("arguments") + ')';
    if (item.contains("backend")) summary += "; " + of("backend");
    if (item.contains("where")) summary += fmt::format(" [{}]", of("where"));
    if (item.contains("why_not")) {
      summary += " [not here]";
      reasons.insert(of("why_not"));
    }
    print_text("{}", help_entry(name, summary));
  }
  for (const std::string& reason : reasons) print_text("{}", help_entry("[not here]", reason));
}

struct ListOptions {
  std::string what;
  bool json = false;
};

int list_command(const ListOptions& options) {
  Json all = Json::object();
  for (const Group& group : groups) {
    if (!options.what.empty() && options.what != group.name) continue;
    const Json items = group.items();
    if (!options.json && !all.empty()) print_text("\n");
    all[group.name] = items;
    if (!options.json) print_group(group, items);
  }
  if (options.json) print_text("{}\n", json_text(all, 2));
  return 0;
}

}  // namespace

void add_list_command(CommandLine& line) {
  Command command = line.add("list", "List every choice, and which of them work on this machine");
  ListOptions& options = command.calls(list_command);
  command.positional("WHAT", &options.what, "Show this group alone", {.one_of = names_in(groups)});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl list
  lapl list functions
  lapl list engines --json)");
}

}  // namespace lapl
