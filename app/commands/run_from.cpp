#include "app/commands/run_from.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "io/config/config.hpp"
#include "io/config/config_number.hpp"
#include "io/config/config_reader.hpp"
#include "io/config/config_text.hpp"
#include "io/durable/seal.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// A record in a file of outputs.
struct StoredOutput {
  fs::path file;
  std::size_t record = 0;
  std::int64_t step = 0;
  double time = 0;
  FileContent content;
};

// The file and, after the last @, the record that it names.
std::pair<fs::path, RecordChoice> split_words(const std::string& words) {
  RecordChoice last;
  last.last = true;
  const std::size_t at = words.rfind('@');
  if (at == words.npos || fs::exists(words)) return {words, last};
  const std::string time = words.substr(at + 1);
  if (time == "last") return {words.substr(0, at), last};
  RecordChoice choice;
  choice.time = read_number(time).real;
  if (!choice.time)
    throw ConfigError("--from {}: found {} after @ (expected a time, or last)", words, shown(time));
  return {words.substr(0, at), choice};
}

// The chosen output of a run: its step file, which later outputs do not change.
StoredOutput output_in_folder(const fs::path& folder, const RecordChoice& choice) {
  const std::vector<fs::path> files = list_step_files(folder / "fields");
  if (files.empty()) throw IoError(folder.string() + ": the run has no output yet");
  fs::path file = files.back();
  if (!choice.last) {
    std::map<std::int64_t, double> known;  // the index may lag behind the run
    if (fs::exists(folder / "fields.nc")) {
      const FileContent index = read_content(folder / "fields.nc");
      for (std::size_t i = 0; i < index.steps.size(); ++i) known[index.steps[i]] = index.times[i];
    }
    std::vector<double> times;
    for (const fs::path& each : files) {
      const auto found = known.find(step_of_file_name(each.filename().string()));
      times.push_back(found != known.end() ? found->second : read_output(each).times.at(0));
    }
    file = files[chosen_record(choice, files.size(), times, folder.string())];
  }
  FileContent content = read_output(file);
  return {file, 0, content.steps.at(0), content.times.at(0), std::move(content)};
}

StoredOutput stored_output(const fs::path& path, const RecordChoice& choice) {
  if (fs::is_directory(path)) {
    if (RunFolder::has_run(path)) return output_in_folder(path, choice);
    throw IoError(path.string() + ": not a run folder (no run.json in it)");
  }
  FileContent content = read_content(path);
  if (content.kind == "index") return output_in_folder(path.parent_path(), choice);
  if (content.kind != "step" && content.kind != "series")
    throw IoError(
        "{}: no file of outputs (expected a run folder, its fields.nc, an output or an "
        "exported file)",
        path.string());
  const std::size_t record =
      chosen_record(choice, content.times.size(), content.times, path.string());
  return {path, record, content.steps.at(record), content.times.at(record), std::move(content)};
}

// True if the file or a setting gives the key.
bool gives_key(const char* key, const std::string& text, const std::vector<std::string>& settings) {
  Mistakes ignored("", settings);  // parse_config reports them
  const GivenKeys file = given_in_file(text, ignored);
  const GivenKeys set = given_in_settings(settings, file, ignored);
  const auto gives = [&](const GivenKeys& given) {
    return std::ranges::count(given.keys, key, &Given::name) > 0;
  };
  return gives(file) || gives(set);
}

// The low half of the XXH3-128 of a text, as xxhsum -H2 prints it.
std::string text_digest(const std::string& text) {
  SealMaker maker;
  maker.add(std::as_bytes(std::span(text)));
  return digest_text(digest_in(maker.seal()));
}

}  // namespace

RunOrigin run_origin(const std::string& words, Interpolation interpolation, const std::string& text,
                     const std::string& path, const std::vector<std::string>& settings) {
  const auto [file, choice] = split_words(words);
  const StoredOutput output = stored_output(file, choice);
  RunOrigin origin;
  if (!gives_key("time.start", text, settings))
    origin.settings.push_back(fmt::format("time.start={}", output.time));
  std::vector<std::string> all = settings;
  std::ranges::copy(origin.settings, std::back_inserter(all));
  const RunConfig run = parse_config(text, path, fs::path(path).parent_path(), all).run;
  for (fs::path of = fs::weakly_canonical(output.file); of.has_relative_path();
       of = of.parent_path())
    if (of == fs::weakly_canonical(run.directory))
      throw ConfigError(
          "--from {}: found in {}, the folder of the new run, which would replace it "
          "(expected another --output)",
          output.file.string(), run.directory);
  std::vector<std::string> taken, left;
  for (const std::string& field : run.fields)
    (std::ranges::count(output.content.fields, field) > 0 ? taken : left).push_back(field);
  const std::string shown_file = output.file.string();
  if (taken.empty())
    throw ConfigError("--from {}: has {} and none of the fields {}", shown_file,
                      fmt::join(output.content.fields, ", "), fmt::join(run.fields, ", "));
  const Shape from = output.content.shape;
  if (from.axes != run.shape.axes)
    throw ConfigError("--from {}: holds {} values (expected a grid of {} axes, as grid.shape)",
                      shown_file, shape_text(from), run.shape.axes);
  const bool other_grid =
      from != run.shape || output.content.spacing.by_axis != run.spacing.by_axis;
  const std::string by = other_grid ? enum_name(interpolation) : "null";
  origin.settings.push_back(fmt::format(
      "initial.from={{path: {}, fields: [{}], record: {}, interpolate: {}}}",
      yaml_text(fs::absolute(output.file).string()), fmt::join(taken, ", "), output.record, by));
  const std::string state = provenance_text(output.content.provenance, "state_digest"),
                    config = provenance_text(output.content.provenance, "config");
  origin.text = fmt::format(
      "{}, step {}, time {}; state digest {}; config digest {}; fields {}; {}",
      fs::absolute(output.file).lexically_normal().string(), output.step, output.time,
      state.empty() ? "not known" : state, config.empty() ? "not known" : text_digest(config),
      fmt::join(taken, ", "),
      other_grid ? fmt::format("{} cells to {}, {}", shape_text(from), shape_text(run.shape), by)
                 : "the same grid");
  origin.notes.push_back(fmt::format(
      "fields from {} at time {} (step {}): {}{}", shown_file, output.time, output.step,
      fmt::join(taken, ", "),
      other_grid ? fmt::format(", from {} cells to {}", shape_text(from), shape_text(run.shape))
                 : ""));
  if (!left.empty())
    origin.notes.push_back(fmt::format("fields that it does not have, from section initial: {}",
                                       fmt::join(left, ", ")));
  return origin;
}

}  // namespace lapl
