// lapl plan CONFIG
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/plan_ranks.hpp"
#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/commands/run_time.hpp"
#include "app/exit_code.hpp"
#include "app/view/console.hpp"
#include "app/view/say.hpp"
#include "io/config/config.hpp"
#include "io/filter_source.hpp"
#include "io/initial_source.hpp"
#include "io/json.hpp"
#include "io/quantities.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/equation.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool fits(const Memory& needed, const Memory& available) {
  return (available.host == 0 || needed.host <= available.host) &&
         (available.device == 0 || needed.device <= available.device);
}

// What a grid of as many cells along each axis is called.
const char* even_shape(int axes) { return axes == 1 ? "line" : axes == 2 ? "square" : "cube"; }

// The extent of the largest such grid.
std::int64_t largest_extent(const Model& model, const std::string& backend,
                            const Memory& available) {
  const int axes = model.run.shape.axes;
  std::int64_t low = 1, high = std::int64_t{1} << 40 / axes;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const Shape shape = Shape::of(std::vector(axes, middle));
    (fits(memory_of_run(model, backend, shape), available) ? low : high) = middle;
  }
  return low;
}

Json plan_of(const LoadedConfig& loaded) {
  const RunConfig& config = loaded.run;
  const BackendChoice choice = choose_backend(config);
  load_filters(config);
  const Model model(config);
  const Memory memory = memory_of_run(model, choice.backend, config.shape);
  const Memory available = memory_available(choice.backend);
  const RunDisk disk = disk_of_run(config);

  Json plan = {{"shape", config.shape.extents()},
               {"precision", name_of(config.precision)},
               {"backend", choice.backend},
               {"backend_reason", choice.reason},
               {"host_bytes", memory.host},
               {"host_bytes_available", available.host},
               {"device_bytes", memory.device},
               {"device_bytes_available", available.device},
               {"fits", fits(memory, available)},
               {fmt::format("largest_{}", even_shape(config.shape.axes)),
                largest_extent(model, choice.backend, available)},
               {"outputs", disk.outputs},
               {"output_bytes", disk.output},
               {"checkpoints", config.checkpoint_every.steps ? Json(Schedule(config).checkpoints())
                                                             : Json(nullptr)},
               {"checkpoint_bytes", disk.checkpoint},
               {"disk_bytes", disk.all},
               {"disk_bytes_available", disk.available},
               {"disk_shortage", disk_shortage(config, disk)}};
  if (is_diffusion(config)) {
    plan["coefficient"] = coefficient_of(config);
    plan["largest_stable_coefficient"] = largest_coefficient(config);
  }
  std::function<StableStep(TimeScheme)> stable_steps;
  if (fits(memory, available))
    stable_steps = stable_steps_of(config, [&] { return load_state_fields(config); });
  const StableStep stable = stable_steps
                                ? stable_steps(config.scheme)
                                : StableStep{.largest = largest_step_of(config),
                                             .why_unknown = "not estimated: the grid does not fit"};
  const bool is_number = stable.largest && std::isfinite(*stable.largest);
  plan["scheme"] = name_of(config.scheme.kind);
  if (config.scheme.kind == Scheme::rkl2) plan["stages"] = config.scheme.stages;
  plan["time_step"] = time_step_of(config);
  plan["largest_stable_step"] = is_number ? Json(*stable.largest) : Json(nullptr);
  plan["largest_stable_step_text"] = text_of(stable);
  plan["step_warning"] = step_warning(config, stable);
  plan["step_note"] = loaded.step_note;
  if (!fits(memory, available)) return plan;
  const RunTime time = measure_run_time(loaded, choice, stable_steps);
  plan["engine"] = time.by.engine;
  plan["engine_reason"] = time.by.reason;
  plan["device"] = time.by.device;
  plan["cells_per_second"] = time.cells_per_second;
  plan["stepping_seconds"] = time.stepping_seconds;
  plan["storing_seconds"] =
      time.storing_unknown.empty() ? Json(time.storing_seconds) : Json(nullptr);
  plan["storing_unknown"] = time.storing_unknown;
  plan["warning"] = time.frozen;
  plan["good_steps"] = time.good_steps ? Json(*time.good_steps) : Json(nullptr);
  plan["seconds"] = time.seconds;
  plan["other_steps"] = Json::array();
  for (const OtherSteps& other : time.others) {
    Json steps = {{"name", other.name}};
    if (other.why_not.empty())
      steps.update({{"step", other.step},
                    {"stages", other.stages},
                    {"steps", other.steps},
                    {"stepping_seconds", other.seconds}});
    else
      steps["why_not"] = other.why_not;
    plan["other_steps"].push_back(steps);
  }
  return plan;
}

// To the same time, so that people see what another scheme is worth.
void print_other_steps(const Json& others) {
  const char* head = "other ways:";
  for (const Json& other : others) {
    const auto name = other["name"].get<std::string>();
    std::string text;
    if (other.contains("why_not")) {
      text = "not offered: " + other["why_not"].get<std::string>();
    } else {
      const bool stages = other["stages"] > 1, all = name == spectral_engine.name;
      text = fmt::format("{:.3g} s for {} steps of {:.4g} s{}",
                         other["stepping_seconds"].get<double>(), other["steps"].dump(),
                         other["step"].get<double>(),
                         all      ? " all at once"
                         : stages ? fmt::format(", {} stages each", other["stages"].dump())
                                  : "");
    }
    say("{:<11} {:<9} {}\n", std::exchange(head, ""), name, text);
  }
  if (!others.empty())
    say("{:<11} steps that are stable; how accurate they are is not considered\n", "");
}

