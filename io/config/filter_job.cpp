#include "io/config/filter_job.hpp"

#include <set>
#include <tuple>

#include "io/config/config_file.hpp"
#include "io/config/config_mistakes.hpp"
#include "io/config/config_store.hpp"
#include "io/config/filter_keys.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;
using J = FilterJob;
using Keys = std::vector<MapKey<J>>;

auto to(auto J::*member) {
  return [member](J& job, const Value& value) { assign(job.*member, value); };
}

const Keys& keys_of_section(const std::string& section) {
  static const Keys input = {
      {"path", path(), "", "a PNG file, a folder of numbered PNG files, an .npy or an HDF5 file",
       to(&J::input_path)},
      {"dataset", text(), "/field",
       "HDF5: a dataset (columns), (rows, columns) or (time, rows, columns), or these behind axes "
       "of "
       "length 1",
       to(&J::input_dataset)}};
  static const Keys output = {
      {"path", path(), "", "the HDF5 file to write", to(&J::output_path)},
      {"dataset", text(), "/filtered",
       "its dataset, with as many axes as the input; results of filters have the filters' names",
       to(&J::output_dataset)}};
  static const Keys compute = {
      {"backend", word({"auto", "cuda", "cpu"}), "auto",
       "where; auto: CUDA where there is a device, else the CPU", to(&J::backend)},
      {"precision", either(word({"auto"}), word(names_of(every_precision))), "auto",
       "number type; auto: float32 where that holds the input's values (pictures, floating-point "
       "numbers of up to 32 bits, integers of up to 16), else float64",
       [](J& job, const Value& value) {
         if (std::get<std::string>(value) != "auto") assign(job.precision, value);
       }},
      {"threads", either(word({"auto"}), integer(1, 1024)), "auto", "CPU threads",
       to(&J::threads)}};
  return section == "input" ? input : section == "output" ? output : compute;
}

const std::vector<MapKey<CovarianceNames>>& covariance_keys() {
  using N = CovarianceNames;
  static const std::vector<MapKey<N>> keys = {
      {"mu", text(), "/mu", "dataset (batch, channel, row, column) in the input file",
       [](N& names, const Value& value) { assign(names.mu, value); }},
      {"gamma", text(), "/gamma",
       "dataset (batch, channel, row, column, channel, row, column) there",
       [](N& names, const Value& value) { assign(names.gamma, value); }},
      {"c", text(), "/c", "dataset (output) there",
       [](N& names, const Value& value) { assign(names.c, value); }}};
  return keys;
}

std::string read_section(const std::string& section, J& job, const YamlNode& node,
                         YamlProblems& problems) {
  if (section == "filter") {
    job.filters = {read_filter(node, section, problems)};
  } else if (section == "filters") {
    YamlProblems wrong;
    std::tie(job.filters, wrong) = read_filters(node);
    problems.insert(problems.end(), wrong.begin(), wrong.end());
    std::set<std::string> taken;
    for (const FilterConfig& filter : job.filters)
      if (const std::string name = filter_name_problem(filter.name, taken); !name.empty())
        problems.push_back({node.position, "filters: " + name});
  } else if (section == "covariance") {
    read_map(covariance_keys(), node, section, job.covariance.emplace(), problems);
  } else {
    read_map(keys_of_section(section), node, section, job, problems);
  }
  return {};
}

}  // namespace

FilterJob load_filter_job(const fs::path& path) {
  const std::vector<std::string> no_settings;
  Mistakes mistakes(shown(path.string()), no_settings);
  const YamlDocument document = parse_yaml(read_config_text(path));
  YamlProblems problems;
  if (document.problem) problems.push_back(*document.problem);
  FilterJob job;
  std::vector<MapKey<J>> keys;
  for (const std::string section :
       {"input", "output", "filter", "filters", "covariance", "compute"})
    keys.push_back({section,
                    text(),
                    section == "input" || section == "output" ? "" : "{}",
                    "",
                    {},
                    [&, section](J& target, const YamlNode& node) {
                      return read_section(section, target, node, problems);
                    }});
  YamlProblems outer;
  if (problems.empty()) read_map(keys, document.root, "", job, outer);
  problems.insert(problems.end(), outer.begin(), outer.end());
  const auto& given = document.root.children;
  const auto names = [&](const char* name) {
    return std::ranges::any_of(given, [&](const YamlNode& node) { return node.text == name; });
  };
  if (problems.empty() && names("filter") + names("filters") + names("covariance") != 1)
    problems.push_back(
        {document.root.position, "expected one of filter:, filters: and covariance:"});
  if (problems.empty() && names("filters") && job.filters.empty())
    problems.push_back({document.root.position, "filters: found none (expected one or more)"});
  if (problems.empty() && names("filters") && job.output_dataset)
    problems.push_back({document.root.position,
                        "output.dataset: given besides filters (expected none: the names of the "
                        "filters are those of their datasets)"});
  if (job.covariance) job.covariance->input = job.input_dataset;
  job.output_datasets = {job.output_dataset.value_or("/filtered")};
  if (names("filters")) {
    job.output_datasets.clear();
    for (const FilterConfig& filter : job.filters) job.output_datasets.push_back("/" + filter.name);
  }
  for (const YamlProblem& problem : problems) mistakes.add({problem.position}, "", problem.what);
  mistakes.throw_any();
  std::vector<std::string*> paths = {&job.input_path, &job.output_path};
  for (FilterConfig& filter : job.filters) paths.push_back(&filter.path);
  for (std::string* const text : paths)
    if (!text->empty())
      *text = fs::absolute(path.parent_path() / *text).lexically_normal().string();
  return job;
}

std::string filter_job_reference() {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const std::string section : {"input", "output", "compute"})
    for (const MapKey<J>& key : keys_of_section(section))
      text += fmt::format("| `{}.{}` | {} | {} | {} |\n", section, key.name, description(key.type),
                          key.preset.empty() ? "required" : "`" + key.preset + "`", key.meaning);
  for (const auto& key : covariance_keys())
    text += fmt::format("| `covariance.{}` | {} | `{}` | {} |\n", key.name, description(key.type),
                        key.preset, key.meaning);
  return text +
         "\n`filter:` is a map of these, `filters:` a list of such maps:\n\n| key | value | "
         "default | meaning "
         "|\n|---|---|---|---|\n" +
         filter_reference();
}

}  // namespace lapl
