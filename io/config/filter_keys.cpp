#include "io/config/filter_keys.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "io/config/config_number.hpp"
#include "io/config/config_store.hpp"

namespace lapl {
namespace {

constexpr std::int64_t largest_window = 1 << 20;

template <class T>
auto named(const T& enumerators, auto FilterConfig::*member) {
  return [&enumerators, member](FilterConfig& filter, const Value& value) {
    assign_named(enumerators, filter.*member, value);
  };
}

// One number for both axes, or one for each.
template <class T>
auto pair(std::array<T, 2> FilterConfig::*member) {
  return [member](FilterConfig& filter, const Value& value) {
    if (const auto* const single = std::get_if<T>(&value))
      filter.*member = {*single, *single};
    else
      assign(filter.*member, value);
  };
}

template <class T>
std::string read_pair(const ValueType& element, std::array<T, 2> FilterConfig::*member,
                      FilterConfig& filter, const YamlNode& node) {
  const bool is_list = node.kind == YamlNode::Kind::list;
  const auto reading = read_value(is_list ? list(element, 2, 2) : element, node);
  if (const auto* const problem = std::get_if<YamlProblem>(&reading)) return problem->what;
  pair(member)(filter, std::get<Value>(reading));
  return {};
}

ValueType kernel_row() { return list(finite_real(), 1, largest_window); }

std::string read_numbers(FilterConfig& filter, const YamlNode& node) {
  filter.kernel = KernelKind::numbers;
  const auto row = [&](const YamlNode& numbers) -> std::string {
    const auto reading = read_value(kernel_row(), numbers);
    if (const auto* const problem = std::get_if<YamlProblem>(&reading)) return problem->what;
    const auto& values = std::get<std::vector<double>>(std::get<Value>(reading));
    const auto columns = static_cast<std::int64_t>(values.size());
    if (filter.shape.rows > 0 && columns != filter.shape.columns)
      return fmt::format("found rows of {} and of {} numbers (expected rows of equal length)",
                         filter.shape.columns, columns);
    filter.weights.insert(filter.weights.end(), values.begin(), values.end());
    filter.shape = {filter.shape.rows + 1, columns};
    return {};
  };
  const auto is_list = [](const YamlNode& child) { return child.kind == YamlNode::Kind::list; };
  filter.one_dimensional = std::ranges::none_of(node.children, is_list);
  if (node.children.empty()) return "found no numbers (expected a list of numbers, or of rows)";
  if (filter.one_dimensional) return row(node);
  for (const YamlNode& child : node.children)
    if (const std::string wrong = row(child); !wrong.empty()) return wrong;
  return {};
}

std::string read_kernel(FilterConfig& filter, const YamlNode& node) {
  if (!node.refused.empty()) return fmt::format("found {} (write the value itself)", node.refused);
  if (node.kind == YamlNode::Kind::list) return read_numbers(filter, node);
  if (node.kind == YamlNode::Kind::map) {
    const std::vector<MapKey<FilterConfig>> keys = {
        {"path", path(), "", "", [](auto& f, const Value& v) { assign(f.path, v); }},
        {"dataset", text(), "/kernel", "", [](auto& f, const Value& v) { assign(f.dataset, v); }}};
    YamlProblems problems;
    read_map(keys, node, "", filter, problems);
    filter.kernel = KernelKind::hdf5;
    return problems.empty() ? "" : problems.front().what;
  }
  const auto reading = read_value(word(names_of(every_named_kernel)), node);
  if (const auto* const problem = std::get_if<YamlProblem>(&reading))
    return problem->what +
           ", or a list of numbers, a list of rows of them, or {path: FILE, "
           "dataset: NAME} of an HDF5 or .npy file";
  assign_named(every_named_kernel, filter.kernel, std::get<Value>(reading));
  return {};
}

std::vector<MapKey<FilterConfig>> make_filter_table() {
  using F = FilterConfig;
  const ValueType cells = integer(1, largest_window), sigma = real(1e-3, 1e5);
  return {
      {"name", text(), "filtered", "dataset of the result in a run's outputs",
       [](F& f, const Value& v) { assign(f.name, v); }},
      {"kind", word(names_of(every_filter_kind)), "convolve",
       "convolve turns the window round, correlate does not; named kernels mean the same for both",
       named(every_filter_kind, &F::kind)},
      {"kernel",
       word(names_of(every_named_kernel)),
       "",
       "a name, a list of numbers (one-dimensional, along rows), a list of rows of numbers, "
       "{path, dataset} of an HDF5 file, or {path} of an .npy file",
       {},
       read_kernel},
      {"size",
       cells,
       "3 for box, by sigma for gaussian",
       "box, gaussian: cells of the window, one number or [rows, columns]",
       {},
       [cells](F& f, const YamlNode& n) { return read_pair(cells, &F::size, f, n); }},
      {"sigma",
       sigma,
       "1",
       "gaussian: standard deviation in cells, one number or [rows, columns]",
       {},
       [sigma](F& f, const YamlNode& n) { return read_pair(sigma, &F::sigma, f, n); }},
      {"normalize", word({"true", "false"}), "false", "divide the weights by their sum",
       [](F& f, const Value& v) { f.normalize = std::get<std::string>(v) == "true"; }},
      {"mode", word(names_of(every_filter_mode)), "same",
       "cells of the result: wherever the window touches the input (full), as the input (same), "
       "where the window lies inside (valid); a run's outputs take same",
       named(every_filter_mode, &F::mode)},
      {"edge", word(names_of(every_edge)), "reflect",
       "values outside the input, as scipy.ndimage's modes", named(every_edge, &F::edge)},
      {"constant", finite_real(), "0", "the value outside, with edge constant",
       [](F& f, const Value& v) { assign(f.constant, v); }},
      {"method", word({"auto", "direct", "separable", "fft"}), "auto",
       "how to compute; auto: by the size and the rank of the window",
       [](F& f, const Value& v) { assign(f.method, v); }},
  };
}

}  // namespace

const std::vector<MapKey<FilterConfig>>& filter_keys() {
  static const std::vector<MapKey<FilterConfig>> table = make_filter_table();
  return table;
}

FilterConfig read_filter(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  FilterConfig filter;
  const std::size_t before = problems.size();
  read_map(filter_keys(), node, path, filter, problems);
  if (problems.size() > before) return filter;
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
  return filter;
}

std::pair<std::vector<FilterConfig>, YamlProblems> read_filters(const YamlNode& node) {
  std::vector<FilterConfig> filters;
  YamlProblems problems;
  if (!node.refused.empty() || node.kind != YamlNode::Kind::list) {
    problems.push_back(
        {node.position, "expected a list of filters, each a map such as {kernel: gaussian}"});
    return {filters, problems};
  }
  for (const YamlNode& child : node.children)
    filters.push_back(read_filter(child, fmt::format("filter {}", filters.size() + 1), problems));
  return {filters, problems};
}

std::string filter_name_problem(const std::string& name, std::set<std::string>& taken) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
          std::string::npos &&
      std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (!plain)
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
  return result + fmt::format(", normalize: {}, mode: {}, edge: {}, constant: {}, method: {}}}",
                              filter.normalize, name_of(filter.mode), name_of(filter.edge),
                              number_text(filter.constant), filter.method);
}

