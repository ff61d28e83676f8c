#include "io/filters/filter_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "solver/filters/window_config.hpp"

namespace lapl {
namespace {

constexpr std::int64_t largest_window = 1 << 20;

Schema kernel_row() { return list(finite_real(), 1, largest_window); }

const KeyTable<FilterConfig>& weights_file_keys() {
  using F = FilterConfig;
  static const KeyTable<F> keys = {
      {{.name = "path", .type = path()}, store(&F::path)},
      {{.name = "dataset", .type = text(), .preset = "/kernel"}, store(&F::dataset)}};
  return keys;
}

bool has_rows(const YamlNode& numbers) {
  return std::ranges::any_of(
      numbers.children, [](const YamlNode& child) { return child.kind == YamlNode::Kind::list; });
}

// Reads a list of numbers, or a list of rows of numbers.
YamlNode read_numbers(const YamlNode& node, YamlProblems& problems) {
  if (node.children.empty())
    problems.push_back(
        {node.position, "found no numbers (expected a list of numbers, or of rows)"});
  if (!has_rows(node)) return resolved(kernel_row(), node, "", problems);
  YamlNode rows = node;
  std::size_t columns = 0;
  for (YamlNode& row : rows.children) {
    row = resolved(kernel_row(), row, "", problems);
    if (columns > 0 && row.children.size() != columns)
      problems.push_back(
          {row.position,
           fmt::format("found rows of {} and of {} numbers (expected rows of equal length)",
                       columns, row.children.size())});
    columns = row.children.size();
  }
  return rows;
}

// Reports only the first problem of a kernel.
YamlNode read_weights(const std::vector<std::string>& names, const YamlNode& node,
                      const std::string& path, YamlProblems& problems) {
  YamlProblems own;
  YamlNode kernel;
  if (node.kind == YamlNode::Kind::list)
    kernel = read_numbers(node, own);
  else if (node.kind == YamlNode::Kind::map)
    kernel = resolved(map_schema(weights_file_keys()), node, "", own);
  else
    kernel = resolved(word(names), node, "", own);
  if (own.empty()) return kernel;
  std::string what = own.front().what;
  if (node.kind != YamlNode::Kind::list && node.kind != YamlNode::Kind::map)
    what +=
        ", or a list of numbers, a list of rows of them, or {path: FILE, dataset: NAME} of an "
        "HDF5, .npy or text file";
  problems.push_back({node.position, fmt::format("{}: {}", path, what)});
  return kernel;
}

YamlNode read_kernel(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  return read_weights(names_in(named_kernels), node, path, problems);
}

nlohmann::ordered_json weights_json(const std::vector<std::string>& names) {
  const nlohmann::ordered_json row = json_schema(kernel_row());
  const nlohmann::ordered_json rows = {{"type", "array"}, {"minItems", 1}, {"items", row}};
  return {{"anyOf", {json_schema(word(names)), row, rows, {{"type", "object"}}}}};
}

Schema kernel() {
  return {{OwnForm{"see right", read_kernel, [] { return weights_json(names_in(named_kernels)); }}},
          {}};
}

// The kinds of windows that have a name.
std::vector<std::string> named_windows() {
  return names_in(std::span(name_table<WindowKind>).subspan<2>());
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
      {{.name = "kernel", .type = kernel(),
       .meaning = "a name, a list of numbers (one-dimensional, along rows), a list of rows of "
                  "numbers, or {path, dataset} of an HDF5, .npz, .npy, text or other file"},
       put_kernel},
      {{.name = "size", .type = one_or_list(integer(1, largest_window), 2, 2),
       .preset = "3 for box, by sigma for gaussian",
       .meaning = "box, gaussian: cells of the window, one number or [rows, columns]",
       .preset_in_words = true},
       store(&F::size)},
      {{.name = "sigma", .type = one_or_list(real(1e-3, 1e5), 2, 2), .preset = "1",
       .meaning = "gaussian: standard deviation in cells, one number or [rows, columns]"},
       store(&F::sigma)},
      {{.name = "normalize", .type = word({"true", "false"}), .preset = "false",
       .meaning = "divide the weights by their sum"}, store(&F::normalize)},
      {{.name = "mode", .type = word(names_in(name_table<FilterMode>)), .preset = "same",
       .meaning = "cells of the result: wherever the window touches the input (full), as the input "
                  "(same), where the window lies inside (valid); a run's outputs need same"},
       store(&F::mode)},
      {{.name = "edge", .type = word(names_in(name_table<Edge>)), .preset = "reflect",
       .meaning = "values outside the input, as scipy.ndimage's modes"}, store(&F::edge)},
      {{.name = "constant", .type = finite_real(), .preset = "0",
       .meaning = "the value outside, with edge constant"}, store(&F::constant)},
      {{.name = "origin",
        .type = one_or_list(integer(-largest_window, largest_window), 2, 2), .preset = "0",
       .meaning = "mode same: moves the window's centre by so many cells, as scipy.ndimage's "
                  "origin, one number or [rows, columns]"},
       store(&F::origin)},
      {{.name = "nan", .type = word(names_in(name_table<NanCells>)), .preset = "spread",
       .meaning = "NaN in the input of lapl filter (a run's fields have none): spread to each cell "
                  "whose window has it, or skip it and scale the sum of the others to all weights"},
       store(&F::nan)},
      {{.name = "method", .type = word({"auto", "direct", "separable", "fft"}), .preset = "auto",
       .meaning = "how to compute; auto: by the size and the rank of the window"},
       store(&F::method)},
      {{.name = "field", .type = text(), .preset = "the first field",
       .meaning = "of a run with several fields: the one that is filtered",
       .preset_in_words = true}, store(&F::field)},
      // clang-format on
  };
}

}  // namespace

