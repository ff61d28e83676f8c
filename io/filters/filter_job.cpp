#include "io/filters/filter_job.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "io/config/config.hpp"
#include "io/config/config_mistakes.hpp"
#include "io/config/config_text.hpp"
#include "io/filters/filter_keys.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using J = FilterJob;

// clang-format off
KeyTable<J> input_keys() {
  return {
      {{.name = "path", .type = path(),
       .meaning = "a PNG file, a folder of numbered PNG files, or a file of HDF5, netCDF, .npy, .npz, "
                  "TIFF, text or CSV"},
       store(&J::input_path)},
      {{.name = "dataset", .type = text(), .preset = "/field",
       .meaning = "HDF5 and .npz: a dataset (columns), (rows, columns) or (time, rows, columns), or these "
                  "behind axes of length 1"}, store(&J::input_dataset)}};
}

KeyTable<J> output_keys() {
  return {
      {{.name = "path", .type = path(), .meaning = "the HDF5 file to write; relative to the current folder"},
       store(&J::output_path)},
      {{.name = "dataset", .type = text(), .preset = "/filtered",
       .meaning = "its dataset, with as many axes as the input; results of filters have the "
                  "filters' names"}, store(&J::output_dataset)}};
}

KeyTable<J> compute_keys() {
  return {
      {{.name = "backend", .type = word({"auto", "cuda", "cpu"}), .preset = "auto",
       .meaning = "where; auto: CUDA where there is a device, else the CPU"}, store(&J::backend)},
      {{.name = "precision", .type = either(word({"auto"}), word(names_in(name_table<Precision>))),
       .preset = "auto",
       .meaning = "number type; auto: float32 if it represents the input's values (pictures, "
                  "floating-point numbers of up to 32 bits, integers of up to 16), else float64"},
       store(&J::precision)},
      {{.name = "threads", .type = either(word({"auto"}), integer(1, 1024)), .preset = "auto",
       .meaning = "CPU threads"}, store(&J::threads)}};
}

KeyTable<CovarianceNames> covariance_keys() {
  using N = CovarianceNames;
  return {
      {{.name = "mu", .type = text(), .preset = "/mu",
       .meaning = "dataset (batch, channel, row, column) in the input file"}, store(&N::mu)},
      {{.name = "gamma", .type = text(), .preset = "/gamma",
       .meaning = "dataset (batch, channel, row, column, channel, row, column) there"},
       store(&N::gamma)},
      {{.name = "c", .type = text(), .preset = "/c",
       .meaning = "dataset (output) there"}, store(&N::c)}};
}
// clang-format on

constexpr const char* no_field =
    "field: belongs to the filters of a run's config (here input.dataset says what is filtered)";

YamlNode read_one_filter(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  YamlNode filter = read_filter(node, path, problems);
  if (find_child(filter, "field")) problems.push_back({node.position, no_field});
  return filter;
}

YamlNode read_named_filters(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  YamlNode filters = read_filters(node, path, problems);
  std::set<std::string> taken;
  for (const YamlNode& filter : filters.children) {
    const YamlNode* const name = find_child(filter, "name");
    if (find_child(filter, "field")) problems.push_back({node.position, no_field});
    if (const std::string wrong =
            filter_name_problem(name ? name->text : FilterConfig{}.name, taken);
        !wrong.empty())
      problems.push_back({node.position, "filters: " + wrong});
  }
  return filters;
}

nlohmann::ordered_json one_filter_json() { return json_schema(map_schema(filter_keys())); }

nlohmann::ordered_json named_filters_json() {
  return {{"type", "array"}, {"minItems", 1}, {"items", one_filter_json()}};
}

template <YamlNode (*read)(const YamlNode&, const std::string&, YamlProblems&),
          nlohmann::ordered_json (*json)()>
Schema read_by() {
  return {{OwnForm{"", read, json}}, {}};
}

/// The keys of the whole file; their values are maps or lists of maps.
KeyTable<J> sections() {
  const auto section = [](const char* name, const char* preset, const KeyTable<J>& keys) {
    return Key<J>({.name = name, .type = map_schema(keys), .preset = preset},
                  [keys](J& job, const YamlNode& node) { put_map(keys, job, node); });
  };
  // clang-format off
  return {
      section("input", "", input_keys()),
      section("output", "", output_keys()),
      {{.name = "filter", .type = read_by<read_one_filter, one_filter_json>(), .preset = "{}", .preset_in_words = true},
       [](J& job, const YamlNode& node) { assign(job.filters.emplace_back(), node); }},
      {{.name = "filters", .type = read_by<read_named_filters, named_filters_json>(), .preset = "[]", .preset_in_words = true},
       [](J& job, const YamlNode& node) { assign(job.filters, node); }},
      {{.name = "covariance", .type = map_schema(covariance_keys()), .preset = "{}", .preset_in_words = true},
       [](J& job, const YamlNode& node) {
         put_map(covariance_keys(), job.covariance.emplace(), node);
       }},
      section("compute", "{}", compute_keys())};
  // clang-format on
}

}  // namespace

std::string filter_job_schema() {
  nlohmann::ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                   {"title", "lapl filter config"}};
  schema.update(json_schema(map_schema(sections())));
  return schema.dump(2);
}

FilterJob load_filter_job(const fs::path& path) {
  const std::vector<std::string> no_settings;
  Mistakes mistakes(shown(path.string()), no_settings);
  const YamlDocument document = parse_yaml(read_config_text(path));
  FilterJob job;
  const YamlNode& root = document.root;
  YamlProblems problems;
  if (document.problem)
    problems = {*document.problem};
  else
    put_map(sections(), job, resolved(map_schema(sections()), root, "", problems));
  const auto given = [&](const char* name) { return find_child(root, name) != nullptr; };
  if (problems.empty() && given("filter") + given("filters") + given("covariance") != 1)
    problems.push_back({root.position, "expected one of filter:, filters: and covariance:"});
  if (problems.empty() && given("filters") && job.filters.empty())
    problems.push_back({root.position, "filters: found none (expected one or more)"});
  if (problems.empty() && given("filters") && find_child(*find_child(root, "output"), "dataset"))
    problems.push_back({root.position,
                        "output.dataset: given besides filters (expected none: the names of the "
                        "filters are those of their datasets)"});
  if (job.covariance) job.covariance->input = job.input_dataset;
  job.output_datasets = {job.output_dataset};
  if (given("filters")) {
    job.output_datasets.clear();
    for (const FilterConfig& filter : job.filters) job.output_datasets.push_back("/" + filter.name);
  }
  for (const YamlProblem& problem : problems) mistakes.add({problem.position}, "", problem.what);
  mistakes.throw_any();
  std::vector<std::string*> paths = {&job.input_path};
  for (FilterConfig& filter : job.filters) paths.push_back(&filter.path);
  for (std::string* const text : paths)
    if (!text->empty())
      *text = fs::absolute(path.parent_path() / *text).lexically_normal().string();
  job.output_path = fs::absolute(job.output_path).lexically_normal().string();
  return job;
}

std::vector<KeyRow> filter_job_keys() {
  std::vector<KeyRow> rows;
  const auto add = [&](const std::string& section, const auto& keys) {
    for (const KeyRow& key : keys) rows.emplace_back(key).name = section + key.name;
  };
  add("input.", input_keys());
  add("output.", output_keys());
  add("compute.", compute_keys());
  add("covariance.", covariance_keys());
  return rows;
}

}  // namespace lapl
