// Reads nodes by their schema. For a wrong value, the message comes from the first form that
// recognises the intention, such as a quoted number; else it describes the whole schema.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "io/config/config_number.hpp"
#include "io/config/config_text.hpp"
#include "io/config/schema.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

/// A resolved leaf, or a message. The message is empty if the form does not recognise the node.
using Reading = std::variant<std::string, YamlNode>;

std::string found(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "found null";
    case YamlNode::Kind::list: return "found a list";
    case YamlNode::Kind::map: return "found a map";
    case YamlNode::Kind::scalar: break;
  }
  const std::string text = shown(node.text);
  return "found " + (node.quoted ? '"' + text + '"' : text);
}

std::string out_of_range(const YamlNode& node, const Form& form) {
  return fmt::format("{}, out of range (expected {})", found(node), description({{form}, {}}));
}

/// The number in a node, and a message if the text is meant as a number but is not a plain decimal.
std::pair<NumberText, std::string> number_in(const YamlNode& node) {
  NumberText number = read_number(node.text);
  std::string wrong;
  if (node.quoted && number.real) {
    wrong = fmt::format("{}, quoted (write {})", found(node), node.text);
  } else if (!number.fault.empty()) {
    wrong = found(node) + number.fault;
  }
  if (node.quoted) number = {};
  return {number, wrong};
}

Reading read(const NullForm&, const YamlNode& node) {
  return empty_node(YamlNode::Kind::null, node.position);
}

Reading read(const WordForm& form, const YamlNode& node) {
  if (std::ranges::count(form.words, node.text) == 0) return {};
  const bool truth = node.text == "true" || node.text == "false";
  return truth ? plain_node(node.text, node.position) : text_node(node.text, node.position);
}

Reading read(const IntegerForm& form, const YamlNode& node) {
  const auto [number, wrong] = number_in(node);
  if (!number.real) return wrong;
  if (!number.whole)
    return fmt::format("{}, not an integer (expected {})", found(node), description({{form}, {}}));
  if (!number.integer || *number.integer < form.low || *number.integer > form.high)
    return out_of_range(node, form);
  return plain_node(fmt::format("{}", *number.integer), node.position);
}

Reading read(const RealForm& form, const YamlNode& node) {
  const auto [number, wrong] = number_in(node);
  if (!number.real) return wrong;
  const double value = *number.real;
  if (value < form.low || value > form.high || (form.above && value == form.low))
    return out_of_range(node, form);
  return plain_node(number_text(value), node.position);
}

Reading read(const TextForm& form, const YamlNode& node) {
  if (node.text.empty()) return std::string("found an empty text (expected a text)");
  // The file's bytes are clean, but a quoted "\0" would end a path early.
  if (!is_clean_line(node.text))
    return found(node) + " (expected one line without control characters)";
  if (form.longest > 0 && node.text.size() > form.longest)
    return fmt::format("{} (expected at most {} bytes)", found(node), form.longest);
  const NumberText number = read_number(node.text);
  const bool is_number = number.real || !number.fault.empty();
  if (!node.quoted && (is_number || is_reserved_word(node.text))) {
    return fmt::format("{0}, which YAML reads as a {1} (quote it: \"{2}\")", found(node),
                       is_number ? "number" : "truth value", shown(node.text));
  }
  return text_node(node.text, node.position);
}

Reading read(const PathForm&, const YamlNode& node) {
  Reading reading = read(TextForm(), node);
  if (auto* const text = std::get_if<YamlNode>(&reading)) text->names_file = true;
  return reading;
}

Reading read(const DurationForm& form, const YamlNode& node) {
  const std::optional<double> seconds = read_duration(node.text);
  if (!seconds) {
    if (node.quoted || !read_number(node.text).real) return {};
    return fmt::format("found {0}, without a unit (write {0}s, {0}m or {0}h)", shown(node.text));
  }
  static const std::regex allowed(duration_pattern);
  constexpr std::size_t longest = 40;  // characters; std::regex recurses once per character
  if (node.text.size() > longest || !std::regex_match(node.text, allowed))
    return out_of_range(node, form);
  return plain_node(duration_text(*seconds), node.position);
}

