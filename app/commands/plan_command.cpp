// lapl plan CONFIG: prints the memory, disk and time that a run will take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/plan.hpp"
#include "app/exit_code.hpp"
#include "app/view/print_text.hpp"
#include "io/json.hpp"
#include "io/readers/quantities.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

// The word for a grid with the same number of cells along each axis.
const char* even_shape(int axes) { return axes == 1 ? "line" : axes == 2 ? "square" : "cube"; }

template <class T>
Json as_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json as_json(const Way& way) {
  Json json = {{"name", way.name}};
  if (way.tolerance) json["tolerance"] = *way.tolerance;
  if (!way.why_not.empty()) json["why_not"] = way.why_not;
  const Forecast& forecast = way.forecast;
  if (forecast.steps > 0)
    json.update({{"step", way.step},
                 {"stages", way.stages},
                 {"steps", forecast.steps},
                 {"stepping_seconds", forecast.seconds},
                 {"settled", forecast.settled},
                 {"most_steps", as_json(forecast.most_steps)},
                 {"most_stepping_seconds", as_json(forecast.most_seconds)},
                 {"error", as_json(way.error)}});
  return json;
}

Json as_json(const Plan& plan) {
  const RunConfig& config = plan.config;
  Json json = {{"shape", config.shape.extents()},
               {"precision", enum_name(config.precision)},
               {"backend", plan.choice.backend},
               {"backend_reason", plan.choice.reason},
               {"host_bytes", plan.memory.host},
               {"host_bytes_available", plan.available.host},
               {"device_bytes", plan.memory.device},
               {"device_bytes_available", plan.available.device},
               {"fits", plan.time.has_value()},
               {fmt::format("largest_{}", even_shape(config.shape.axes)), plan.largest_extent},
               {"outputs", plan.disk.outputs.least},
               {"outputs_exact", plan.disk.outputs.exact},
               {"output_bytes", plan.disk.output},
               {"outputs_compressed", plan.disk.compressed},
               {"checkpoints", plan.disk.checkpoints ? Json(plan.disk.checkpoints->least) : Json()},
               {"checkpoint_bytes", plan.disk.checkpoint},
               {"disk_bytes", plan.disk.all},
               {"disk_bytes_available", plan.disk.available},
               {"disk_shortage", plan.disk.shortage}};
  if (is_diffusion(config)) {
    json["coefficient"] = stored_coefficient(config);
    json["largest_stable_coefficient"] = largest_coefficient(config);
  }
  json["scheme"] = enum_name(config.scheme.kind);
  if (config.scheme.kind == Scheme::rkl2) json["stages"] = *config.scheme.stages;
  const std::optional<double>& largest = plan.stable.largest;
  json.update(
      {{"time_step", step_seconds(config)},
       {"largest_stable_step", largest && std::isfinite(*largest) ? Json(*largest) : Json()},
       {"largest_stable_step_text", stable_step_text(config, plan.stable)},
       {"step_warning", plan.step_warning},
       {"step_note", plan.step_note}});
  if (!plan.time) return json;
  const RunTime& time = *plan.time;
  const Forecast& stepping = time.stepping;
  json.update(
      {{"engine", time.by.engine},
       {"engine_reason", time.by.reason},
       {"device", time.by.device},
       {"failure", time.failure},
       {"warning", time.frozen},
       {"good_steps", as_json(time.good_steps)},
       {"cells_per_second", time.cells_per_second},
       {"cells_per_second_without_reductions",
        time.without_reductions > 0 ? Json(time.without_reductions) : Json()},
       {"solves",
        time.solves.solves > 0
            ? Json{{"by", time.solves.by},
                   {"iterations", time.solves.iterations},
                   {"seconds_each", time.solves.seconds / static_cast<double>(time.solves.solves)},
                   {"part_of_stepping", time.solving_part}}
            : Json()},
       {"steps", stepping.steps},
       {"steps_exact", stepping.exact},
       {"settled", stepping.settled},
       {"most_steps", as_json(stepping.most_steps)},
       {"stepping_seconds", stepping.seconds},
       {"most_stepping_seconds", as_json(stepping.most_seconds)},
       {"storing_seconds", time.storing_unknown.empty() ? Json(time.storing_seconds) : Json()},
       {"storing_unknown", time.storing_unknown},
       {"seconds", time.seconds},
       {"most_seconds", as_json(time.most_seconds)}});
  if (!time.ways) return json;
  json["trial"] = time.ways->trial;
  json["own_steps"] = as_json(time.ways->own);
  json["other_steps"] = Json::array();
  for (const Way& way : time.ways->others) json["other_steps"].push_back(as_json(way));
  return json;
}

