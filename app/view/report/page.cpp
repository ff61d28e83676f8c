#include "app/view/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/view/report/graphs.hpp"
#include "app/view/report/html.hpp"
#include "app/view/run_graphs.hpp"
#include "io/readers/quantities.hpp"
#include "page_files.hpp"

namespace lapl {
namespace {

std::string fact(const std::string& name, const std::string& value) {
  if (value.empty()) return "";
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, html_escaped(value));
}

std::string facts_html(const RunView& run) {
  return fact("step", fmt::format("{} of {}", run.step, run.steps)) +
         fact("state digest", run.digest_at(run.step)) +
         fact("grid", fmt::format("{}, {}", shape_text(run.shape), run.precision)) +
         fact("engine", run.engine) + fact("device", run.device) + fact("host", run.host) +
         fact("started", run.started) +
         fact("speed", run.cells_per_second > 0 ? cell_rate(run.cells_per_second) : "");
}

std::string step_html(const ReportStep& step, const std::string& time_unit) {
  const std::string when =
      html_escaped(with_unit(fmt::format("step {}, t = {:.6g}", step.step, step.time), time_unit));
  std::string html = fmt::format(
      "<div class=\"step\" id=\"step={0}\" data-step=\"{0}\" data-time=\"{2}\" data-when=\"{1}\">"
      "<h3>{1}</h3><div class=\"pictures\">\n",
      step.step, when, step.time);
  for (const Panel& panel : step.panels) html += picture_html(panel, when);
  return html + "</div></div>\n";
}

// Some of the graphs: those of the outputs, or those at probes.
std::string graphs_html(const std::vector<RunGraph>& graphs, bool at_probes,
                        const std::string& time) {
  std::string html;
  for (const RunGraph& graph : graphs) {
    if (graph.at_probes != at_probes || graph.of_part) continue;
    std::vector<GraphLine> lines;
    const std::size_t count = graph.columns.size();
    for (const RunColumn& column : graph.columns)
      lines.push_back({html_escaped(column.label),
                       at_probes ? hue_style(lines.size(), count)
                                 : fmt::format("class=\"{}\"", count == 1 ? "min" : column.label),
                       graph.lines->steps, graph.lines->times, column.values});
    html += graph_html(html_escaped(graph.title), {graph.unit, time}, lines);
  }
  if (!at_probes) return html.empty() ? "<p>There are none yet.</p>\n" : html;
  return html.empty() ? "" : "<h3>Probes</h3>\n<div class=\"graphs\">\n" + html + "</div>\n";
}

std::string outputs_head(const RunView& run) {
  std::string html;
  for (const std::string& field : run.fields)
    for (const char* what : {"min", "max", "mean"})
      html += fmt::format("<th scope=\"col\">{}",
                          html_escaped(field.empty() ? what : fmt::format("{} {}", field, what)));
  return html;
}

std::string outputs_html(const RunView& run) {
  std::string html;
  for (const DiagnosticsLine& at : run.diagnostics) {
    html += fmt::format("<tr><td>{}<td>{:.6g}", at.step, at.time);
    for (const Statistics& s : at.fields)
      html += fmt::format("<td>{:.6g}<td>{:.6g}<td>{:.6g}", s.min, s.max, s.mean);
    html += fmt::format("<td>{}</tr>\n", html_escaped(run.digest_at(at.step)));
  }
  return html;
}

// A dotted key; the line may break after the dot.
std::string key_html(const std::string& key) {
  std::string html = html_escaped(key);
  if (const auto dot = html.find('.'); dot != std::string::npos) html.insert(dot + 1, "<wbr>");
  return html;
}

std::string config_html(const std::vector<ResolvedKey>& keys) {
  std::string html;
  for (const ResolvedKey& key : keys)
    html += fmt::format("<tr><th scope=\"row\">{}<td>{}<td>{}</tr>\n", key_html(key.key),
                        html_escaped(key.value), html_escaped(key.origin));
  return html;
}

std::string provenance_html(const Provenance& provenance) {
  std::string html;
  for (const auto& [name, text] : provenance)
    if (name != "config" && !text.empty())  // the config has a table of its own
      html += fmt::format("<tr><th scope=\"row\">{}<td>{}</tr>\n", html_escaped(name),
                          html_escaped(text));
  return html;
}

// The chain of starts and resumes. A part without an end was killed, unless it is the one that
// runs.
std::string parts_html(const RunView& run) {
  std::string html;
  for (const RunPart& part : run.parts) {
    const bool runs = &part == &run.parts.back() && run.status == "running";
    const std::string end = !part.end.empty() ? part.end : runs ? "running" : "killed";
    html +=
        fmt::format("<tr><td>{}<td>{}<td>{} to {}<td>{}<td>{}<td>{}</tr>\n",
                    html_escaped(part.began), &part == &run.parts.front() ? "start" : "resume",
                    part.first, part.last, end, html_escaped(part.host), html_escaped(part.ranks));
  }
  return html;
}

std::string pictures_remark(const ReportContent& content) {
  if (content.steps.size() == content.outputs)
    return fmt::format("All {} outputs.", content.outputs);
  if (content.steps.size() == 1)
    return fmt::format("The newest of the {} outputs.", content.outputs);
  return fmt::format("{} of the {} outputs, evenly chosen.", content.steps.size(), content.outputs);
}

}  // namespace

std::string report_page(const ReportContent& content) {
  std::string steps;
  for (const ReportStep& step : content.steps) steps += step_html(step, content.run.units.time);
  const RunView& run = content.run;
  const std::vector<RunGraph> graphs = run_graphs(run, content.probes);
  return fmt::format(
      fmt::runtime(page_html), fmt::arg("name", html_escaped(run.name)),
      fmt::arg("generator", html_escaped(content.generator)), fmt::arg("css", page_css),
      fmt::arg("script", page_js), fmt::arg("status", html_escaped(run.status)),
      fmt::arg("note", html_escaped(run.note)), fmt::arg("facts", facts_html(run)),
      fmt::arg("pictures_remark", pictures_remark(content)),
      fmt::arg("last_index", content.steps.size() - 1), fmt::arg("steps", steps),
      fmt::arg("equations", content.equations), fmt::arg("boundaries", content.boundaries),
      fmt::arg("graphs", graphs_html(graphs, false, run.units.time)),
      fmt::arg("probes", graphs_html(graphs, true, run.units.time)),
      fmt::arg("parts", parts_html(run)), fmt::arg("outputs_head", outputs_head(run)),
      fmt::arg("outputs", outputs_html(run)), fmt::arg("config", config_html(content.config)),
      fmt::arg("provenance", provenance_html(content.provenance)),
      fmt::arg("commands", html_escaped(content.commands)),
      fmt::arg("citation", html_escaped(content.citation)));
}

}  // namespace lapl