Reading read(const FormulaForm&, const YamlNode& node) {
  if (node.text.empty()) return std::string("found an empty text (expected a formula)");
  if (first_bad_byte(node.text) < node.text.size())
    return found(node) + " (expected a formula without control characters)";
  return text_node(node.text, node.position);
}

// These two are no leaves: `resolved` reads them by other functions.
Reading read(const NamesForm&, const YamlNode&) { return {}; }
Reading read(const OwnForm&, const YamlNode&) { return {}; }
Reading read(const MapForm& form, const YamlNode& node) {
  std::string wrong;
  for (const StandIn& stand_in : form.stand_ins)
    for (const Form& values : stand_in.values.forms) {
      Reading value = std::visit([&](const auto& known) { return read(known, node); }, values);
      if (const auto* const why = std::get_if<std::string>(&value)) {
        if (wrong.empty()) wrong = *why;
        continue;
      }
      if (!stand_in.refused.empty()) return found(node) + stand_in.refused;
      if (!stand_in.value.empty()) value = text_node(stand_in.value, node.position);
      YamlNode map = empty_node(YamlNode::Kind::map, node.position);
      append_entry(map, stand_in.key, std::get<YamlNode>(std::move(value)));
      YamlProblems none;
      return resolved({{form}, {}}, map, "", none);
    }
  return wrong;
}

/// Words of other programs, and the lapl words for them.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"dirichlet", "zero"},  {"neumann", "insulated"}, {"no-flux", "insulated"},
    {"cyclic", "periodic"}, {"wrap", "periodic"},     {"float", "float32"},
    {"single", "float32"},  {"double", "float64"},    {"gpu", "cuda"},
    {"picture", "image"},   {"png", "image"},         {"netcdf", "hdf5"},
    {"npy", "hdf5"},        {"npz", "hdf5"},          {"csv", "hdf5"},
    {"tiff", "image"},      {"constant", "uniform"}};

/// A suggestion for a wrong word: the lapl word for another program's word, or the nearest in
/// spelling; empty if there is neither.
std::string suggestion(const Schema& schema, const YamlNode& node) {
  std::string near;
  for (const Form& form : schema.forms) {
    if (const auto* const map = std::get_if<MapForm>(&form))
      for (const StandIn& stand_in : map->stand_ins)
        if (near.empty()) near = suggestion(stand_in.values, node);
    const auto* const words = std::get_if<WordForm>(&form);
    if (words == nullptr || !near.empty()) continue;
    for (const auto& [other, meant] : other_words)
      if (edit_distance(node.text, other, 0) == 0 && std::ranges::count(words->words, meant) > 0)
        near = meant;
    if (near.empty()) near = nearest_word(node.text, words->words);
  }
  return near;
}

void add_problem(YamlProblems& problems, TextPosition position, const std::string& path,
                 const std::string& what) {
  problems.push_back({position, path.empty() ? what : fmt::format("{}: {}", shown(path), what)});
}

/// True if the node has an anchor, alias, tag or another forbidden feature, which is then reported.
bool is_refused(const YamlNode& node, const std::string& path, YamlProblems& problems) {
  if (!node.refused.empty())
    add_problem(problems, node.position, path,
                fmt::format("found {} (write the value itself)", node.refused));
  return !node.refused.empty();
}

/// Reads a leaf, alone or in a list.
YamlNode read_leaf(const Schema& schema, const YamlNode& node, const std::string& path,
                   YamlProblems& problems) {
  const bool is_null = node.kind == YamlNode::Kind::null;
  std::string wrong;
  if (is_null || node.kind == YamlNode::Kind::scalar) {
    for (const Form& form : schema.forms) {
      if (std::holds_alternative<NullForm>(form) != is_null) continue;
      Reading reading = std::visit([&](const auto& known) { return read(known, node); }, form);
      if (auto* const leaf = std::get_if<YamlNode>(&reading)) return std::move(*leaf);
      if (wrong.empty()) wrong = std::get<std::string>(reading);
    }
  }
  if (wrong.empty()) {
    const std::string near = suggestion(schema, node);
    wrong = fmt::format("{} (expected {}{})", found(node), description({schema.forms, {}}),
                        near.empty() ? near : fmt::format("; did you mean {}?", near));
  }
  add_problem(problems, node.position, path, wrong);
  return node;
}

