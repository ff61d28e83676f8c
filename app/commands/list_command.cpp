// lapl list [WHAT]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/run_backend.hpp"
#include "app/view/plot/colormap.hpp"
#include "app/view/say.hpp"
#include "io/config/gallery.hpp"
#include "io/json.hpp"
#include "kernels/backend.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "solver/initial_field.hpp"
#include "solver/spectral_problem.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

template <class Table>
Json named(const Table& table) {
  Json items = Json::array();
  for (const auto& row : table) items.push_back({{"name", row.name}, {"summary", row.summary}});
  return items;
}

// Runs the engine on a small grid. Returns the device, or the reason why it did not run.
Json tried(const std::string& backend, const std::string& engine) try {
  RunConfig small;
  small.shape = {128, 128};
  small.equation.parameters["coefficient"] = 0.25;
  small.engine = engine;
  const auto made =
      make_backend<float>(backend, engine, problem_to_step<float>(Model(small), {}), 1);
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
    Group{"initial", "initial.kind", [] { return named(name_table<InitialKind>); }},
    Group{"boundaries", "boundary.rows, boundary.columns",
          [] { return named(name_table<Boundary>); }},
    Group{"filters", "filters: [{kernel: NAME}], or numbers, or an HDF5 dataset",
          [] { return named(named_kernels); }},
    Group{"engines", "compute.engine", engines},
    Group{"backends", "compute.backend", backends},
    Group{"gallery", "lapl new NAME", [] { return named(gallery()); }},
    Group{"colormaps", "lapl plot --colormap", [] { return named(colormaps()); }}};

// Prints each reason why something does not work here once, below the group.
void print_group(const Group& group, const Json& items) {
  say("{} ({})\n", group.name, group.key);
  std::size_t width = 14;
  for (const Json& item : items)
    width = std::max(width, item["name"].get_ref<const std::string&>().size());
  std::set<std::string> reasons;
  for (const Json& item : items) {
    say("  {:<{}} {}", item["name"].get<std::string>(), width, item["summary"].get<std::string>());
    if (item.contains("backend")) say("; {}", item["backend"].get<std::string>());
    if (item.contains("where")) say(" [{}]", item["where"].get<std::string>());
    if (item.contains("why_not")) say(" [not here]");
    say("\n");
    if (item.contains("why_not")) reasons.insert(item["why_not"].get<std::string>());
  }
  for (const std::string& reason : reasons) say("  [not here]: {}\n", reason);
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
    all[group.name] = items;
    if (!options.json) print_group(group, items);
  }
  if (options.json) say("{}\n", json_text(all, 2));
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
  lapl list engines
  lapl list --json)");
}

}  // namespace lapl
