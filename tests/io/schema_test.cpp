// A validator that uses the schema of configs accepts what the program accepts.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "config_helpers.hpp"
#include "io/config/config_number.hpp"
#include "io/config/yaml_tree.hpp"
#include "io/filters/filter_job.hpp"

namespace lapl {
namespace {

using Json = nlohmann::json;

Json json_from(const YamlNode& node) {
  Json json;
  switch (node.kind) {
    case YamlNode::Kind::null: break;
    case YamlNode::Kind::scalar: {
      const NumberText number = read_number(node.text);
      if (node.quoted || !number.real) {
        if (node.text == "true" || node.text == "false") return node.text == "true";
        return node.text;
      }
      if (number.integer) return *number.integer;
      return *number.real;
    }
    case YamlNode::Kind::list:
      json = Json::array();
      for (const YamlNode& child : node.children) json.push_back(json_from(child));
      break;
    case YamlNode::Kind::map:
      json = Json::object();
      for_each_entry(node, [&](const std::string& key, const YamlNode& value) {
        json[key] = json_from(value);
      });
  }
  return json;
}

bool is_of_type(const std::string& type, const Json& value) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
         (type == "integer" && value.is_number_integer()) ||
         (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
}

bool is_valid(const Json& schema, const Json& value);

const Json& whole_schema() {
  static const Json schema = Json::parse(config_schema());
  return schema;
}

bool is_valid_map(const Json& schema, const Json& map) {
  const Json known = schema.value("properties", Json::object());
  const Json others = schema.value("additionalProperties", Json(true));
  for (const auto& [key, value] : map.items()) {
    if (known.contains(key) ? !is_valid(known.at(key), value) : !is_valid(others, value))
      return false;
    if (schema.contains("propertyNames") && !is_valid(schema.at("propertyNames"), key))
      return false;
  }
  for (const Json& key : schema.value("required", Json::array()))
    if (!map.contains(key.get<std::string>())) return false;
  return true;
}

// A validator for the keywords that the schema uses.
bool is_valid(const Json& schema, const Json& value) {
  if (schema.is_boolean()) return schema.get<bool>();
  const auto is_right = [&](const Json& type) {
    return is_of_type(type.get<std::string>(), value);
  };
  if (schema.contains("type")) {
    const Json& type = schema.at("type");
    if (type.is_array() ? std::none_of(type.begin(), type.end(), is_right) : !is_right(type))
      return false;
  }
  if (schema.contains("$ref")) {
    const std::string name = schema.at("$ref").get<std::string>();
    REQUIRE(name.starts_with("#/"));
    if (!is_valid(whole_schema().at(Json::json_pointer(name.substr(1))), value)) return false;
  }
  if (schema.contains("not") && is_valid(schema.at("not"), value)) return false;
  if (schema.contains("const") && value != schema.at("const")) return false;
  if (schema.contains("enum")) {
    const Json& words = schema.at("enum");
    if (std::find(words.begin(), words.end(), value) == words.end()) return false;
  }
  if (schema.contains("anyOf")) {
    const Json& any = schema.at("anyOf");
    if (std::none_of(any.begin(), any.end(), [&](const Json& one) { return is_valid(one, value); }))
      return false;
  }
  for (const Json& each : schema.value("allOf", Json::array()))
    if (is_valid(each.at("if"), value) && !is_valid(each.at("then"), value)) return false;
  if (value.is_number()) {
    const double number = value.get<double>();
    if (schema.contains("minimum") && number < schema.at("minimum").get<double>()) return false;
    if (schema.contains("maximum") && number > schema.at("maximum").get<double>()) return false;
    if (schema.contains("exclusiveMinimum") &&
        number <= schema.at("exclusiveMinimum").get<double>())
      return false;
  }
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(),
                         std::regex(schema.at("pattern").get<std::string>())))
    return false;
  if (value.is_array()) {
    if (value.size() < schema.value("minItems", std::size_t{0}) ||
        value.size() > schema.value("maxItems", value.size()))
      return false;
    for (const Json& item : value)
      if (schema.contains("items") && !is_valid(schema.at("items"), item)) return false;
  }
  return !value.is_object() || is_valid_map(schema, value);
}