void put_kernel(FilterConfig& filter, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar) return assign(filter.kernel, node);
  filter.kernel = node.kind == YamlNode::Kind::map ? KernelKind::hdf5 : KernelKind::numbers;
  if (node.kind == YamlNode::Kind::map) return put_map(weights_file_keys(), filter, node);
  filter.one_dimensional = !has_rows(node);
  for (const YamlNode& row :
       filter.one_dimensional ? std::span(&node, 1) : std::span(node.children)) {
    filter.shape = {filter.shape.rows + 1, std::ssize(row.children)};
    for (const YamlNode& weight : row.children) assign(filter.weights.emplace_back(), weight);
  }
}

Schema window_kernel() {
  return {{OwnForm{"a name, a list of numbers, a list of rows of them, or {path, dataset}",
                   [](const YamlNode& node, const std::string& path, YamlProblems& problems) {
                     return read_weights(named_windows(), node, path, problems);
                   },
                   [] { return weights_json(named_windows()); }}},
          {}};
}

const KeyTable<FilterConfig>& filter_keys() {
  static const KeyTable<FilterConfig> table = make_filter_table();
  return table;
}

YamlNode read_filter(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  const std::size_t before = problems.size();
  YamlNode filter = resolved(map_schema(filter_keys()), node, path, problems);
  if (problems.size() > before) return filter;
  const YamlNode& kernel = *find_child(filter, "kernel");
  const std::string name = kernel.kind == YamlNode::Kind::scalar ? kernel.text
                           : kernel.kind == YamlNode::Kind::map  ? enum_name(KernelKind::hdf5)
                                                                 : enum_name(KernelKind::numbers);
  const bool gaussian = name == enum_name(KernelKind::gaussian);
  const auto belongs_to = [&](const char* key, const char* kernels) {
    if (find_child(node, key))
      problems.push_back(
          {node.position, fmt::format("{}.{}: does not apply to kernel {} (it belongs to {})", path,
                                      key, name, kernels)});
  };
  if (!gaussian && name != enum_name(KernelKind::box)) belongs_to("size", "box, gaussian");
  if (!gaussian) belongs_to("sigma", "gaussian");
  // config.yaml has a fixed order of keys: name and kind, the kernel and its keys, field, the rest.
  // It has origin and nan only where they are given, as configs of earlier versions.
  YamlNode ordered = empty_node(YamlNode::Kind::map, node.position);
  const auto is_kept = [&](std::string_view key) {
    return key == "sigma" ? gaussian
                          : (key != "origin" && key != "nan") || find_child(node, key) != nullptr;
  };
  for (const char* const key : {"name", "kind", "kernel", "size", "sigma", "field", "normalize",
                                "mode", "edge", "constant", "method", "origin", "nan"})
    if (const YamlNode* const value = find_child(filter, key); value && is_kept(key))
      append_entry(ordered, key, *value);
  return ordered;
}

YamlNode read_filters(const YamlNode& node, const std::string&, YamlProblems& problems) {
  if (node.kind != YamlNode::Kind::list) {
    problems.push_back(
        {node.position, "expected a list of filters, each a map such as {kernel: gaussian}"});
    return {};
  }
  YamlNode filters = node;
  for (std::size_t i = 0; i < node.children.size(); ++i)
    filters.children[i] = read_filter(node.children[i], fmt::format("filter {}", i + 1), problems);
  return filters;
}

Schema filters() {
  return {{OwnForm{"a list of filters", read_filters,
                   [] {
                     return nlohmann::ordered_json{{"type", "array"}, {"items", filter_schema()}};
                   }}},
          {}};
}

void assign(FilterConfig& filter, const YamlNode& map) { put_map(filter_keys(), filter, map); }

std::string filter_name_problem(const std::string& name, std::set<std::string>& taken) {
  if (!is_plain_name(name))
    return fmt::format("name: found {} (expected a letter, then letters, digits and _)", name);
  if (!taken.insert(name).second)
    return fmt::format("name: found {}, which is taken (expected a name of its own)", name);
  return {};
}

nlohmann::ordered_json filter_schema() {
  using nlohmann::ordered_json;
  ordered_json properties = ordered_json::object();
  for (const auto& key : filter_keys()) {
    ordered_json schema = json_schema(key.type);
    schema["description"] = key.meaning;
    properties[key.name] = schema;
  }
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"kernel"}},
          {"properties", properties}};
}

}  // namespace lapl
