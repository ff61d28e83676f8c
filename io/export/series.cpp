#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/export/export.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Adds the records of a file whose steps are in the range.
void add_file(Series& series, const fs::path& file, const FileContent& content,
              const StepRange& range) {
  for (std::size_t i = 0; i < content.steps.size(); ++i) {
    if (!range.contains(content.steps[i])) continue;
    const Precision precision = content.precision == enum_name(Precision::float32)
                                    ? Precision::float32
                                    : Precision::float64;
    if (series.records.empty()) {
      series.shape = content.shape;
      series.spacing = content.spacing;
      series.precision = precision;
    } else if (content.shape != series.shape) {
      throw IoError("{}: holds {} cells, but {} {}", file.string(), shape_text(content.shape),
                    series.records.front().file.string(), shape_text(series.shape));
    }
    if (precision == Precision::float64) series.precision = precision;
    series.units = content.units;  // those of the last record, as units of fields are
    series.records.push_back({file, i, content.steps[i], content.times[i], content.fields});
  }
}

void add_step_files(Series& series, const std::vector<fs::path>& files, const StepRange& range) {
  for (const fs::path& file : files)
    if (range.contains(step_of_file_name(file.filename().string())))
      add_file(series, file, read_output(file), range);
}

/// Throws ConfigError with the steps that exist.
[[noreturn]] void throw_no_output(const fs::path& path, const std::vector<std::int64_t>& steps) {
  constexpr std::size_t most = 8;
  const std::vector<std::int64_t> first(
      steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(std::min(steps.size(), most)));
  throw ConfigError("{}: has no output of the steps asked for (it has {}{})", path.string(),
                    fmt::join(first, ", "),
                    steps.size() > most ? fmt::format(" ... {}", steps.back()) : "");
}

}  // namespace

std::vector<std::string> Series::fields() const {
  std::vector<std::string> names;
  for (auto record = records.rbegin(); record != records.rend(); ++record)
    for (const std::string& name : record->fields)
      if (!has(names, name)) names.push_back(name);
  return names;
}

Series open_series(const fs::path& path, const StepRange& range) {
  if (!fs::exists(path)) throw IoError(path.string() + ": no such file or folder");
  Series series;
  std::vector<std::int64_t> steps;
  if (fs::is_directory(path)) {
    if (!RunFolder::has_run(path))
      throw IoError(path.string() + ": not a run folder (no run.json in it)");
    const auto files = list_step_files(path / "fields");
    if (files.empty()) throw IoError(path.string() + ": the run has no output yet");
    for (const fs::path& file : files) steps.push_back(step_of_file_name(file.filename().string()));
    add_step_files(series, files, range);
  } else {
    const FileContent content = read_content(path);
    steps = content.steps;
    if (content.kind == "index") {
      // The step files, unlike the index, also contain the provenance.
      std::vector<fs::path> files;
      for (const std::int64_t step : steps)
        files.push_back(path.parent_path() / "fields" / step_file_name(step));
      add_step_files(series, files, range);
    } else if (content.kind == "step" || content.kind == "series") {
      add_file(series, path, content, range);
    } else {
      throw IoError(
          "{}: is {}, not an output of a run (expected a run folder, its fields.nc, an output or "
          "an exported file)",
          path.string(), content.kind == "checkpoint" ? "a checkpoint" : "another HDF5 file");
    }
  }
  if (series.records.empty()) throw_no_output(path, steps);
  return series;
}

FieldValues read_record(const Series& series, const SeriesRecord& record,
                        const std::string& field) {
  series.before_reading(record);
  if (!has(record.fields, field)) return missing_values(series.shape.cells(), series.precision);
  FieldValues values = read_field(record.file, field, record.record).values;
  if (value_precision(as_view(values)) == series.precision) return values;
  return as_doubles(as_view(values));  // of a run that has changed its precision
}

}  // namespace lapl