void print_plan(const Json& plan) {
  const auto number = [&](const char* key) { return plan[key].get<double>(); };
  const auto text = [&](const char* key) { return plan[key].get<std::string>(); };
  const auto of = [&](const char* bytes, const char* available) {
    const double there = number(available);
    return size_text(number(bytes)) +
           (there > 0 ? fmt::format(" of {} that are free", size_text(there)) : "");
  };
  const Shape shape = Shape::of(plan["shape"].get<std::vector<std::int64_t>>());
  const char* const even = even_shape(shape.axes);
  const std::int64_t largest = plan[fmt::format("largest_{}", even)].get<std::int64_t>();
  say("grid:       {}, {}\n", text_of(shape), text("precision"));
  if (plan.contains("coefficient"))
    say("stability:  coefficient {:.6g} of at most {:.6g} ({:.3g}% below)\n", number("coefficient"),
        number("largest_stable_coefficient"),
        100 * (1 - number("coefficient") / number("largest_stable_coefficient")));
  else
    say("stability:  steps of {:.6g} s; largest stable step: {}\n", number("time_step"),
        text("largest_stable_step_text"));
  if (plan.contains("stages"))
    say("scheme:     {} of {} stages\n", text("scheme"), plan["stages"].get<int>());
  for (const char* const key : {"step_note", "step_warning"})
    if (!text(key).empty())
      say("{:<11} {}\n", key == std::string("step_note") ? "" : "warning:", text(key));
  say("backend:    {} ({})\n", text("backend"), text("backend_reason"));
  if (plan.contains("engine"))
    say("engine:     {} on {} ({})\n", text("engine"), text("device"), text("engine_reason"));
  say("memory:     {}\n", of("host_bytes", "host_bytes_available"));
  if (number("device_bytes") > 0)
    say("on the GPU: {}\n", of("device_bytes", "device_bytes_available"));
  say("largest:    a {}{} of {} would fit\n", even, shape.axes == 2 ? " grid" : "",
      text_of(Shape::of(std::vector(shape.axes, largest))));
  say("disk:       {}: {} outputs of {}, {}checkpoints of {}\n",
      of("disk_bytes", "disk_bytes_available"), plan["outputs"].get<std::int64_t>(),
      size_text(number("output_bytes")),
      plan["checkpoints"].is_null() ? "" : plan["checkpoints"].dump() + " ",
      size_text(number("checkpoint_bytes")));
  if (!plan.contains("seconds")) {
    say("time:       not measured: the grid does not fit\n");
    return;
  }
  const std::string unknown = text("storing_unknown");
  say("time:       {:.3g} s: {:.3g} s of stepping at {}, {}\n", number("seconds"),
      number("stepping_seconds"), cell_rate(number("cells_per_second")),
      unknown.empty() ? fmt::format("{:.3g} s of storing {}", number("storing_seconds"),
                                    text("backend") == "cpu" ? "besides" : "at the same time")
                      : fmt::format("and storing, not measured ({})", unknown));
  print_other_steps(plan["other_steps"]);
  if (!plan["good_steps"].is_null())
    say("float32:    rounding moves a mean that the equation keeps by 1e-5 of it in some {:.2g} "
        "steps (compute.precision float64 keeps it)\n",
        number("good_steps"));
  if (!text("warning").empty()) say("warning:    step 0: {}\n", text("warning"));
}

struct PlanOptions {
  std::string config;
  ConfigWords words;
  int ranks = 0;
  bool json = false;
};

// The memory of this machine does not matter, nor is anything measured: the ranks may be elsewhere.
int plan_ranks(const PlanOptions& options, const RunConfig& config) {
  const Json plan = plan_on_ranks(config, options.ranks);
  if (options.json)
    say("{}\n", json_text(plan, 2));
  else
    print_plan_on_ranks(plan);
  return exit_complete;
}

int plan_command(const PlanOptions& options) {
  const LoadedConfig config = load_config(options.config, options.words.all());
  if (options.ranks > 0) return plan_ranks(options, config.run);
  const Json plan = plan_of(config);
  if (options.json)
    say("{}\n", json_text(plan, 2));
  else
    print_plan(plan);
  if (!plan["fits"].get<bool>()) return exit_device;
  const auto shortage = plan["disk_shortage"].get<std::string>();
  if (!shortage.empty()) throw IoError(shortage);
  return exit_complete;
}

}  // namespace

void add_plan_command(CommandLine& line) {
  Command command =
      line.add("plan", "Predict the memory, disk and time of a run, without running it");
  PlanOptions& options = command.calls(plan_command);
  command.positional("CONFIG", &options.config, "YAML run config", {.required = true});
  add_config_options(command, options.words);
  command.option("--ranks N", &options.ranks,
                 "Show how this many processes would divide the grid; measures nothing",
                 {.between = {{1, 1000000}}});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl plan configs/tutorial.yaml
  lapl plan configs/tutorial.yaml --set 'grid.shape=[2000, 2000]' --json
  lapl plan configs/tutorial.yaml --set 'grid.shape=[65536, 65536]' --ranks 64

Steps the initial field for about a second to predict the time, and stores a field a few
times in a temporary folder beside the output's. Also says what stepping to the same time
would take in steps known to be stable with scheme euler, with rkl2, and with engine spectral
(docs/steps.md): how accurate they are it does not say. Exit code 5 where the memory does not
suffice, 4 where the disk does not.)");
}

}  // namespace lapl
