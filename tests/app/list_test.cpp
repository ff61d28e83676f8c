// lapl list shows everything that configs and the command line accept by name.
#include <nlohmann/json.hpp>

#include "io/config/config.hpp"
#include "solver/equation/formula.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

std::vector<std::string> names_in(const nlohmann::json& items) {
  std::vector<std::string> names;
  for (const nlohmann::json& item : items) {
    names.push_back(item["name"]);
    CHECK(item["summary"].get<std::string>().size() >= 3);
  }
  return names;
}

// The words that a key accepts, from the schema.
std::vector<std::string> schema_words(const nlohmann::json& schema, const std::string& section,
                                      const std::string& entry) {
  const nlohmann::json& map = schema["properties"][section];
  return (map.contains("anyOf") ? map["anyOf"][0] : map)["properties"][entry]["enum"];
}

}  // namespace

TEST_CASE("list: the names are those that the config takes") {
  const Sandbox sandbox;
  const nlohmann::json all = nlohmann::json::parse(run_lapl({"list", "--json"}).out);
  const nlohmann::json schema = nlohmann::json::parse(lapl::config_schema());
  CHECK(names_in(all["initial"]) == schema_words(schema, "initial", "kind"));
  auto engines = names_in(all["engines"]);
  engines.insert(engines.begin(), "auto");
  CHECK(engines == schema_words(schema, "compute", "engine"));
  auto boundaries = names_in(all["boundaries"]);
  CHECK(boundaries.size() == 9);
  boundaries.resize(3);
  CHECK(boundaries == std::vector<std::string>{"zero", "insulated", "periodic"});
  CHECK(names_in(all["schemes"]) == schema_words(schema, "time", "scheme"));
  CHECK(names_in(all["functions"]).size() == lapl::formula_functions.size());
  CHECK(has(run_lapl({"list", "functions"}).out, "\n  laplacian(e, [isotropic or 4])\n"));
  CHECK(names_in(all["filters"]).size() == 5);
  CHECK(names_in(all["colormaps"]).size() == 12);
  CHECK(names_in(all["backends"]) == std::vector<std::string>{"cpu", "cuda"});
}

TEST_CASE("list: engines and backends said to run here do run, and all others have a reason" *
          doctest::test_suite("without_cuda")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const nlohmann::json all = nlohmann::json::parse(run_lapl({"list", "--json"}).out);
  for (const nlohmann::json& engine : all["engines"]) {
    CAPTURE(engine.dump());
    const Outcome run = run_lapl({"run", "c.yaml", "--overwrite", "--set",
                                  "compute.engine=" + engine["name"].get<std::string>()});
    CHECK((run.code == 0) == engine["available"].get<bool>());
    if (run.code != 0)
      CHECK(run.err.find(engine["why_not"].get<std::string>()) != std::string::npos);
  }
  const Outcome text = run_lapl({"list", "engines"});
  CHECK(text.out.find("blocked") != std::string::npos);
  CHECK(text.out.find("viridis") == std::string::npos);
  CHECK(run_lapl({"list", "nonsense"}).code == 2);
}
