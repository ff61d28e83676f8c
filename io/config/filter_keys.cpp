#include "io/config/filter_keys.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "io/config/config_number.hpp"

namespace lapl {
namespace {

constexpr std::int64_t largest_window = 1 << 20;

/// The value of a type, or what is wrong with it.
std::pair<Value, std::string> first_wrong(const ValueType& type, const YamlNode& node) {
  const auto reading = read_value(type, node);
  if (const auto* const wrong = std::get_if<YamlProblems>(&reading))
    return {{}, wrong->front().what};
  return {std::get<Value>(reading), {}};
}

ValueType kernel_row() { return list(finite_real(), 1, largest_window); }

std::string read_numbers(FilterConfig& filter, const YamlNode& node) {
  filter.kernel = KernelKind::numbers;
  const auto is_list = [](const YamlNode& child) { return child.kind == YamlNode::Kind::list; };
  filter.one_dimensional = std::ranges::none_of(node.children, is_list);
  if (node.children.empty()) return "found no numbers (expected a list of numbers, or of rows)";
  const std::span rows = filter.one_dimensional ? std::span(&node, 1) : std::span(node.children);
  for (const YamlNode& row : rows) {
    const auto [value, wrong] = first_wrong(kernel_row(), row);
    if (!wrong.empty()) return wrong;
    const auto& values = std::get<std::vector<double>>(value);
    const auto columns = static_cast<std::int64_t>(values.size());
    if (filter.shape.rows > 0 && columns != filter.shape.columns)
      return fmt::format("found rows of {} and of {} numbers (expected rows of equal length)",
                         filter.shape.columns, columns);
    filter.weights.insert(filter.weights.end(), values.begin(), values.end());
    filter.shape = {filter.shape.rows + 1, columns};
  }
  return {};
}

std::string read_kernel(FilterConfig& filter, const YamlNode& node) {
  if (!node.refused.empty()) return fmt::format("found {} (write the value itself)", node.refused);
  if (node.kind == YamlNode::Kind::list) return read_numbers(filter, node);
  if (node.kind == YamlNode::Kind::map) {
    using F = FilterConfig;
    const KeyTable<F> keys = {
        {{.name = "path", .type = path()}, store(&F::path)},
        {{.name = "dataset", .type = text(), .preset = "/kernel"}, store(&F::dataset)}};
    filter.kernel = KernelKind::hdf5;
    const YamlProblems problems = read_map(keys, node, "", filter);
    return problems.empty() ? "" : problems.front().what;
  }
  const auto [value, wrong] = first_wrong(word(names_in(named_kernels)), node);
  if (!wrong.empty())
    return wrong +
           ", or a list of numbers, a list of rows of them, or {path: FILE, "
           "dataset: NAME} of an HDF5 or .npy file";
  assign(filter.kernel, value);
  return {};
}

KeyTable<FilterConfig> make_filter_table() {
  using F = FilterConfig;
  return {
      // clang-format off
      {{.name = "name", .type = text(), .preset = "filtered",
       .meaning = "dataset of the result in a run's outputs"}, store(&F::name)},
      {{.name = "kind", .type = word(names_in(name_table<FilterKind>)), .preset = "convolve",
       .meaning = "convolve turns the window round, correlate does not; named kernels mean the "
                  "same for both"}, store(&F::kind)},
      {{.name = "kernel", .type = word(names_in(named_kernels)),
       .meaning = "a name, a list of numbers (one-dimensional, along rows), a list of rows of "
                  "numbers, {path, dataset} of an HDF5 file, or {path} of an .npy file"},
       {}, [](F& filter, const YamlNode& node, const std::string& path) {
         const std::string wrong = read_kernel(filter, node);
         return wrong.empty() ? YamlProblems() : YamlProblems{{node.position, path + ": " + wrong}};
       }},
      {{.name = "size", .type = one_or_list(integer(1, largest_window), 2, 2),
       .preset = "3 for box, by sigma for gaussian",
       .meaning = "box, gaussian: cells of the window, one number or [rows, columns]"},
       store(&F::size)},
      {{.name = "sigma", .type = one_or_list(real(1e-3, 1e5), 2, 2), .preset = "1",
       .meaning = "gaussian: standard deviation in cells, one number or [rows, columns]"},
       store(&F::sigma)},
      {{.name = "normalize", .type = word({"true", "false"}), .preset = "false",
       .meaning = "divide the weights by their sum"}, store(&F::normalize)},
      {{.name = "mode", .type = word(names_in(name_table<FilterMode>)), .preset = "same",
       .meaning = "cells of the result: wherever the window touches the input (full), as the input "
                  "(same), where the window lies inside (valid); a run's outputs take same"},
       store(&F::mode)},
      {{.name = "edge", .type = word(names_in(name_table<Edge>)), .preset = "reflect",
       .meaning = "values outside the input, as scipy.ndimage's modes"}, store(&F::edge)},
      {{.name = "constant", .type = finite_real(), .preset = "0",
       .meaning = "the value outside, with edge constant"}, store(&F::constant)},
      {{.name = "method", .type = word({"auto", "direct", "separable", "fft"}), .preset = "auto",
       .meaning = "how to compute; auto: by the size and the rank of the window"},
       store(&F::method)},
      {{.name = "field", .type = text(), .preset = "the first field",
       .meaning = "of a run with several fields: the one that is filtered"}, store(&F::field)},
      // clang-format on
  };
}

}  // namespace

const KeyTable<FilterConfig>& filter_keys() {
  static const KeyTable<FilterConfig> table = make_filter_table();
  return table;
}

YamlProblems read_filter(const YamlNode& node, const std::string& path, FilterConfig& filter) {
  YamlProblems problems = read_map(filter_keys(), node, path, filter);
  if (!problems.empty()) return problems;
  const bool gaussian = filter.kernel == KernelKind::gaussian;
  const auto belongs_to = [&](const char* key, const char* kernels) {
    problems.push_back({node.position, fmt::format("{}.{}: does not apply to kernel {} (it belongs "
                                                   "to {})",
                                                   path, key, name_of(filter.kernel), kernels)});
  };
  if (filter.size[0] > 0 && !gaussian && filter.kernel != KernelKind::box)
    belongs_to("size", "box, gaussian");
  if (filter.sigma[0] > 0 && !gaussian) belongs_to("sigma", "gaussian");
  if (filter.sigma[0] == 0 && gaussian) filter.sigma = {1, 1};
  return problems;
}

std::pair<std::vector<FilterConfig>, YamlProblems> read_filters(const YamlNode& node) {
  std::vector<FilterConfig> filters;
  YamlProblems problems;
  if (!node.refused.empty() || node.kind != YamlNode::Kind::list) {
    problems.push_back(
        {node.position, "expected a list of filters, each a map such as {kernel: gaussian}"});
    return {filters, problems};
  }
  for (const YamlNode& child : node.children) {
    const std::string path = fmt::format("filter {}", filters.size() + 1);
    for (YamlProblem& problem : read_filter(child, path, filters.emplace_back()))
      problems.push_back(std::move(problem));
  }
  return {filters, problems};
}

std::string filter_name_problem(const std::string& name, std::set<std::string>& taken) {
  if (!is_plain_name(name))
    return fmt::format("name: found {} (expected a letter, then letters, digits and _)", name);
  if (!taken.insert(name).second)
    return fmt::format("name: found {}, which is taken (expected a name of its own)", name);
  return {};
}

std::string yaml_of(const FilterConfig& filter) {
  const auto two = [](const auto& values) {
    return fmt::format("[{}, {}]", yaml_of(Value(values[0])), yaml_of(Value(values[1])));
  };
  std::string kernel = name_of(filter.kernel);
  if (filter.kernel == KernelKind::hdf5)
    kernel =
        fmt::format("{{path: {}, dataset: {}}}", yaml_text(filter.path), yaml_text(filter.dataset));
  if (filter.kernel == KernelKind::numbers) {
    const auto columns = static_cast<std::size_t>(filter.shape.columns);
    kernel.clear();
    for (std::size_t i = 0; i < filter.weights.size(); i += columns) {
      const auto row = filter.weights.begin() + static_cast<std::ptrdiff_t>(i);
      kernel += (kernel.empty() ? "" : ", ") +
                yaml_of(Value(std::vector<double>(row, row + filter.shape.columns)));
    }
    if (!filter.one_dimensional) kernel = '[' + kernel + ']';
  }
  std::string result = fmt::format("{{name: {}, kind: {}, kernel: {}", yaml_text(filter.name),
                                   name_of(filter.kind), kernel);
  if (filter.size[0] > 0) result += ", size: " + two(filter.size);
  if (filter.kernel == KernelKind::gaussian) result += ", sigma: " + two(filter.sigma);
  if (!filter.field.empty()) result += ", field: " + yaml_text(filter.field);
  return result + fmt::format(", normalize: {}, mode: {}, edge: {}, constant: {}, method: {}}}",
                              filter.normalize, name_of(filter.mode), name_of(filter.edge),
                              number_text(filter.constant), filter.method);
}

nlohmann::ordered_json filter_schema() {
  using nlohmann::ordered_json;
  ordered_json properties = ordered_json::object();
  for (const auto& key : filter_keys()) {
    ordered_json schema = schema_of(key.type);
    if (key.name == "kernel") {
      const ordered_json row = schema_of(kernel_row());
      const ordered_json rows = {{"type", "array"}, {"minItems", 1}, {"items", row}};
      schema = {{"anyOf", {schema, row, rows, {{"type", "object"}}}}};
    }
    schema["description"] = key.meaning;
    properties[key.name] = schema;
  }
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"kernel"}},
          {"properties", properties}};
}

std::string filter_reference() {
  return std::string(reference_head) + reference_rows("", filter_keys());
}

}  // namespace lapl
