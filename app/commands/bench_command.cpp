// lapl bench: compares engines or filters with the reference, then times them.
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/launcher.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/view/console.hpp"
#include "app/view/print_text.hpp"
#include "io/config/config.hpp"
#include "io/json.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/run_backend.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/code_cache.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/benchmark.hpp"
#include "solver/run_config.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::vector<std::int64_t>> shapes;
  std::string backend = "auto";
  std::string engine;
  std::string precision;
  std::string boundary = "zero";
  std::string config;
  std::int64_t steps = 0;
  int repeats = 7;
  int threads = 0;
  int ranks = 0;
  bool filters = false;
  bool json = false;
};

// The shapes given by the user, or else squares with these sides.
std::vector<Shape> bench_shapes(const BenchOptions& options,
                                const std::vector<std::int64_t>& sides) {
  std::vector<Shape> shapes;
  for (const std::vector<std::int64_t>& extents : options.shapes) {
    if (extents.empty() || extents.size() > 3)
      throw ConfigError("--shape {}: expected one to three numbers", fmt::join(extents, " "));
    shapes.push_back(Shape::of(extents));
  }
  if (shapes.empty())
    for (const std::int64_t side : sides) shapes.push_back({side, side});
  return shapes;
}

// Throws ConfigError unless each shape has `axes` axes. `of` names what is measured.
void require_axes(const std::vector<Shape>& shapes, int axes, const std::string& of) {
  for (const Shape shape : shapes)
    if (shape.axes != axes)
      throw ConfigError("--shape {}: expected {} numbers, one for each axis of {}",
                        fmt::join(shape.extents(), " "), axes, of);
}

Json result_json(const BenchmarkResult& r, Shape shape, const std::string& precision) {
  const double bandwidth_bound =
      r.ceilings.copy_bytes_per_second / static_cast<double>(r.bytes_a_cell);
  return {{"engine", r.description.engine},
          {"backend", r.description.backend},
          {"device", r.description.device},
          {"threads", r.description.threads},
          {"precision", precision},
          {"shape", shape.extents()},
          {"verified_steps", r.verified_steps},
          {"not_finite_after", r.not_finite_after},
          {"steps", r.steps},
          {"repeats", r.repeats},
          {"median_seconds", r.seconds},
          {"fastest_seconds", r.fastest},
          {"slowest_seconds", r.slowest},
          {"gigacells_per_second", r.updates_per_second / 1e9},
          {"copy_gigabytes_per_second", r.ceilings.copy_bytes_per_second / 1e9},
          {"percent_of_bandwidth_ceiling", 100 * r.updates_per_second / bandwidth_bound},
          {"percent_of_arithmetic_ceiling",
           100 * r.updates_per_second / r.ceilings.updates_per_second}};
}

void print_row(const Json& v, const BenchmarkResult& r, Shape shape) {
  print_text("{:<10} {:<8} {:>15} {:>8} {:>9.4f} {:>7.1f} {:>9.2f} {:>9.0f} {:>9.1f} {:>7}\n",
             r.description.engine, v["precision"].get<std::string>(), shape_text(shape), r.steps,
             r.seconds, 100 * (r.slowest / r.fastest - 1), r.updates_per_second / 1e9,
             v["percent_of_bandwidth_ceiling"].get<double>(),
             v["percent_of_arithmetic_ceiling"].get<double>(), r.verified_steps);
  std::fflush(stdout);
}

// Filters that together use every method: arbitrary weights, and a separable Gaussian kernel.
std::vector<FilterConfig> filters_to_measure() {
  std::vector<FilterConfig> filters;
  for (const std::int64_t size : {3, 13, 63}) {
    FilterConfig& filter = filters.emplace_back();
    filter.name = fmt::format("{0} x {0}", size);
    filter.kernel = KernelKind::numbers;
    filter.shape = {size, size};
    for (std::int64_t i = 0; i < size * size; ++i)
      filter.weights.push_back(static_cast<double>(i * i % 19 - 9) /
                               static_cast<double>(9 * size * size));
  }
  FilterConfig& gaussian = filters.emplace_back();
  gaussian.name = "gaussian 25 x 25";
  gaussian.kernel = KernelKind::gaussian;
  gaussian.sigma = {3, 3};
  return filters;
}

