#include "app/view/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "app/view/report/graphs.hpp"
#include "app/view/report/html.hpp"
#include "io/readers/quantities.hpp"
#include "page_files.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/complex_parts.hpp"

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

std::string graphs_html(const RunView& run) {
  if (run.diagnostics.empty()) return "<p>There are none yet.</p>\n";
  using At = const DiagnosticsLine&;
  const OutputTimes history(run);
  const std::string& time = run.units.time;
  const auto line = [&](const char* name, const char* style, const auto& value) {
    GraphLine added{name, fmt::format("class=\"{}\"", style), history.steps, history.times, {}};
    std::ranges::transform(run.diagnostics, std::back_inserter(added.values), value);
    return added;
  };
  std::string html;
  for (std::size_t field = 0; field < run.fields.size(); ++field) {
    const auto of = [field](double Statistics::*member) {
      return [field, member](At at) { return at.fields[field].*member; };
    };
    const std::string name = html_escaped(run.field_title(field));
    html += graph_html(
        name, {run.labels[field].unit, time},
        {line("max", "max", of(&Statistics::max)), line("mean", "mean", of(&Statistics::mean)),
         line("min", "min", of(&Statistics::min))});
    // Neither says much of the real or the imaginary part alone.
    if (run.config && !complex_parent(*run.config, run.config->fields[field]).empty()) continue;
    html +=
        graph_html("Mass of " + name, {"", time}, {line("mass", "min", of(&Statistics::mass))}) +
        graph_html("L2 norm of " + name, {"", time}, {line("l2", "min", of(&Statistics::l2))});
  }
  for (std::size_t i = 0; i < run.integrals.size(); ++i)
    html += graph_html(column_title(run.integrals[i]), {column_unit(run, i), time},
                       {line("value", "min", [i](At at) { return at.integrals[i]; })});
  return html + graph_html("Cells per second", {"", time}, {line("speed", "min", [](At at) {
                             // The first output precedes all steps, so it has no speed.
                             return at.cells_per_second > 0
                                        ? at.cells_per_second
                                        : std::numeric_limits<double>::quiet_NaN();
                           })});
}

// A graph for each field, with a line for each probe.
std::string probes_html(const ReportContent& content) {
  const ProbeTable& probes = content.probes;
  if (probes.steps.empty()) return "";
  std::string html = "<h3>Probes</h3>\n<div class=\"graphs\">\n";
  const std::size_t fields = std::max<std::size_t>(content.run.fields.size(), 1);
  const std::size_t count = probes.names.size() / fields;
  for (std::size_t field = 0; field < fields; ++field) {
    std::vector<GraphLine> lines;
    for (std::size_t probe = 0; probe < count; ++probe) {
      const std::size_t column = probe * fields + field;
      lines.push_back({html_escaped(probes.names[column]), hue_style(probe, count), probes.steps,
                       probes.times, probes.values[column]});
    }
    const RunView& run = content.run;
    html += graph_html(html_escaped(run.field_title(field)) + " at probes",
                       {field < run.labels.size() ? run.labels[field].unit : "", run.units.time},
                       lines);
  }
  return html + "</div>\n";
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
  return fmt::format(
      fmt::runtime(page_html), fmt::arg("name", html_escaped(run.name)),
      fmt::arg("generator", html_escaped(content.generator)), fmt::arg("css", page_css),
      fmt::arg("script", page_js), fmt::arg("status", html_escaped(run.status)),
      fmt::arg("note", html_escaped(run.note)), fmt::arg("facts", facts_html(run)),
      fmt::arg("pictures_remark", pictures_remark(content)),
      fmt::arg("last_index", content.steps.size() - 1), fmt::arg("steps", steps),
      fmt::arg("equations", content.equations), fmt::arg("boundaries", content.boundaries),
      fmt::arg("graphs", graphs_html(run)), fmt::arg("probes", probes_html(content)),
      fmt::arg("parts", parts_html(run)), fmt::arg("outputs_head", outputs_head(run)),
      fmt::arg("outputs", outputs_html(run)), fmt::arg("config", config_html(content.config)),
      fmt::arg("provenance", provenance_html(content.provenance)),
      fmt::arg("commands", html_escaped(content.commands)),
      fmt::arg("citation", html_escaped(content.citation)));
}

}  // namespace lapl