std::string bytes_text(double bytes, double available) {
  return size_text(bytes) +
         (available > 0 ? fmt::format(" of {} that are free", size_text(available)) : "");
}

// The words before a number that is a lower bound.
const char* least_word(const Forecast& forecast) { return forecast.settled ? "" : "at least "; }

std::string way_text(const Way& way, const std::string& time_unit) {
  if (!way.why_not.empty()) return "not offered: " + way.why_not;
  const Forecast& forecast = way.forecast;
  const auto bound = [&](const std::string& number) { return least_word(forecast) + number; };
  return fmt::format(
      "{:>17}  {:>17}  {:>12}  {}{}", bound(fmt::format("{:.3g} s", forecast.seconds)),
      bound(std::to_string(forecast.steps)), with_unit(fmt::format("{:.4g}", way.step), time_unit),
      way.error ? fmt::format("{:.1e}", *way.error) : "not known",
      way.stages > 1 ? fmt::format("  {} stages a step", way.stages) : "");
}

// Prints a line for each way: time of stepping, steps, size of a step, and error.
void print_ways(const Ways& ways, const std::string& time_unit) {
  print_text("ways to the same time:\n");
  print_text(
      "  {:<15} {:>17}  {:>17}  {:>12}  error{}\n", "time.scheme", "stepping", "steps", "step",
      ways.why_no_errors.empty() ? " at " + with_unit(fmt::format("{:.3g}", ways.trial), time_unit)
                                 : "");
  const auto line = [&](const Way& way, const char* mark) {
    const std::string by = way.tolerance ? fmt::format(" to {:.0e}", *way.tolerance) : "";
    print_text("{} {:<15} {}\n", mark, way.name + by, way_text(way, time_unit));
  };
  line(ways.own, "*");
  for (const Way& way : ways.others) line(way, " ");
  print_text(
      "  *: this config. \"to 1e-04\": with this time.tolerance. Errors are relative to the\n"
      "  largest value. \"at least\": steps still become longer or shorter\n");
  if (!ways.why_no_errors.empty()) print_text("  errors are not known: {}\n", ways.why_no_errors);
}

void print_steps(const Forecast& stepping, const RunConfig& config) {
  const std::string steps = fmt::format("{}{}", least_word(stepping), stepping.steps);
  if (stepping.exact) {
    print_text("steps:      {}{}\n", steps,
               config.ends_by_time() ? " (all of them taken for this forecast)" : "");
    return;
  }
  print_text("steps:      {}{}\n", stepping.settled ? "some " + steps : steps,
             stepping.settled ? ""
             : stepping.most_steps
                 ? fmt::format(", at most {} if they become no longer", *stepping.most_steps)
                 : "; more if they become shorter");
  print_text(
      "            not known before the run ends: their size varies ({} led to {:.3g} of {})\n",
      stepping.taken, stepping.reached,
      with_unit(fmt::format("{:.6g}", run_seconds(config)), config.units.time));
}