int bench_filters(const BenchOptions& options) {
  const std::string backend = choose_backend(options.backend).backend;
  if (!options.json)
    print_text("{:<17} {:<10} {:<8} {:>15} {:>11} {:>8} {:>9} {:>8}\n", "filter", "method", "",
               "rows x columns", "median us", "spread %", "GCells/s", "checked");
  Json all = Json::array();
  const std::vector<Shape> shapes = bench_shapes(options, {256, 2000});
  require_axes(shapes, 2, "filters");
  for (const FilterConfig& filter : filters_to_measure())
    for (const Shape shape : shapes)
      for (const std::string precision : {"float32", "float64"}) {
        if (!options.precision.empty() && options.precision != precision) continue;
        const auto measure =
            precision == "float32" ? benchmark_filter<float> : benchmark_filter<double>;
        const FilterBenchmark r = measure(backend, filter, shape, options.repeats, options.threads);
        const double rate = 1e-9 * static_cast<double>(shape.cells()) / r.seconds;
        all.push_back({{"filter", filter.name},
                       {"method", r.method},
                       {"backend", backend},
                       {"device", r.device},
                       {"precision", precision},
                       {"shape", shape.extents()},
                       {"verified_cells", r.verified_cells},
                       {"repeats", options.repeats},
                       {"median_seconds", r.seconds},
                       {"fastest_seconds", r.fastest},
                       {"slowest_seconds", r.slowest},
                       {"gigacells_per_second", rate}});
        if (options.json) continue;
        print_text("{:<17} {:<10} {:<8} {:>6} x {:<6} {:>11.1f} {:>8.1f} {:>9.3f} {:>8}\n",
                   filter.name, r.method, precision, shape.rows, shape.columns, 1e6 * r.seconds,
                   100 * (r.slowest / r.fastest - 1), rate, r.verified_cells);
        std::fflush(stdout);
      }
  if (options.json) print_text("{}\n", json_text(all, 2));
  return 0;
}

// Reads the initial fields of a case; returns the coefficient fields. Only the first rank has
// values.
CoefficientFields read_fields(const RunConfig& of_config, BenchmarkCase& of, const Ranks& ranks) {
  RunConfig config = of_config;
  config.shape = of.shape;
  if (!ranks.is_first()) return unread_coefficients(config);
  of.initial = load_initial_fields(config);
  return load_coefficients(config);
}

std::string bench_backend(const BenchOptions& options) {
  return choose_backend(options.backend, options.engine.empty() ? "auto" : options.engine).backend;
}

int bench_engines(const BenchOptions& options) {
  const std::string backend = bench_backend(options);
  // Always found: the command line accepts only these names.
  const Boundary boundary =
      std::ranges::find(name_table<Boundary>, options.boundary, &Named<Boundary>::name)->value;
  std::optional<LoadedConfig> loaded;
  if (!options.config.empty()) resolve_mask(loaded.emplace(load_config(options.config, {})));
  if (loaded) use_code_cache(loaded->run.caches_code);
  const std::vector<Shape> shapes =
      loaded && options.shapes.empty() ? std::vector{loaded->run.shape}
      : backend == "cuda"              ? bench_shapes(options, {512, 1024, 2000, 8192, 16384})
                                       : bench_shapes(options, {64, 256, 2000, 8192});
  if (loaded) require_axes(shapes, loaded->run.shape.axes, options.config);
  std::vector<std::string> engines;
  const bool exponential = loaded && is_exponential(loaded->run);
  for (const EngineInfo& engine : all_engines())
    if (engine.runs_on(backend) &&
        (!options.engine.empty() ? engine.name == options.engine
         : exponential           ? engine.name == spectral_engine.name
                       : engine.name != "reference" && engine.name != spectral_engine.name))
      engines.emplace_back(engine.name);
  if (engines.empty())
    throw ConfigError("--engine {}: not an engine of the {} backend", options.engine, backend);
  Ranks& ranks = run_ranks();
  const bool as_table = !options.json && ranks.is_first();
  if (as_table)
    print_text(
        "{:<10} {:<8} {:>15} {:>8} {:>9} {:>7} {:>9} {:>9} {:>9} {:>7}\n"
        "{:<10} {:<8} {:>15} {:>8} {:>9} {:>7} {:>9} {:>9} {:>9} {:>7}\n",
        "engine", "", "cells", "steps", "median s", "spread", "GCells/s", "% of copy", "% of",
        "steps", "", "", "", "timed", "", "%", "", "bandwidth", "arithm.", "checked");
  Json all = Json::array();
  bool measured = false;
  std::exception_ptr failed;  // the first error, but for engines that are not asked for by name
  for (const std::string& engine : engines)
    for (const Shape shape : shapes)
      for (const std::string precision : {"float32", "float64"}) {
        if (!options.precision.empty() && options.precision != precision) continue;
        BenchmarkCase of{backend,         engine,
                         shape,           {boundary, boundary, boundary},
                         options.threads, loaded ? &loaded->run : nullptr};
        const auto measure = precision == "float32" ? benchmark<float> : benchmark<double>;
        try {
          CoefficientFields coefficients;
          if (loaded) coefficients = read_fields(loaded->run, of, ranks);
          const auto result = measure(of, coefficients, options.steps, options.repeats, ranks);
          all.push_back(result_json(result, shape, precision));
          if (as_table) print_row(all.back(), result, shape);
          if (result.not_finite_after > 0 && ranks.is_first())
            print_warning(fmt::format(
                "the state is not finite after {} steps (time.step may be too large): {} steps are "
                "checked, {} timed",
                result.not_finite_after, result.verified_steps, result.steps));
          measured = true;
        } catch (const FormattedError& error) {
          const bool is_skipped =
              options.engine.empty() && dynamic_cast<const EngineUnsuitable*>(&error) != nullptr;
          // All ranks skip an engine alike; after other errors they would wait for this one.
          if (ranks.count() > 1 && !is_skipped) throw;
          const bool is_refusal = dynamic_cast<const NumericalError*>(&error) == nullptr;
          all.push_back({{"engine", engine},
                         {"backend", backend},
                         {"precision", precision},
                         {"shape", shape.extents()},
                         {is_refusal ? "refused" : "error", error.what()}});
          if (!failed && !is_skipped)
            failed = std::current_exception();
          else
            print_text(stderr, "{}, {}: {}\n", engine, precision, error.what());
        }
      }
  if (options.json && ranks.is_first()) print_text("{}\n", json_text(all, 2));
  if (failed) std::rethrow_exception(failed);
  if (!measured) throw DeviceError("no engine of the {} backend could step", backend);
  return 0;
}

