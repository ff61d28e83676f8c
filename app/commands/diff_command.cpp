// lapl diff A B: compares two outputs, or all outputs of two runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/exit_code.hpp"
#include "app/view/print_text.hpp"
#include "app/view/table.hpp"
#include "io/config/config_text.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/json.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct DiffOptions {
  std::string a, b;
  double rtol = 0;
  double atol = 0;
  bool json = false;
};

// A finding is one line of the result: a comparison of fields, or what one side lacks.
bool is_different(const Json& finding) { return finding["differs"].get<bool>(); }

// Cells differ if |a - b| > atol + rtol |b|; NaN equals NaN.
Json compare_values(const std::string& what, const FieldValues& a, const FieldValues& b,
                    Shape shape, const DiffOptions& options) {
  return std::visit(
      [&](const auto& left, const auto& right) {
        std::int64_t differing = 0, first = -1;
        double largest = 0, largest_relative = 0;
        for (std::size_t i = 0; i < left.size(); ++i) {
          const double x = left[i], y = right[i];
          if (x == y || (std::isnan(x) && std::isnan(y))) continue;
          const double difference = std::abs(x - y);
          const bool within = difference <= options.atol + options.rtol * std::abs(y);
          if (!(difference <= largest)) largest = difference;
          if (!(difference / std::abs(y) <= largest_relative))
            largest_relative = difference / std::abs(y);
          if (within) continue;
          if (first < 0) first = static_cast<std::int64_t>(i);
          ++differing;
        }
        Json finding = {{"what", what},
                        {"differs", differing > 0},
                        {"cells", left.size()},
                        {"differing", differing},
                        {"largest_absolute", largest},
                        {"largest_relative", largest_relative}};
        if (first >= 0) {
          const std::array indices = by_axis(cell_at(shape, first));
          finding["first"] = std::vector(indices.end() - shape.axes, indices.end());
        }
        return finding;
      },
      a, b);
}

Json lacking(const std::string& what, const std::string& where) {
  return {{"what", what}, {"differs", true}, {"missing_in", where}};
}

struct Compared {
  fs::path path;
  FileContent content;
};

void compare_files(const Compared& a, const Compared& b, const std::string& prefix,
                   const DiffOptions& options, Json& findings) {
  const FileContent &of_a = a.content, &of_b = b.content;
  std::set<std::string> names(of_a.fields.begin(), of_a.fields.end());
  names.insert(of_b.fields.begin(), of_b.fields.end());
  for (const std::string& name : names) {
    const std::string what = prefix + name;
    const auto has = [&](const FileContent& content) {
      return std::ranges::find(content.fields, name) != content.fields.end();
    };
    if (!has(of_a) || !has(of_b)) {
      findings.push_back(lacking(what, (has(of_a) ? b : a).path.string()));
      continue;
    }
    // Only an index (fields.nc) has more than one record: a record for each output. Compares the
    // last.
    const auto last = [](const FileContent& content) {
      return content.steps.empty() ? 0 : content.steps.size() - 1;
    };
    const ReadField left = read_field(a.path, name, last(of_a)),
                    right = read_field(b.path, name, last(of_b));
    if (left.shape == right.shape)
      findings.push_back(compare_values(what, left.values, right.values, left.shape, options));
    else
      findings.push_back({{"what", what},
                          {"differs", true},
                          {"shape_a", left.shape.extents()},
                          {"shape_b", right.shape.extents()}});
  }
  if (names.empty()) throw IoError("{}: no field to compare", a.path.string());
}

// An output of a run; its file has one record.
struct Output : Compared {
  std::int64_t step() const { return content.steps.front(); }
  double time() const { return content.times.front(); }
};

// The outputs of a run, in order of time.
std::vector<Output> outputs_in(const fs::path& run) {
  std::vector<Output> outputs;
  for (const fs::path& file : list_step_files(run / "fields"))
    outputs.push_back({{file, read_output(file)}});
  std::ranges::stable_sort(outputs, {}, &Output::time);
  return outputs;
}