void print_time(const RunTime& time, const RunConfig& config, const std::string& backend) {
  if (!time.failure.empty()) {
    print_text("time:       none: the run fails\n");
    return;
  }
  const Forecast& stepping = time.stepping;
  print_steps(stepping, config);
  const auto range = [&](double least, const std::optional<double>& most) {
    return most ? fmt::format("{:.3g} to {:.3g} s", least, *most)
                : fmt::format("{}{:.3g} s", least_word(stepping), least);
  };
  print_text("time:       {}: {} of stepping at {}, {}\n", range(time.seconds, time.most_seconds),
             range(stepping.seconds, stepping.most_seconds), cell_rate(time.cells_per_second),
             time.storing_unknown.empty()
                 ? fmt::format("{:.3g} s of storing {}", time.storing_seconds,
                               backend == "cpu" ? "besides" : "at the same time")
                 : fmt::format("and storing, not measured ({})", time.storing_unknown));
  if (stepping.estimating > 0.1 * stepping.seconds)
    print_text("            {:.3g} s of stepping go by in estimates of the largest stable step\n",
               stepping.estimating);
  if (time.without_reductions > 0)
    print_text(
        "reductions: the whole grid goes through one stage after the other, since rates or\n"
        "            conditions read numbers of it: {:.2g} times the time of constants in their\n"
        "            place\n",
        time.without_reductions / time.cells_per_second);
  const double each = 1e3 * time.solves.seconds / static_cast<double>(time.solves.solves);
  if (time.solves.solves > 0 && time.solves.iterations == 0)
    print_text("convolved:  {:.3g} ms each, {:.0f}% of the time of steps\n", each,
               100 * time.solving_part);
  else if (time.solves.solves > 0)
    print_text(
        "solves:     by {}: {} iteration{} and {:.3g} ms each, {:.0f}% of the time of steps\n",
        fmt::join(time.solves.by, " and "), time.solves.iterations,
        time.solves.iterations == 1 ? "" : "s", each, 100 * time.solving_part);
  if (time.good_steps)
    print_text(
        "float32:    rounding moves a mean that the equation keeps by 1e-5 of it in some {:.2g}\n"
        "            steps (compute.precision float64 keeps it)\n",
        *time.good_steps);
  if (!time.frozen.empty()) print_text("warning:    step 0: {}\n", time.frozen);
  if (time.ways) print_ways(*time.ways, config.units.time);
}

void print(const Plan& plan) {
  const RunConfig& config = plan.config;
  const int axes = config.shape.axes;
  print_text("grid:       {}, {}\n", shape_text(config.shape), enum_name(config.precision));
  if (is_diffusion(config))
    print_text("stability:  coefficient {:.6g} of at most {:.6g} ({:.3g}% below)\n",
               stored_coefficient(config), largest_coefficient(config),
               100 * (1 - stored_coefficient(config) / largest_coefficient(config)));
  else
    print_text("stability:  steps of {}; largest stable step: {}\n",
               with_unit(fmt::format("{:.6g}", step_seconds(config)), config.units.time),
               stable_step_text(plan.config, plan.stable));
  if (config.scheme.kind == Scheme::rkl2)
    print_text("scheme:     {} of {} stages\n", enum_name(config.scheme.kind),
               *config.scheme.stages);
  if (!plan.step_note.empty()) print_text("{:<11} {}\n", "", plan.step_note);
  if (!plan.mask_note.empty()) print_text("{:<11} {}\n", "", plan.mask_note);
  if (!plan.step_warning.empty()) print_text("warning:    {}\n", plan.step_warning);
  print_text("backend:    {} ({})\n", plan.choice.backend, plan.choice.reason);
  if (plan.time)
    print_text("engine:     {} on {} ({})\n", plan.time->by.engine, plan.time->by.device,
               plan.time->by.reason);
  print_text("memory:     {}\n", bytes_text(plan.memory.host, plan.available.host));
  if (plan.memory.device > 0)
    print_text("on the GPU: {}\n", bytes_text(plan.memory.device, plan.available.device));
  print_text("largest:    a {}{} of {} would fit\n", even_shape(axes), axes == 2 ? " grid" : "",
             shape_text(Shape::of(std::vector(axes, plan.largest_extent))));
  const RunDisk& disk = plan.disk;
  const auto word = [&](bool exact) {
    return exact ? "" : plan.time && plan.time->stepping.settled ? "about " : "at least ";
  };
  const auto number = [&](const FileCount& count) {
    return fmt::format("{}{} ", word(count.exact), count.least);
  };
  print_text("disk:       {}{}: {}outputs of {}{}, {}checkpoints of {}\n",
             disk.compressed ? "at most " : word(disk.outputs.exact),
             bytes_text(disk.all, disk.available), number(disk.outputs),
             disk.compressed || !config.field_intervals.empty() ? "at most " : "",
             size_text(disk.output), disk.checkpoints ? number(*disk.checkpoints) : "",
             size_text(disk.checkpoint));
  if (plan.time)
    print_time(*plan.time, config, plan.choice.backend);
  else
    print_text("time:       not measured: the grid does not fit\n");
}