// The command line of a measurement, without --shape and --ranks, which differ between them.
std::vector<std::string> words_for_ranks(const BenchOptions& options, const std::string& backend) {
  std::vector<std::string> words = {"bench", "--backend", backend};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  const bool exponential =
      !options.config.empty() && is_exponential(load_config(options.config, {}).run);
  add("--engine", !options.engine.empty() ? options.engine
                  : exponential           ? std::string(spectral_engine.name)
                  : backend == "cuda"     ? "streaming"
                                          : "blocked");
  add("--precision", options.precision);
  if (options.config.empty()) add("--boundary", options.boundary);
  add("--config", options.config);
  if (options.steps > 0) add("--steps", std::to_string(options.steps));
  add("--repeats", std::to_string(options.repeats));
  if (options.threads > 0) add("--threads", std::to_string(options.threads));
  return words;
}

// Runs `lapl bench` on this number of ranks, in new processes, and returns its JSON output.
Json measured_on_ranks(const Launcher& launcher, int ranks, const std::vector<std::int64_t>& shape,
                       const std::vector<std::string>& words) {
  std::vector<std::string> all = words_of_ranks(launcher, ranks);
  all.insert(all.end(), words.begin(), words.end());
  all.emplace_back("--shape");
  for (const std::int64_t extent : shape) all.push_back(std::to_string(extent));
  all.insert(all.end(), {"--ranks", std::to_string(ranks), "--json"});
  const std::optional<std::string> text = printed_by(all);
  if (!text) throw DeviceError("--ranks {}: a bench cannot be started", ranks);
  if (text->empty()) throw DeviceError("--ranks {}: the bench ended without a figure", ranks);
  Json rows = Json::parse(*text);
  for (const Json& row : rows)  // of one rank
    if (!row.contains("median_seconds"))
      throw DeviceError("--ranks {}: {}", ranks, row.value("refused", row.value("error", "")));
  return rows;
}

void print_rows_of_ranks(const Json& all, const char* scaling, int ranks, const Json& of_one) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json &row = all[i], &one = of_one[i];
    const auto rate = row["gigacells_per_second"].get<double>();
    const auto rate_of_one = one["gigacells_per_second"].get<double>();
    const int threads = ranks * row["threads"].get<int>();
    const double processors =  // GPUs if there are no threads
        threads == 0 ? ranks : static_cast<double>(threads) / one["threads"].get<int>();
    print_text("{:<7} {:>5} {:>8} {:<10} {:<8} {:>20} {:>9.3f} {:>9.2f} {:>9.1f} {:>8}\n", scaling,
               ranks, threads, row["engine"].get<std::string>(),
               row["precision"].get<std::string>(),
               shape_text(Shape::of(row["shape"].get<std::vector<std::int64_t>>())), rate,
               rate / rate_of_one, 100 * rate / rate_of_one / processors,
               row["verified_steps"].get<std::int64_t>());
  }
  std::fflush(stdout);
}