/// Reports only the first problem of a list.
YamlNode read_list(const Schema& schema, const YamlNode& node, const std::string& path,
                   YamlProblems& problems) {
  const Schema element = list_element(schema);
  const std::string expected = description({element.forms, schema.list});
  const std::size_t count = node.children.size(), before = problems.size();
  if (node.kind != YamlNode::Kind::list)
    add_problem(problems, node.position, path,
                fmt::format("{} (expected {})", found(node), expected));
  else if (count < schema.list->low || count > schema.list->high)
    add_problem(
        problems, node.position, path,
        fmt::format("found {} value{} (expected {})", count, count == 1 ? "" : "s", expected));
  YamlNode result = empty_node(YamlNode::Kind::list, node.position);
  std::set<std::string> texts;
  for (const YamlNode& child : node.children) {
    if (problems.size() > before || is_refused(child, path, problems)) break;
    const YamlNode& leaf = result.children.emplace_back(read_leaf(element, child, path, problems));
    if (leaf.quoted && problems.size() == before && !texts.insert(leaf.text).second)
      add_problem(problems, child.position, path,
                  fmt::format("found {} twice (expected each once)", leaf.text));
  }
  return result;
}

std::string under(const std::string& path) { return path.empty() ? "" : path + "."; }

YamlNode resolved_names(const NamesForm& form, const YamlNode& node, const std::string& path,
                        YamlProblems& problems) {
  YamlNode result = empty_node(YamlNode::Kind::map, node.position);
  for_each_key(
      node, under(path),
      [&](TextPosition position, const std::string& name, const std::string& what) {
        add_problem(problems, position, name, what);
      },
      [&](const std::string& name, const YamlNode& key, const YamlNode& value) {
        append_entry(result, key.text, resolved(*form.value, value, name, problems));
      });
  return result;
}

/// Reports keys that do not belong to the kind of a map, and missing keys that this kind requires.
void check_kind(const std::vector<KeyRow>& rows, const std::map<std::string, YamlNode>& given,
                const YamlNode& node, const std::string& path, YamlProblems& problems) {
  const auto at = std::ranges::find(rows, "kind", &KeyRow::name);
  if (at == rows.end()) return;
  const auto kind_given = given.find("kind");
  const std::string kind = kind_given == given.end() ? at->preset : kind_given->second.text;
  for (const KeyRow& row : rows) {
    const auto value = given.find(row.name);
    if (!row.belongs_to(kind) && value != given.end())
      add_problem(problems, value->second.position, under(path) + row.name,
                  fmt::format("does not apply to kind {} (it belongs to {})", kind,
                              alternatives(row.kinds)));
    if (!row.kinds.empty() && row.belongs_to(kind) && row.is_required() && value == given.end())
      add_problem(problems, node.position, under(path) + row.name,
                  fmt::format("missing (expected {})", description(row.type)));
  }
}

/// The lists of keys whose first key is present.
std::vector<const std::vector<KeyRow>*> choices_in(const MapForm& form, const YamlNode& node) {
  std::vector<const std::vector<KeyRow>*> found;
  for (const std::vector<KeyRow>& rows : form.choices)
    if (find_child(node, rows.front().name)) found.push_back(&rows);
  return found;
}