bool schema_accepts(const std::string& text) {
  const YamlDocument document = parse_yaml(text);
  REQUIRE(!document.problem);
  return is_valid(whole_schema(), json_from(document.root));
}

}  // namespace

TEST_CASE("the schema accepts every config that comes with the program") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(LAPL_SOURCE_DIR "/configs")) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".yaml" || path.parent_path().filename() == "filters") continue;
    CAPTURE(path.string());
    std::ifstream file(path);
    CHECK(schema_accepts({std::istreambuf_iterator<char>(file), {}}));
    ++count;
  }
  CHECK(count > 20);
}

TEST_CASE("the schema and the program agree about conditions") {
  struct Row {
    std::string boundary;
    bool accepted;
    std::string another_rate = "";
  };
  const std::string value = ", value: laplacian(value)";  // a field with the name of a condition
  const Row rows[] = {
      {"{value: 0, u: 1, v: 1}", true, value},
      {"{u: 1, v: 0, value: insulated}", true, value},
      {"{x: {u: 1, v: 1, value: {derivative: 2}}, y: periodic}", true, value},
      {"{x: {left: {v: 1, value: 3, u: 2}, right: 0}}", true, value},
      {"{value: 1, derivative: 2}", false, value},
      {"{value: 1, dirichlet: 2}", false},
      {"{x: {value: 1, dirichlet: 2}}", false},
      {"{left: {value: 1, derivative: 2}}", false},
      {"{left: {value: 1, at: edge}}", false},
      {"periodic", true},
      {"1", true},
      {"neumann", true},
      {"reflecting", false},
      {"{value: 1}", true},
      {"{value: 1, at: face}", true},
      {"{at: node, dirichlet: t}", true},
      {"{value: 1, at: middle}", false},
      {"{x: {left: 1, right: {derivative: 0}}, y: periodic}", true},
      {"{left: 1, right: insulated, y: {robin: {value: 1, factor: 2}}}", true},
      {"{left: periodic, right: 1}", false},
      {"{x: {mixed: {value: 1, facter: 2}}}", false},
      {"{x: {mixed: {factor: 2, value: t}}}", true},
      {"{x: {u: 1, v: {value: 2, at: face}}, y: periodic}", true},
      {"{rows: {first: {u: insulated, v: zero}, last: neumann}}", true},
      {"{rows: {first: {u: insulated, v: [0]}, last: neumann}}", false},
      {"{u: {value: 1}, v: insulated}", true},
      {"{u: {value: 1, derivative: 1}, v: insulated}", false},
      {"{x: [1]}", false},
      {"{x: reflecting}", false},
  };
  for (const Row& row : rows) {
    const std::string text = "grid: {shape: [12, 16]}\nboundary: " + row.boundary +
                             "\nequation: {u: laplacian(u), v: laplacian(v)" + row.another_rate +
                             "}\ninitial: 0\n"
                             "time: {step: 0.1, steps: 10}\n";
    const std::string mistakes = mistakes_in(text);
    CAPTURE(mistakes);
    CAPTURE(row.boundary);
    CHECK((mistakes == "accepted") == row.accepted);
    CHECK(schema_accepts(text) == row.accepted);
  }
}

TEST_CASE("the schema of lapl filter has its keys, and those of each filter") {
  const auto schema = nlohmann::json::parse(filter_job_schema());
  for (const char* section : {"input", "output", "filter", "filters", "covariance", "compute"})
    CHECK(schema["properties"].contains(section));
  CHECK(schema["properties"]["filter"]["properties"].contains("kernel"));
  CHECK(schema["properties"]["filters"]["items"]["properties"].contains("sigma"));
}

TEST_CASE("the schema has each form once, so that editors load it at once") {
  CHECK(config_schema().size() < 112'000);
}

}  // namespace lapl
