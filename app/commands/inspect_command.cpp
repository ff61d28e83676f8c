// lapl inspect PATH: verifies and describes a file or a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/view/print_text.hpp"
#include "app/view/table.hpp"
#include "io/config/config_text.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/images/picture_texts.hpp"
#include "io/json.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/outputs.hpp"
#include "solver/statistics.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json describe_field(const fs::path& file, const FileContent& content, const std::string& name) {
  const std::size_t last_record = content.steps.empty() ? 0 : content.steps.size() - 1;
  ReadField field = read_field(file, name, last_record);
  return std::visit(
      [&](auto& values) {
        // Outside the mask the file has NaN. The digest is that of a state with 0 there.
        const bool masked = content.kind != "hdf5" && std::ranges::any_of(values, [](auto value) {
                              return std::isnan(value);
                            });
        const Statistics s = compute_statistics(std::span(std::as_const(values)), field.shape,
                                                content.spacing, only_rank(), masked);
        if (masked)
          for (auto& value : values)
            if (is_outside(value)) value = 0;
        return Json{{"min", s.min},
                    {"max", s.max},
                    {"mean", s.mean},
                    {"digest", digest_text(field_digest(std::span(std::as_const(values))))}};
      },
      field.values);
}

// One number if the spacing is the same along all axes.
Json spacing_json(const FileContent& content) {
  const std::vector<double> spacings = content.spacing.given(content.shape.axes);
  return spacings.size() == 1 ? Json(spacings.front()) : Json(spacings);
}

// Describes the arrays of a file that are no fields, because they have four axes or more.
Json describe_arrays(const fs::path& file) {
  Json result = Json::object();
  for (const ArrayContent& array : read_arrays(file)) {
    const std::vector<double> values = read_array_values(file, array.name);
    const auto count = static_cast<std::int64_t>(values.size());
    const Statistics s = compute_statistics(std::span(values), {1, count}, 1, only_rank());
    result[array.name] = {{"shape", array.extent},
                          {"precision", array.precision},
                          {"min", s.min},
                          {"max", s.max},
                          {"mean", s.mean}};
  }
  return result;
}

Json describe_file(const fs::path& file) {
  FileContent content;
  try {
    content = read_content(file);
  } catch (const IoError&) {  // a file without fields may hold arrays
    const Json arrays = describe_arrays(file);
    if (arrays.empty()) throw;
    return {{"file", file.string()}, {"kind", "hdf5"}, {"arrays", arrays}};
  }
  Json result = {{"file", file.string()},
                 {"kind", content.kind},
                 {"shape", content.shape.extents()},
                 {"spacing", spacing_json(content)},
                 {"precision", content.precision}};
  if (const auto& origin = content.spacing.origin; origin != std::array{0.0, 0.0, 0.0})
    result["origin"] = std::vector(origin.end() - content.shape.axes, origin.end());
  if (!content.units.length.empty()) result["grid_unit"] = content.units.length;
  if (!content.units.time.empty()) result["time_unit"] = content.units.time;
  if (content.steps.size() == 1) {
    result["step"] = content.steps.front();
    result["time"] = content.times.front();
  } else if (!content.steps.empty()) {
    result["steps"] = content.steps;
    result["times"] = content.times;
  }
  Json fields = Json::object();
  for (const std::string& name : content.fields) {
    fields[name] = describe_field(file, content, name);
    const auto unit = content.field_units.find(name);
    if (unit != content.field_units.end()) fields[name]["unit"] = unit->second;
  }
  if (!fields.empty()) {
    result["fields"] = fields;
    // The file has the digest of the whole state; a dataset may be one field of several.
    if (const std::string digest = provenance_text(content.provenance, "state_digest");
        !digest.empty())
      result["digest"] = digest;
  }
  if (content.kind == "hdf5")
    if (const Json arrays = describe_arrays(file); !arrays.empty()) result["arrays"] = arrays;
  if (!content.provenance.empty()) result["provenance"] = json_object(content.provenance);
  return result;
}

Json describe_picture(const fs::path& file, const Provenance& texts) {
  return {{"file", file.string()}, {"kind", "picture"}, {"provenance", json_object(texts)}};
}

Json describe_run(const fs::path& folder) {
  Json result = {{"run", folder.string()}, {"summary", read_summary(folder)}};
  const auto names = [](const std::vector<fs::path>& paths) {
    Json list = Json::array();
    for (const fs::path& path : paths) list.push_back(path.filename().string());
    return list;
  };
  const auto outputs = list_step_files(folder / "fields");
  result["outputs"] = names(outputs);
  result["checkpoints"] = names(list_checkpoints(folder / "checkpoints"));
  if (!outputs.empty()) result["newest"] = describe_file(outputs.back());
  return result;
}

