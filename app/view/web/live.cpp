#include "app/view/web/live.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "app/view/report/html.hpp"
#include "app/view/terminal/watch_frame.hpp"
#include "page_files.hpp"

namespace lapl {

std::string live_page(const std::string& name) {
  return fmt::format(fmt::runtime(live_html), fmt::arg("name", html_escaped(name)),
                     fmt::arg("css", page_css), fmt::arg("script", live_js));
}

nlohmann::ordered_json live_state(const RunView& run, std::int64_t output, const std::string& log) {
  std::vector<std::string> facts = run_facts(run);
  facts.insert(facts.begin(), fmt::format("step {} of {}", run.step, run.steps));
  nlohmann::ordered_json state{{"status", run.status},
                               {"note", run.note},
                               {"step", run.step},
                               {"steps", run.steps},
                               {"facts", fmt::format("{}", fmt::join(facts, " · "))},
                               {"controlled", run.process > 0},
                               {"log", log},
                               {"output", nullptr}};
  if (output >= 0) state["output"] = output;
  return state;
}

}  // namespace lapl