// Runs with steps of two sizes reach the same time up to rounding.
bool is_same_time(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

// Compares the outputs of equal times. Findings are named by file; if steps and times do not
// correspond in both runs, by time and step.
void compare_runs(const DiffOptions& options, Json& findings) {
  const std::vector<Output> of_a = outputs_in(options.a), of_b = outputs_in(options.b);
  std::vector<std::pair<const Output*, const Output*>> pairs;
  for (auto a = of_a.begin(), b = of_b.begin(); a != of_a.end() || b != of_b.end();) {
    const bool both = a != of_a.end() && b != of_b.end() && is_same_time(a->time(), b->time());
    const bool in_a = both || b == of_b.end() || (a != of_a.end() && a->time() < b->time());
    const bool in_b = both || !in_a;
    pairs.emplace_back(in_a ? &*a++ : nullptr, in_b ? &*b++ : nullptr);
  }
  if (pairs.empty()) throw IoError("{}: no outputs to compare", options.a);
  std::map<std::int64_t, double> times;  // of the outputs of A, by step
  for (const Output& output : of_a) times[output.step()] = output.time();
  const bool other_steps =
      std::ranges::any_of(of_b,
                          [&](const Output& output) {
                            const auto of_step = times.find(output.step());
                            return of_step != times.end() &&
                                   !is_same_time(of_step->second, output.time());
                          }) ||
      std::ranges::any_of(pairs, [](const auto& pair) {
        return pair.first && pair.second && pair.first->step() != pair.second->step();
      });
  for (const auto& [a, b] : pairs) {
    const Output& one = a ? *a : *b;
    const std::string steps = !a || !b || a->step() == b->step()
                                  ? fmt::format("step {}", one.step())
                                  : fmt::format("steps {} and {}", a->step(), b->step());
    const std::string name =
        other_steps ? fmt::format("t = {} ({})", one.time(), steps) : one.path.filename().string();
    const std::size_t before = findings.size();
    if (a && b)
      compare_files(*a, *b, name + " ", options, findings);
    else
      findings.push_back(lacking(name, a ? options.b : options.a));
    for (std::size_t i = before; i < findings.size(); ++i) {
      findings[i]["time"] = one.time();
      if (a) findings[i]["step_a"] = a->step();
      if (b) findings[i]["step_b"] = b->step();
    }
  }
}

std::string cells_text(const Json& shape) {
  return shape_text(Shape::of(shape.get<std::vector<std::int64_t>>()));
}

// One line of the table: the name, and the result of the comparison.
std::vector<std::string> table_line(const Json& finding) {
  const std::string what = printable(finding["what"].get<std::string>());
  if (finding.contains("missing_in"))
    return {what, "missing in " + printable(finding["missing_in"].get<std::string>())};
  if (finding.contains("shape_a"))
    return {what, fmt::format("{} in A, {} in B", cells_text(finding["shape_a"]),
                              cells_text(finding["shape_b"]))};
  const auto number = [&](const char* name) {
    return fmt::format("{:.4g}", finding[name].get<double>());
  };
  std::string first;
  if (finding.contains("first")) {
    const auto indices = finding["first"].get<std::vector<std::int64_t>>();
    first = place_text(Cell::of(indices), static_cast<int>(indices.size()));
  }
  return {what,
          fmt::format("{} of {}", finding["differing"].get<std::int64_t>(),
                      finding["cells"].get<std::size_t>()),
          number("largest_absolute"), number("largest_relative"), first};
}

// The last line of the result. Its first word is "equal" or "different".
std::string diff_verdict(const Json& findings, const DiffOptions& options) {
  const auto differing = std::ranges::count_if(findings, is_different);
  double largest = 0;
  for (const Json& finding : findings)
    if (finding.contains("largest_absolute"))
      if (const double here = finding["largest_absolute"].get<double>(); !(here <= largest))
        largest = here;
  const std::string fields =
      fmt::format("{} field{}", findings.size(), findings.size() == 1 ? "" : "s");
  if (differing > 0)
    return fmt::format("different: {} of {}, by at most {:.4g} in a cell", differing, fields,
                       largest);
  if (largest == 0) return fmt::format("equal: {}, every cell", fields);
  return fmt::format("equal: {}, within --rtol {} and --atol {}; the largest difference is {:.4g}",
                     fields, options.rtol, options.atol, largest);
}

void print_findings(const Json& findings, const DiffOptions& options) {
  std::vector<std::vector<std::string>> lines = {
      {"compared", "cells that differ", "largest difference", "relative", "first"}};
  for (const Json& finding : findings) lines.push_back(table_line(finding));
  print_text("A: {}\nB: {}\n{}{}\n", options.a, options.b, table_text(lines, 2),
             diff_verdict(findings, options));
}

int diff_command(const DiffOptions& options) {
  for (const std::string& path : {options.a, options.b})
    if (!fs::exists(path)) throw IoError("{}: no such file or folder", path);
  const bool runs = fs::is_directory(options.a);
  if (runs != fs::is_directory(options.b))
    throw ConfigError("{} and {}: give two files or two run folders", options.a, options.b);
  Json findings = Json::array();
  if (runs)
    compare_runs(options, findings);
  else
    compare_files({options.a, read_content(options.a)}, {options.b, read_content(options.b)}, "",
                  options, findings);
  if (options.json)
    print_text("{}\n", json_text(findings, 2));
  else
    print_findings(findings, options);
  return std::ranges::any_of(findings, is_different) ? exit_different : exit_complete;
}

}  // namespace

void add_diff_command(CommandLine& line) {
  Command command =
      line.add("diff", "Compare two outputs, or all outputs of two runs, cell by cell");
  DiffOptions& options = command.calls(diff_command);
  command.positional("A", &options.a, "Output file or run folder", {.required = true});
  command.positional("B", &options.b, "Output file or run folder", {.required = true});
  command.option("--rtol X", &options.rtol, "Allowed difference relative to B's value",
                 {.not_negative = true});
  command.option("--atol X", &options.atol, "Allowed absolute difference", {.not_negative = true});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl diff runs/tutorial runs/other
  lapl diff runs/tutorial runs/other --rtol 1e-6 --atol 1e-12

Outputs of two runs are compared where they are of the same time. Exit code 0 where all is equal, 7
where anything differs.)");
}

}  // namespace lapl