Json as_json(const RanksPlan& plan) {
  return {{"ranks", plan.ranks},
          {"backend", plan.backend},
          {"stepping", plan.by.stepping()},
          {"cuts", plan.by.counts},
          {"block", plan.block.extents()},
          {"halo", plan.by.depth},
          {"steps_at_once", plan.steps_at_once},
          {"bytes", plan.memory.host},
          {"device_bytes", plan.memory.device},
          {"bytes_of_first", plan.memory_of_first},
          {"halo_bytes", plan.step.halo_bytes},
          {"exchange_share", plan.step.exchange / plan.step.seconds},
          {"transforms_bytes", plan.moved_bytes},
          {"efficiency", plan.step.efficiency}};
}

void print(const RanksPlan& plan) {
  const int stepping = plan.by.stepping();
  print_text("ranks:      {}{} step blocks of {} (cuts: {}), halos of {} cells, {} steps at once\n",
             stepping, plan.ranks == stepping ? "" : fmt::format(" of {}", plan.ranks),
             shape_text(plan.block), fmt::join(plan.by.counts, " x "), plan.by.depth,
             plan.steps_at_once);
  print_text(
      "            {} a rank{}{}\n", size_text(plan.memory.host),
      plan.memory.device == 0 ? "" : fmt::format(", {} on its GPU", size_text(plan.memory.device)),
      plan.memory_of_first == 0
          ? ""
          : fmt::format("; {} more on the first, which makes or reads fields whole",
                        size_text(plan.memory_of_first)));
  print_text(
      "            exchange: {} a rank and pass, {:.1f}% of a step; {:.0f}% of the speed of "
      "blocks without halos (a model: docs/scaling.md)\n",
      size_text(plan.step.halo_bytes), 100 * plan.step.exchange / plan.step.seconds,
      100 * plan.step.efficiency);
  if (plan.moved_bytes > 0)
    print_text(
        "            transforms: {} to other ranks a rank and step, which the model does not "
        "count\n",
        size_text(plan.moved_bytes));
}

struct PlanOptions {
  std::string config;
  ConfigWords words;
  bool schemes = false;
  int ranks = 0;
  bool json = false;
};

template <class AnyPlan>
void show(const AnyPlan& plan, bool json) {
  if (json)
    print_text("{}\n", json_text(as_json(plan), 2));
  else
    print(plan);
}

int plan_command(const PlanOptions& options) {
  const LoadedConfig config = load_config(options.config, options.words.all());
  if (options.ranks > 0) {
    show(plan_on_ranks(config.run, options.ranks), options.json);
    return exit_complete;
  }
  const Plan plan = plan_run(config, options.schemes);
  show(plan, options.json);
  if (!plan.time) return exit_device;
  if (!plan.time->failure.empty()) throw NumericalError("{}", plan.time->failure);
  if (!plan.disk.shortage.empty()) throw IoError(plan.disk.shortage);
  return exit_complete;
}

}  // namespace

void add_plan_command(CommandLine& line) {
  Command command =
      line.add("plan", "Predict the memory, disk and time of a run, without running it");
  PlanOptions& options = command.calls(plan_command);
  command.positional("CONFIG", &options.config, "YAML run config; - is standard input",
                     {.required = true});
  add_config_options(command, options.words);
  command.flag("--schemes", &options.schemes,
               "Also try every other way to step, and show its time, steps and error");
  command.option("--ranks N", &options.ranks,
                 "Show how this many processes would divide the grid; measures nothing",
                 {.between = {{1, 1000000}}, .excludes = {"--schemes"}});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl plan configs/tutorial.yaml
  lapl plan configs/tutorial-small.yaml --schemes
  lapl plan configs/tutorial.yaml --set 'grid.shape=[2000, 2000]' --json
  lapl plan configs/tutorial.yaml --set 'grid.shape=[65536, 65536]' --ranks 64

Runs the first steps, for half a second, and stores a field a few times in a temporary
folder next to that of the outputs. The time of the run follows from both. If the size of
the steps varies, their number is not known before the run. While the size still changes,
the plan says "at least".

--schemes tries each scheme with its longest stable step and with a tolerance, and
engine spectral, for some tenths of a second each (docs/steps.md).

Exit codes: 3 if the run fails in these steps, 4 if the disk does not suffice, 5 if the
memory does not.)");
}

}  // namespace lapl