// Measures each shape on 1, 2, 4 ... ranks (strong scaling), and with its slowest axis multiplied
// by the number of ranks (weak scaling). Each measurement runs this program in new processes.
int bench_on_ranks(const BenchOptions& options) {
  const std::string backend = bench_backend(options);
  const std::vector<std::string> words = words_for_ranks(options, backend);
  const std::int64_t square = backend == "cuda" ? 16384 : 4096;
  if (!options.json)
    print_text("{:<7} {:>5} {:>8} {:<10} {:<8} {:>20} {:>9} {:>9} {:>9} {:>8}\n", "scaling",
               "ranks", "threads", "engine", "", "cells", "GCells/s", "of one", "% each",
               "checked");
  const Launcher launcher = find_launcher(mpi_library());
  const LauncherFolders folders;
  folders.set_variables(launcher);
  Json measurements = Json::array();
  const auto add = [&](Json rows, const char* scaling, int ranks, const Json& of_one) {
    if (!options.json) print_rows_of_ranks(rows, scaling, ranks, of_one.empty() ? rows : of_one);
    for (Json& row : rows) {
      row["scaling"] = scaling;
      row["ranks"] = ranks;
      measurements.push_back(row);
    }
  };
  for (const std::vector<std::int64_t>& shape :
       options.shapes.empty() ? decltype(options.shapes){{square, square}} : options.shapes) {
    const Json one = measured_on_ranks(launcher, 1, shape, words);
    add(one, "strong", 1, {});
    for (const bool weak : {false, true})
      for (int ranks = 2; ranks <= options.ranks;
           ranks = ranks < options.ranks ? std::min(2 * ranks, options.ranks) : ranks + 1) {
        std::vector<std::int64_t> extents = shape;
        if (weak) extents.front() *= ranks;
        add(measured_on_ranks(launcher, ranks, extents, words), weak ? "weak" : "strong", ranks,
            one);
      }
  }
  if (options.json) print_text("{}\n", json_text(measurements, 2));
  return 0;
}

int bench_command(const BenchOptions& options) {
  if (options.ranks > 1 && !is_started_as_rank()) return bench_on_ranks(options);
  return options.filters ? bench_filters(options) : bench_engines(options);
}

}  // namespace

void add_bench_command(CommandLine& line) {
  Command command =
      line.add("bench", "Verify engines to the bit, or filters, then time them on this machine");
  BenchOptions& options = command.calls(bench_command);
  constexpr std::int64_t most = std::int64_t{1} << 40;
  command.option("--shape N...", &options.shapes,
                 "Grid: columns, or rows and columns, or planes, rows and columns (repeatable); "
                 "default: several squares, or the config's grid",
                 {.values = 3, .fewest_values = 1, .repeatable = true, .between = {{1, most}}});
  add_backend_option(command, options.backend);
  command.option("--engine NAME", &options.engine,
                 "One engine; default: all but reference and spectral");
  command.option("--precision", &options.precision, "Number type; default: both",
                 {.one_of = {"float32", "float64"}});
  command.option("--boundary", &options.boundary, "Condition at the edges",
                 {.one_of = names_in(name_table<Boundary>)});
  command.option("--config FILE", &options.config,
                 "Measure the equation of a config, from its initial fields",
                 {.excludes = {"--boundary"}});
  command.option("--steps N", &options.steps,
                 "Steps in each repeat; default: as many as fill a fifth of a second",
                 {.between = {{1, most}}});
  command.option("--repeats N", &options.repeats, "Timed repeats", {.between = {{1, 1000}}});
  command.option("--threads N", &options.threads, "CPU threads", {.between = {{1, 1024}}});
  command.option("--ranks N", &options.ranks,
                 "Measure scaling on 1, 2, 4 ... N processes: strong (the same grid) and weak (the "
                 "slowest axis grows with N)",
                 {.between = {{1, 1000000}}});
  command.flag("--filters", &options.filters,
               "Measure filters instead of engines, each method by itself",
               {.excludes = {"--engine", "--boundary", "--steps", "--config", "--ranks"}});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl bench
  lapl bench --filters --shape 1080 1920
  lapl bench --shape 96 96 96 --precision float32 --json
  lapl bench --ranks 2 --shape 4096 4096 --precision float32

Each case starts from random data, or as its config says, and is compared with the reference
engine before it is timed. The bandwidth ceiling is what a step that reads and writes each cell
once could reach at the measured copy bandwidth; engines that block time exceed it. The
arithmetic ceiling is what the instructions of a cell take (five for diffusion). Engine spectral
computes all steps at once, and is compared within the gate of docs/numerics.md. Filters are
compared with the plain sum, in some thousand cells. In JSON, a case without figures has
"refused", with the reason, or "error", if results are wrong or not finite.)");
}

}  // namespace lapl