YamlNode resolved_map(const MapForm& form, const YamlNode& node, const std::string& path,
                      YamlProblems& problems) {
  YamlNode result = empty_node(YamlNode::Kind::map, node.position);
  const auto chosen = choices_in(form, node);
  const std::vector<KeyRow>& rows = chosen.empty() ? form.choices.back() : *chosen.front();
  std::vector<std::string> known = names_in(rows);
  if (chosen.empty() && form.is_meant)
    for (const std::vector<KeyRow>& other : form.choices) known.push_back(other.front().name);
  const auto add = [&](TextPosition position, const std::string& name, const std::string& what) {
    add_problem(problems, position, name, what);
  };
  if (!node.refused.empty() || node.kind != YamlNode::Kind::map) {
    add(node.position, path, fmt::format("expected a map with keys of {}", alternatives(known)));
    return result;
  }
  if (node.children.empty() && form.is_meant) {
    add(node.position, path, fmt::format("expected {}", form.description));
    return result;
  }
  if (chosen.size() > 1) {
    std::string keys;
    for (const std::vector<KeyRow>* const other : chosen)
      keys += (keys.empty() ? "" : " and ") + other->front().name;
    add(node.position, path,
        fmt::format("found {} (expected one of them: {})", keys, form.description));
    return result;
  }
  const std::size_t before = problems.size();
  std::set<std::string> words;  // keys that are given, or meant by misspelt ones
  std::map<std::string, YamlNode> given;
  for_each_key(node, under(path), add,
               [&](const std::string& name, const YamlNode& word, const YamlNode& value) {
                 words.insert(word.text);
                 const auto row = std::ranges::find(rows, word.text, &KeyRow::name);
                 const std::size_t count = problems.size();
                 if (row != rows.end()) {
                   YamlNode read = resolved(row->type, value, name, problems);
                   if (problems.size() == count) given.emplace(word.text, std::move(read));
                   return;
                 }
                 const std::string near = nearest_word(word.text, known, 0);
                 words.insert(near);
                 add(word.position, name,
                     near.empty() ? fmt::format("unknown key (expected {})", alternatives(known))
                                  : fmt::format("unknown key (did you mean {}?)", near));
               });
  for (const KeyRow& row : rows)
    if (row.is_required() && row.kinds.empty() && !words.contains(row.name) &&
        (!chosen.empty() || !form.is_meant))
      add(node.position, under(path) + row.name,
          row.meaning.empty() ? "missing" : fmt::format("missing (expected {})", row.meaning));
  if (problems.size() == before) check_kind(rows, given, node, path, problems);
  for (const KeyRow& row : rows) {
    const YamlNode* const kind = find_child(result, "kind");
    if (const auto at = given.find(row.name);
        at != given.end() && !(row.preset_in_words && at->second.text == row.preset))
      append_entry(result, row.resolved_name.empty() ? row.name : row.resolved_name,
                   std::move(at->second));
    else if (!row.is_required() && !row.preset_in_words && row.belongs_to(kind ? kind->text : ""))
      append_entry(result, row.name, resolved_preset(row));
  }
  return result;
}

/// The resolved map; none if the form is no map, or if another form is meant.
std::optional<YamlNode> resolved_by(const Form& form, const YamlNode& node, const std::string& path,
                                    YamlProblems& problems) {
  if (const auto* const own = std::get_if<OwnForm>(&form)) return own->read(node, path, problems);
  if (const auto* const names = std::get_if<NamesForm>(&form)) {
    if (!node.children.empty() || names->otherwise.empty())
      return resolved_names(*names, node, path, problems);
    add_problem(problems, node.position, path, names->otherwise);
    return node;
  }
  if (const auto* const map = std::get_if<MapForm>(&form);
      map && (!map->is_meant || map->is_meant(node)))
    return resolved_map(*map, node, path, problems);
  return std::nullopt;
}

}  // namespace

YamlNode resolved_preset(const KeyRow& key) {
  YamlProblems none;
  return resolved(key.type, parse_yaml(key.preset).root, "", none);
}

YamlNode resolved(const Schema& schema, const YamlNode& node, const std::string& path,
                  YamlProblems& problems) {
  const Form& form = schema.forms.front();
  const auto* const map = std::get_if<MapForm>(&form);
  if (map && map->description.empty()) return resolved_map(*map, node, path, problems);
  if (is_refused(node, path, problems)) return node;
  if (const auto* const own = std::get_if<OwnForm>(&form)) return own->read(node, path, problems);
  if (const auto* const names = std::get_if<NamesForm>(&form);
      names && !names->otherwise.empty() &&
      (node.kind != YamlNode::Kind::map || node.children.empty())) {
    add_problem(problems, node.position, path, names->otherwise);
    return node;
  }
  if (node.kind == YamlNode::Kind::map)
    for (const Form& each : schema.forms)
      if (auto result = resolved_by(each, node, path, problems)) return std::move(*result);
  const bool single = !schema.list || (schema.or_single && node.kind != YamlNode::Kind::list);
  YamlNode result =
      single ? read_leaf(schema, node, path, problems) : read_list(schema, node, path, problems);
  if (single && schema.or_single && schema.list->low == 2) {  // one value stands for both
    YamlNode both = empty_node(YamlNode::Kind::list, node.position);
    both.children = {result, result};
    return both;
  }
  return result;
}

}  // namespace lapl