nlohmann::ordered_json filter_schema() {
  using nlohmann::ordered_json;
  ordered_json properties = ordered_json::object();
  for (const auto& key : filter_keys()) {
    ordered_json schema = schema_of(key.type);
    if (key.name == "size" || key.name == "sigma")
      schema = {{"anyOf", {schema, schema_of(list(key.type, 2, 2))}}};
    if (key.name == "kernel") {
      const ordered_json row = schema_of(kernel_row());
      const ordered_json rows = {{"type", "array"}, {"minItems", 1}, {"items", row}};
      schema = {{"anyOf", {schema, row, rows, {{"type", "object"}}}}};
    }
    if (key.name == "normalize") schema = {{"type", "boolean"}};
    schema["description"] = key.meaning;
    properties[key.name] = schema;
  }
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"kernel"}},
          {"properties", properties}};
}

std::string filter_reference() {
  std::string text;
  for (const auto& key : filter_keys()) {
    const bool both = key.name == "size" || key.name == "sigma";
    const std::string value = key.name == "kernel" ? "see right" : description(key.type);
    text += fmt::format("| `{}` | {}{} | {} | {} |\n", key.name, value, both ? ", or two" : "",
                        key.preset.empty() ? "required" : "`" + key.preset + "`", key.meaning);
  }
  return text;
}

}  // namespace lapl
