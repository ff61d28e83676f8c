#include "io/filters/window_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "io/filters/filter_keys.hpp"
#include "io/readers/stored_array.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

// Stores one number or a list of them.
template <class T>
auto store_list(std::vector<T> WindowConfig::*member) {
  return [member](WindowConfig& window, const YamlNode& node) {
    (window.*member).clear();
    for (const YamlNode& each :
         node.kind == YamlNode::Kind::list ? std::span(node.children) : std::span(&node, 1))
      assign((window.*member).emplace_back(), each);
  };
}

void put_window_kernel(WindowConfig& window, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar) return assign(window.kind, node);
  FilterConfig read;
  put_kernel(read, node);
  window.kind = read.kernel == KernelKind::hdf5 ? WindowKind::hdf5 : WindowKind::numbers;
  window.shape = read.shape;
  window.weights = read.weights;
  window.path = read.path;
  window.dataset = read.dataset;
}

// clang-format off
const KeyTable<WindowConfig>& window_keys() {
  using W = WindowConfig;
  static const KeyTable<W> keys = {
      {{.name = "kernel", .type = window_kernel()}, put_window_kernel},
      {{.name = "size", .type = one_or_list(integer(1, most_cells_of_window[1]), 1, 3), .preset = "by kernel",
        .preset_in_words = true}, store_list(&W::size)},
      {{.name = "sigma", .type = one_or_list(real(1e-3, 1e3), 1, 3), .preset = "by kernel",
        .preset_in_words = true}, store_list(&W::sigma)},
      {{.name = "radius", .type = real(0, 1e3), .preset = "by kernel", .preset_in_words = true}, store(&W::radius)},
      {{.name = "inner", .type = real(0, 1e3), .preset = "by kernel", .preset_in_words = true}, store(&W::inner)},
      {{.name = "edge", .type = real(0, 1e3), .preset = "by kernel", .preset_in_words = true}, store(&W::edge)},
      {{.name = "formula", .type = formula_text(), .preset = "by kernel", .preset_in_words = true}, store(&W::formula)},
      {{.name = "normalize", .type = word({"true", "false"}), .preset = "false"}, store(&W::normalize)},
      {{.name = "method", .type = word({"auto", "fft"}), .preset = "auto"},
       [](W& window, const YamlNode& node) { window.by_fft = node.text == "fft"; }}};
  return keys;
}
// clang-format on

struct KindRow {
  std::string_view kind;
  std::vector<std::string_view> needs, takes;
};
// The keys of each kind of window beside those of all.
const std::vector<KindRow>& kind_rows() {
  static const std::vector<KindRow> rows = {{"box", {"size"}, {}},
                                            {"gaussian", {"sigma"}, {"size"}},
                                            {"disc", {"radius"}, {"edge"}},
                                            {"ring", {"inner", "radius"}, {"edge"}},
                                            {"formula", {"formula", "size"}, {}},
                                            {"numbers", {}, {}}};
  return rows;
}

YamlNode read_window(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  const std::size_t before = problems.size();
  YamlNode window = resolved(map_schema(window_keys()), node, path, problems);
  if (problems.size() > before || node.kind != YamlNode::Kind::map) return window;
  const YamlNode& kernel = *find_child(node, "kernel");
  const auto row = std::ranges::find(
      kind_rows(), kernel.kind == YamlNode::Kind::scalar ? kernel.text : "numbers", &KindRow::kind);
  for_each_entry(node, [&](const std::string& key, const YamlNode&) {
    if (key != "kernel" && key != "normalize" && key != "method" &&
        std::ranges::count(row->needs, key) == 0 && std::ranges::count(row->takes, key) == 0)
      problems.push_back(
          {node.position, fmt::format("{}: {} does not apply to kernel {}", path, key, row->kind)});
  });
  for (const std::string_view key : row->needs)
    if (find_child(node, key) == nullptr)
      problems.push_back({node.position, fmt::format("{}: {}: missing (kernel {} needs it)", path,
                                                     key, row->kind)});
  // Without the defaults of keys that other kinds have.
  YamlNode given = empty_node(YamlNode::Kind::map, node.position);
  for_each_entry(window, [&](const std::string& key, const YamlNode& value) {
    if (find_child(node, key) != nullptr) append_entry(given, key, value);
  });
  return given;
}

}  // namespace

Schema windows() {
  const Schema window = {{OwnForm{"{kernel: NAME or numbers, ...}", read_window,
                                  [] { return json_schema(map_schema(window_keys())); }}},
                         {}};
  return map_of_names(window, "a map of names, each with {kernel: NAME or numbers, ...}");
}

void assign(Windows& windows, const YamlNode& node) {
  windows.clear();
  for_each_entry(node, [&](const std::string& name, const YamlNode& value) {
    put_map(window_keys(), windows[name], value);
  });
}

void load_windows(Windows& windows) {
  for (auto& [name, window] : windows) {
    if (window.kind != WindowKind::hdf5) continue;
    const ReadField field = read_any_field(window.path, window.dataset);
    if (field.records > 1)
      throw ConfigError("{} holds {} windows of {} (expected one)", window.path, field.records,
                        shape_text(field.shape));
    window.shape = field.shape;
    window.weights = as_doubles(as_view(field.values));
  }
}

}  // namespace lapl
