#include "app/view/report/mathml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "app/view/report/html.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;
using Texts = std::array<std::string_view, 2>;

constexpr std::string_view product_space = "<mspace width=\"0.2em\"></mspace>";

constexpr auto greek = std::to_array<Texts>(
    {{"alpha", "α"},  {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"},
     {"eps", "ε"},    {"zeta", "ζ"},  {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"},
     {"lambda", "λ"}, {"mu", "μ"},    {"nu", "ν"},    {"xi", "ξ"},    {"pi", "π"},
     {"rho", "ρ"},    {"sigma", "σ"}, {"tau", "τ"},   {"phi", "φ"},   {"chi", "χ"},
     {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Omega", "Ω"}});
constexpr auto signs = std::to_array<Texts>({{"<=", "≤"},
                                             {">=", "≥"},
                                             {"==", "="},
                                             {"!=", "≠"},
                                             {"<", "&lt;"},
                                             {">", "&gt;"},
                                             {"and", "∧"},
                                             {"or", "∨"},
                                             {"not", "¬"}});
// Functions that are written as an operator before their argument.
constexpr auto operators =
    std::to_array<Texts>({{"laplacian", "<msup><mo>∇</mo><mn>2</mn></msup>"},
                          {"biharmonic", "<msup><mo>∇</mo><mn>4</mn></msup>"},
                          {"gradient", "<mo>∇</mo>"},
                          {"divergence", "<mo>∇</mo><mo>·</mo>"},
                          {"integral", "<mo>∫</mo>"}});
// Functions that enclose their argument: {name, before, after}.
constexpr auto enclosing = std::to_array<std::array<std::string_view, 3>>(
    {{"abs", "|", "|"}, {"mean", "⟨", "⟩"}, {"floor", "⌊", "⌋"}});

std::string_view found_in(std::span<const Texts> table, std::string_view word) {
  const auto row = std::ranges::find(table, word, [](const Texts& texts) { return texts[0]; });
  return row == table.end() ? std::string_view() : (*row)[1];
}

// Parentheses stretch around fractions and the like alone: some fonts make others too large.
std::string in_parentheses(const std::string& text) {
  const bool tall = text.find("<mfrac") != text.npos || text.find("<mtable") != text.npos;
  const char* const style = tall ? "" : " stretchy=\"false\"";
  return fmt::format("<mrow><mo{0}>(</mo>{1}<mo{0}>)</mo></mrow>", style, text);
}

std::string name_mathml(const std::string& name) {
  const auto underscore = name.find('_');
  if (underscore != std::string::npos && underscore > 0 && underscore + 1 < name.size())
    return fmt::format("<msub>{}{}</msub>", name_mathml(name.substr(0, underscore)),
                       name_mathml(name.substr(underscore + 1)));
  const std::string_view letter = found_in(greek, name);
  return fmt::format("<mi>{}</mi>", letter.empty() ? html_escaped(name) : letter);
}

std::string number_mathml(double number) {
  const std::string text = fmt::format("{}", number);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return fmt::format("<mn>{}</mn>", text);
  return fmt::format("<mrow><mn>{}</mn><mo>×</mo><msup><mn>10</mn><mn>{}</mn></msup></mrow>",
                     text.substr(0, exponent), std::stoi(text.substr(exponent + 1)));
}

// How tightly an operator binds; as the grammar has it.
enum class Level { either, both, negation, comparison, sum, product, sign, applied, power, whole };

class Writer {
 public:
  using enum Level;

  explicit Writer(const Formula& formula) : formula_(formula) {}

  // The node, in parentheses if it binds less tightly than `least`.
  std::string at(int index, Level least) const {
    const FormulaNode& node = formula_.nodes[static_cast<std::size_t>(index)];
    const auto [level, text] = written(node);
    if (level >= least) return text;
    return in_parentheses(text);
  }

 private:
  std::pair<Level, std::string> written(const FormulaNode& node) const {
    const auto operand = [&](std::size_t i, Level least) { return at(node.operands[i], least); };
    const auto row = [](Level level, const auto&... parts) {
      return std::pair(level, "<mrow>" + (std::string(parts) + ...) + "</mrow>");
    };
    switch (node.kind) {
      case Kind::number: return {node.number < 0 ? sign : whole, number_mathml(node.number)};
      case Kind::name: return {whole, name_mathml(node.name)};
      case Kind::negative: return row(sign, "<mo>−</mo>", operand(0, sign));
      case Kind::sum: return row(sum, operand(0, sum), "<mo>+</mo>", operand(1, product));
      case Kind::difference: return row(sum, operand(0, sum), "<mo>−</mo>", operand(1, product));
      case Kind::product:
        return row(product, operand(0, is_open(node.operands[0]) ? whole : product), times(node),
                   operand(1, applied));
      case Kind::quotient:
        return {power, fmt::format("<mfrac>{}{}</mfrac>", operand(0, either), operand(1, either))};
      case Kind::power:
        return {power, fmt::format("<msup>{}{}</msup>", operand(0, whole), operand(1, either))};
      case Kind::comparison:
        return row(comparison, operand(0, sum), sign_mathml(node.name), operand(1, sum));
      case Kind::logic:
        if (node.operands.size() == 1)
          return row(negation, sign_mathml(node.name), operand(0, negation));
        return row(node.name == "or" ? either : both, operand(0, both), sign_mathml(node.name),
                   operand(1, negation));
      case Kind::call: return call(node);
    }
    return {whole, ""};
  }

  // True if what follows the node could be read as an argument of its last operator: a ∇u.
  bool is_open(int index) const {
    const FormulaNode& node = formula_.nodes[static_cast<std::size_t>(index)];
    if (node.kind == Kind::product) return is_open(node.operands[1]);
    return node.kind == Kind::call && written(node).first == applied;
  }

  // Between numbers a sign is needed, or 2 3 would be read as 23.
  std::string times(const FormulaNode& node) const {
    const FormulaNode& right = formula_.nodes[static_cast<std::size_t>(node.operands[1])];
    return right.kind == Kind::number ? "<mo>×</mo>" : std::string(product_space);
  }

  static std::string sign_mathml(const std::string& word) {
    return fmt::format("<mo>{}</mo>", found_in(signs, word));
  }

  std::pair<Level, std::string> call(const FormulaNode& node) const {
    const std::string& name = node.name;
    const auto operand = [&](std::size_t i, Level least) { return at(node.operands[i], least); };
    const std::size_t count = node.operands.size();
    if (count == 1) {
      if (const std::string_view before = found_in(operators, name); !before.empty())
        return {applied, fmt::format("<mrow>{}{}</mrow>", before, operand(0, applied))};
      for (const auto& [function, before, after] : enclosing)
        if (name == function)
          return {whole, fmt::format("<mrow><mo>{}</mo>{}<mo>{}</mo></mrow>", before,
                                     operand(0, either), after)};
      if (name == "sqrt") return {whole, fmt::format("<msqrt>{}</msqrt>", operand(0, either))};
      if (name == "exp")
        return {power, fmt::format("<msup><mi>e</mi>{}</msup>", operand(0, either))};
      if (name == "gradient_squared")
        return {power, fmt::format("<msup><mrow><mo>|</mo><mo>∇</mo>{}<mo>|</mo></mrow><mn>2</mn>"
                                   "</msup>",
                                   operand(0, power))};
      if (const std::string fraction = derivative(name); !fraction.empty())
        return {applied, fmt::format("<mrow>{}{}</mrow>", fraction, operand(0, applied))};
    }
    if (name == "where" && count == 3)
      return {whole,
              fmt::format("<mrow><mo>{{</mo><mtable columnalign=\"left\"><mtr><mtd>{}</mtd><mtd>"
                          "<mtext>if </mtext>{}</mtd></mtr><mtr><mtd>{}</mtd><mtd><mtext>else"
                          "</mtext></mtd></mtr></mtable></mrow>",
                          operand(1, either), operand(0, either), operand(2, either))};
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list += (i == 0 ? "" : "<mo>,</mo>") + operand(i, either);
    return {whole, fmt::format("<mrow>{}{}</mrow>", name_mathml(name), in_parentheses(list))};
  }

  // d_dx, d2_dx2 and d2_dxdy as fractions; empty for other names.
  static std::string derivative(const std::string& name) {
    const auto d = [](char axis) { return fmt::format("<mo>∂</mo><mi>{}</mi>", axis); };
    if (name.size() == 4 && name.starts_with("d_d"))
      return fmt::format("<mfrac><mo>∂</mo><mrow>{}</mrow></mfrac>", d(name[3]));
    if (!name.starts_with("d2_d")) return "";
    constexpr std::string_view numerator = "<msup><mo>∂</mo><mn>2</mn></msup>";
    const std::string denominator =
        name.ends_with('2') ? fmt::format("<mo>∂</mo><msup><mi>{}</mi><mn>2</mn></msup>", name[4])
                            : d(name[4]) + d(name[6]);
    return fmt::format("<mfrac>{}<mrow>{}</mrow></mfrac>", numerator, denominator);
  }

  const Formula& formula_;
};

// Formulas of more nodes than this are shown as text.
constexpr std::size_t most_nodes = 400;

// One equation; `left` is MathML.
std::string equation_html(const std::string& left, const char* relation, const FormulaText& right,
                          const std::string& name, const std::string& note = "") {
  std::string text;
  try {
    const Formula formula = right.parsed(name);
    if (formula.nodes.size() <= most_nodes) text = formula_mathml(formula);
  } catch (const FormulaError&) {  // the text is shown as it is
  }
  if (text.empty()) text = fmt::format("<mtext>{}</mtext>", html_escaped(right.text()));
  return fmt::format(
      "<div class=\"equation\"><math display=\"block\"><mrow>{}<mo>{}</mo>{}</mrow></math>{}</div>"
      "\n",
      left, relation, text, note.empty() ? "" : fmt::format("<span>{}</span>", note));
}

std::string rate_mathml(const std::string& field) {
  return fmt::format("<mfrac><mrow><mo>∂</mo>{}</mrow><mrow><mo>∂</mo><mi>t</mi></mrow></mfrac>",
                     name_mathml(field));
}

}  // namespace

std::string formula_mathml(const Formula& formula) {
  return Writer(formula).at(formula.whole(), Level::either);
}

std::string equations_html(const RunConfig& run) {
  const EquationConfig& equation = run.equation;
  std::string html;
  if (equation.kind == EquationKind::diffusion)
    html +=
        equation_html(rate_mathml(run.fields.front()), "=",
                      fmt::format("D * laplacian({})", run.fields.front()), "rate",
                      equation.coefficient   ? fmt::format("D dt / h² = {}", *equation.coefficient)
                      : equation.diffusivity ? fmt::format("D = {}", *equation.diffusivity)
                                             : "");
  for (const std::string& field : run.fields) {
    const auto rate = equation.rates.find(field);
    if (rate == equation.rates.end()) continue;
    const bool map = equation.maps.contains(field);
    html += equation_html(map ? name_mathml(field) : rate_mathml(field), map ? "←" : "=",
                          rate->second, field);
  }
  for (const SolveConfig& solve : equation.solves)
    html += equation_html(fmt::format("<mtext>{}</mtext>", html_escaped(solve.left.text())), "=",
                          solve.right, solve.field,
                          fmt::format("solved for {}", html_escaped(solve.field)));
  for (const auto& [name, formula] : equation.quantities)
    html += equation_html(name_mathml(name), "=", formula, name);
  for (const auto& [name, formula] : equation.after)
    html += equation_html(name_mathml(name), "←", formula, name, "after each step");
  std::string numbers;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind == ParameterConfig::Kind::number)
      numbers +=
          fmt::format("{}<math><mrow>{}<mo>=</mo>{}</mrow></math>", numbers.empty() ? "" : ", ",
                      name_mathml(name), number_mathml(parameter.number));
  return numbers.empty() ? html : html + "<p>with " + numbers + "</p>\n";
}

namespace {

// A condition of a side: words or equations, and the style of its line in page.css.
struct Side {
  std::string style;
  std::string text;
};

std::string condition_html(const SideCondition& condition, const std::string& field) {
  const std::string u = name_mathml(field);
  const std::string slope =
      fmt::format("<mfrac><mrow><mo>∂</mo>{}</mrow><mrow><mo>∂</mo><mi>n</mi></mrow></mfrac>", u);
  const auto formula = [](const FormulaText& text) {
    return formula_mathml(text.parsed("condition"));
  };
  const auto factor = [](const FormulaText& text) {
    const Formula parsed = text.parsed("condition");
    return Writer(parsed).at(parsed.whole(), Level::power) + std::string(product_space);
  };
  std::string left = u, right;
  if (condition.kind == ConditionKind::periodic) return html_escaped(field) + " periodic";
  switch (condition.kind) {
    case ConditionKind::derivative: left = slope; break;
    case ConditionKind::mixed: left = slope + "<mo>+</mo>" + factor(condition.factor) + u; break;
    case ConditionKind::absorbing:
      left = rate_mathml(field) + "<mo>+</mo>" + factor(condition.value) + slope;
      right = "<mn>0</mn>";
      break;
    default: break;
  }
  if (right.empty()) right = formula(condition.value);
  return fmt::format("<math><mrow>{}<mo>=</mo>{}</mrow></math>", left, right);
}

Side side_html(const RunConfig& run, int axis, bool last) {
  Side side;
  for (const SideCondition& condition : run.conditions) {
    if (condition.of_mask || condition.axis != axis || condition.last != last) continue;
    side.text += (side.text.empty() ? "" : "<br>") +
                 condition_html(condition, condition.array.empty()
                                               ? (run.fields.size() == 1 ? run.fields.front() : "u")
                                               : condition.array);
    const bool is_value = condition.kind == ConditionKind::value ||
                          condition.kind == ConditionKind::value_at_face ||
                          condition.kind == ConditionKind::value_at_node;
    side.style = is_value                                    ? "value"
                 : condition.kind == ConditionKind::periodic ? "periodic"
                                                             : "flux";
  }
  if (!side.text.empty()) return side;
  const Boundary boundary = by_axis(run.boundaries)[static_cast<std::size_t>(axis)];
  return {boundary == Boundary::zero ? "value" : enum_name(boundary),
          boundary == Boundary::zero ? "0 just outside" : enum_name(boundary)};
}

}  // namespace

std::string boundaries_html(const RunConfig& run, bool first_row_below) {
  constexpr int planes = 0, rows = 1, columns = 2;
  const int axes = run.shape.axes;
  const Side left = side_html(run, columns, false), right = side_html(run, columns, true);
  std::string html;
  const auto label = [&](const char* place, const std::string& text) {
    html += fmt::format("<div class=\"side-{}\">{}</div>\n", place, text);
  };
  Side top, bottom;
  if (axes > 1) {
    top = side_html(run, rows, first_row_below);
    bottom = side_html(run, rows, !first_row_below);
  }
  label("top", top.text);
  label("left", left.text);
  html += fmt::format("<div class=\"box top-{} right-{} bottom-{} left-{}\"></div>\n", top.style,
                      right.style, bottom.style, left.style);
  label("right", right.text);
  label("bottom", bottom.text);
  html = "<div class=\"sides\">\n" + html + "</div>\n";
  if (axes == 3)
    html += fmt::format("<p>Along z: {} at first, {} at last.</p>\n",
                        side_html(run, planes, false).text, side_html(run, planes, true).text);
  return html;
}

}  // namespace lapl
