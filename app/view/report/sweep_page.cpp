#include "app/view/report/sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "app/view/plot/indexed_png.hpp"
#include "app/view/report/graphs.hpp"
#include "app/view/report/html.hpp"
#include "app/view/run_graphs.hpp"
#include "page_files.hpp"

namespace lapl {
namespace {

using Member = SweepPage::Member;

// More lines than this hide each other.
constexpr std::size_t most_lines = 60;

std::string linked(const Member& member, const std::string& html) {
  if (member.page.empty()) return html;
  return fmt::format("<a href=\"{}\">{}</a>", html_escaped(url_escaped(member.page)), html);
}

std::string panel_html(const Panel& panel, const Member* member) {
  const std::string label =
      panel.subtitle.empty() ? "" : "<small>" + html_escaped(panel.subtitle) + "</small>";
  if (panel.pixels.empty())
    return fmt::format("<span>{}</span> {}", html_escaped(panel.title), label);
  const std::string words =
      html_escaped(fmt::format("{} of {}, from {:.4g} to {:.4g}", panel.title, member->label,
                               panel.limits.low, panel.limits.high));
  const std::string picture =
      panel.line ? small_graph_html(panel, words)
                 : fmt::format(
                       "<img alt=\"{}\" width=\"{}\" height=\"{}\" "
                       "src=\"data:image/png;base64,{}\">",
                       words, panel.drawn.columns, panel.drawn.rows, base64(indexed_png(panel)));
  return linked(*member, picture) + label;
}

std::string sheet_html(const SweepPage::Sheet& sheet) {
  const SheetTexts& texts = sheet.texts;
  const std::size_t columns = texts.columns.size();
  std::string html = fmt::format(
      "<figure class=\"sheet\" style=\"--columns:{1}\"><figcaption><b>{0}</b></figcaption>"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n",
      html_escaped(texts.title), columns);
  if (!texts.across.empty()) {
    html += fmt::format(
        "<tr><td><th scope=\"colgroup\" colspan=\"{}\">{}</tr>\n<tr><th scope=\"col\">{}", columns,
        html_escaped(texts.across), html_escaped(texts.upwards));
    for (const std::string& column : texts.columns)
      html += fmt::format("<th scope=\"col\">{}", html_escaped(column));
    html += "</tr>\n";
  }
  const Panel* drawn = nullptr;
  for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
    if (i % columns == 0 && texts.upwards.empty()) html += "<tr><td>";
    if (i % columns == 0 && !texts.upwards.empty())
      html += fmt::format("<tr><th scope=\"row\">{}", html_escaped(texts.rows[i / columns]));
    html += "<td>" + panel_html(sheet.panels[i], sheet.members[i]);
    if (i % columns + 1 == columns || i + 1 == sheet.panels.size()) html += "</tr>\n";
    if (!sheet.panels[i].pixels.empty()) drawn = &sheet.panels[i];
  }
  html += "</table></div>";
  if (drawn && !drawn->line) html += color_bar_html(*drawn, 5);
  return html + "</figure>\n";
}

// The members whose lines are drawn: at most most_lines, evenly chosen.
std::vector<std::size_t> drawn_members(const SweepPage& content) {
  std::vector<std::size_t> with_lines, chosen;
  for (std::size_t i = 0; i < content.members.size(); ++i)
    if (!content.members[i].run.diagnostics.empty()) with_lines.push_back(i);
  const std::size_t count = std::min(with_lines.size(), most_lines);
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(count < 2 ? with_lines[i]
                               : with_lines[i * (with_lines.size() - 1) / (count - 1)]);
  return chosen;
}

// Graphs by title, in the order in which members have them.
class Graphs {
 public:
  void add(const std::string& title, const GraphUnits& units, GraphLine line) {
    const auto [place, is_new] = places_.emplace(title, titles_.size());
    if (is_new) {
      titles_.push_back(title);
      units_.push_back(units);
      lines_.emplace_back();
    }
    lines_[place->second].push_back(std::move(line));
  }
  std::string html() const {
    std::string html;
    for (std::size_t i = 0; i < titles_.size(); ++i)
      html += graph_html(titles_[i], units_[i], lines_[i]);
    return html;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> titles_;
  std::vector<GraphUnits> units_;
  std::vector<std::vector<GraphLine>> lines_;
};

std::string graphs_html(const SweepPage& content) {
  const std::vector<std::size_t> drawn = drawn_members(content);
  Graphs graphs;
  std::vector<std::vector<RunGraph>> shown;  // the lines refer to them
  for (const std::size_t i : drawn) {
    const Member& member = content.members[i];
    const std::string style = hue_style(i, content.members.size());
    for (const RunGraph& graph : shown.emplace_back(run_graphs(member.run, member.probes)))
      for (const RunColumn& column : graph.columns)
        graphs.add(html_escaped(column.title), {graph.unit, member.run.units.time},
                   {html_escaped(member.label), style, graph.lines->steps, graph.lines->times,
                    column.values});
  }
  const std::size_t all = content.members.size();
  return fmt::format(
      "<p class=\"remark\">{} of {} members{}.</p>\n<div class=\"graphs\">\n{}</div>\n",
      drawn.size(), all, drawn.size() > 1 ? ", from the first in blue to the last in red" : "",
      graphs.html());
}

std::string table_html(const SweepPage& content) {
  std::vector<std::string> results;  // in the order in which members have them
  std::vector<std::map<std::string, double>> found;
  for (const Member& member : content.members) {
    std::map<std::string, double>& values = found.emplace_back();
    if (member.run.diagnostics.empty()) continue;
    const DiagnosticsLine& last = member.run.diagnostics.back();
    const auto add = [&](const std::string& name, double value) {
      if (std::ranges::count(results, name) == 0) results.push_back(name);
      values[name] = value;
    };
    for (std::size_t field = 0; field < member.run.fields.size(); ++field) {
      const Statistics& of = last.fields[field];
      const std::string name = member.run.field_name(field);
      add(name + " min", of.min);
      add(name + " max", of.max);
      add(name + " mean", of.mean);
    }
    for (std::size_t i = 0; i < member.run.integrals.size(); ++i)
      add(member.run.integrals[i], last.integrals[i]);
  }
  std::string html = "<thead><tr>";
  for (const std::string& key : content.keys)
    html += fmt::format("<th scope=\"col\">{}", html_escaped(key));
  html += "<th scope=\"col\">status<th scope=\"col\">step";
  for (const std::string& name : results)
    html += fmt::format("<th scope=\"col\">{}", html_escaped(name));
  html += "<th scope=\"col\">state digest<th scope=\"col\">note</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < content.members.size(); ++i) {
    const Member& member = content.members[i];
    html += "<tr>";
    for (std::size_t key = 0; key < member.values.size(); ++key)
      html += "<td>" + (key == 0 ? linked(member, html_escaped(member.values[key]))
                                 : html_escaped(member.values[key]));
    html += fmt::format(
        "<td><span class=\"{0}\">{0}</span><td>{1}", html_escaped(member.run.status),
        member.run.steps > 0 ? fmt::format("{} of {}", member.run.step, member.run.steps) : "");
    for (const std::string& name : results) {
      const auto value = found[i].find(name);
      html += value == found[i].end() ? "<td>" : fmt::format("<td>{:.6g}", value->second);
    }
    html += fmt::format("<td>{}<td>{}</tr>\n", html_escaped(member.run.digest_at(member.run.step)),
                        html_escaped(member.run.note));
  }
  return html + "</tbody>\n";
}

}  // namespace

std::string sweep_page(const SweepPage& content) {
  std::string sheets;
  for (const SweepPage::Sheet& sheet : content.sheets) sheets += sheet_html(sheet);
  return fmt::format(
      fmt::runtime(sweep_html), fmt::arg("name", html_escaped(content.name)),
      fmt::arg("generator", html_escaped(content.generator)), fmt::arg("css", page_css),
      fmt::arg("counts", html_escaped(content.counts)), fmt::arg("sheets", sheets),
      fmt::arg("sheets_remark", html_escaped(content.sheets_remark)),
      fmt::arg("table", table_html(content)), fmt::arg("graphs", graphs_html(content)));
}

}  // namespace lapl