// Appends names and values in two columns. Fields are left out: they are printed as a table.
void add_lines(const Json& values, std::vector<std::vector<std::string>>& lines) {
  for (const auto& [name, value] : values.items()) {
    if (name == "newest")
      lines.push_back(
          {"newest output",
           with_unit(fmt::format("{}, t = {}", cell_text(value["file"]), cell_text(value["time"])),
                     cell_text(value.value("time_unit", Json())))});
    else if (name == "summary" || name == "provenance")
      add_lines(value, lines);
    else if (name != "fields" && name != "arrays" && value != "")
      lines.push_back({printable(name), cell_text(value)});
  }
}

// A table with a line for each item and a column for each property.
std::string values_table(const std::string& title, const Json& all,
                         const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> lines = {{title}};
  lines.back().insert(lines.back().end(), columns.begin(), columns.end());
  for (const auto& [name, values] : all.items()) {
    lines.push_back({printable(name)});
    for (const std::string& what : columns)
      lines.back().push_back(cell_text(values.value(what, Json())));
  }
  return table_text(lines, 2);
}

std::vector<std::string> field_columns(const Json& fields) {
  const bool units = std::ranges::any_of(fields, [](const Json& f) { return f.contains("unit"); });
  std::vector<std::string> columns = {"min", "max", "mean", "digest"};
  if (units) columns.insert(columns.begin() + 3, "unit");
  return columns;
}

// The last line of the result; its first word sums it up.
std::string inspect_verdict(const Json& values) {
  if (values.contains("kind") && values["kind"] == "picture") {
    const Json& from = values["provenance"];
    return from.contains("source") ? "picture of " + cell_text(from["source"])
                                   : "picture: says nothing of a run";
  }
  if (!values.contains("run"))
    return values["kind"] == "hdf5" ? "readable: no seal, as in files that lapl did not write"
                                    : "good: every byte is as lapl wrote it";
  const Json& summary = values["summary"];
  const std::string status = summary.contains("status") ? cell_text(summary["status"]) : "";
  return fmt::format("{}: {} outputs, {} checkpoints{}", status.empty() ? "unknown" : status,
                     values["outputs"].size(), values["checkpoints"].size(),
                     values.contains("newest") ? "; the newest output is as lapl wrote it" : "");
}

void print_tables(const Json& values) {
  std::vector<std::vector<std::string>> lines;
  add_lines(values, lines);
  print_text("{}", table_text(lines));
  const Json& shown = values.contains("newest") ? values["newest"] : values;
  if (shown.contains("fields"))
    print_text("{}", values_table("field", shown["fields"], field_columns(shown["fields"])));
  if (shown.contains("arrays"))
    print_text(
        "{}", values_table("array", shown["arrays"], {"shape", "precision", "min", "max", "mean"}));
  print_text("{}\n", inspect_verdict(values));
}

struct InspectOptions {
  std::string path;
  bool json = false;
};

int inspect_command(const InspectOptions& options) {
  if (!fs::exists(options.path)) throw IoError("{}: no such file or folder", options.path);
  const bool folder = fs::is_directory(options.path);
  if (folder && !RunFolder::has_run(options.path))
    throw IoError("{}: not a run folder (no run.json in it)", options.path);
  const auto texts = folder ? std::nullopt : read_picture_texts(options.path);
  const Json values = texts    ? describe_picture(options.path, *texts)
                      : folder ? describe_run(options.path)
                               : describe_file(options.path);
  if (options.json)
    print_text("{}\n", json_text(values, 2));
  else
    print_tables(values);
  return 0;
}

}  // namespace

void add_inspect_command(CommandLine& line) {
  Command command = line.add(
      "inspect", "Verify a file and describe it: grid, step, min/max/mean, digest, origin");
  InspectOptions& options = command.calls(inspect_command);
  command.positional(
      "PATH", &options.path,
      "Output, checkpoint, other HDF5 file, picture (.png, .svg) of lapl, or run folder",
      {.required = true});
  add_json_option(command, options.json);
  command.footer(R"(Examples:
  lapl inspect runs/tutorial
  lapl inspect runs/tutorial/fields/step-000002500.nc
  lapl inspect runs/tutorial/fields.nc --json)");
}

}  // namespace lapl
