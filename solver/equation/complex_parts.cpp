#include "solver/equation/complex_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "solver/equation/discretise.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;
using PartNode = std::optional<int>;  // a node of the new formula; none: 0

struct NodePair {
  PartNode re, im;
};

// Writes the real and the imaginary part of each node of a formula into one new formula.
class PartsWriter {
 public:
  PartsWriter(ComplexFormulas& formulas, const Formula& from) : formulas_(formulas), from_(from) {}

  ComplexParts of_whole() {
    const NodePair whole = of(from_.whole());
    std::array<std::map<std::size_t, std::string>, 2> draws;
    ComplexParts parts;
    for (const std::size_t which : {0, 1})
      if (const PartNode root = which == 0 ? whole.re : whole.im)
        parts[which] = reached_from(*root, draws[which]);
    for (const auto& [at, name] : draws[0])
      if (draws[1].contains(at))
        throw FormulaError(
            at, name +
                    " is read by the real and by the imaginary part, each of which would draw "
                    "numbers of its own (expected one in each part, or a quantity for it: in "
                    "equation.let for noise, in initial.let for random)");
    return parts;
  }

 private:
  NodePair of(int at) {
    if (const auto known = known_.find(at); known != known_.end()) return known->second;
    const Deeper deeper(formulas_.depth, from_.nodes[at]);
    const NodePair pair = made(from_.nodes[at]);
    return known_[at] = pair;
  }

  NodePair made(const FormulaNode& node) {
    const auto operand = [&](std::size_t which) { return of(node.operands[which]); };
    at_ = node.at;
    switch (node.kind) {
      case Kind::number: return {copy(node, {}), {}};
      case Kind::name: return name(node);
      case Kind::negative: {
        const NodePair a = operand(0);
        at_ = node.at;
        return {negative(a.re), negative(a.im)};
      }
      case Kind::sum:
      case Kind::difference:
      case Kind::product:
      case Kind::quotient: {
        const NodePair a = operand(0), b = operand(1);
        at_ = node.at;
        return node.kind == Kind::sum ? NodePair{sum(a.re, b.re), sum(a.im, b.im)}
               : node.kind == Kind::difference
                   ? NodePair{difference(a.re, b.re), difference(a.im, b.im)}
               : node.kind == Kind::product ? product(a, b)
                                            : quotient(a, b);
      }
      case Kind::power: return power(node);
      case Kind::call: return call(node);
      default: return all_real(node);
    }
  }

  NodePair name(const FormulaNode& node) {
    if (node.name == "i") return {{}, number(1)};
    if (formulas_.is_complex_field(node.name)) return named(node, {true, true});
    if (!formulas_.is_quantity(node.name)) return {copy(node, {}), {}};
    const ComplexParts& parts = formulas_.quantity(node.name);
    if (!parts[1]) return {copy(node, {}), {}};
    return named(node, {parts[0].has_value(), true});
  }
  NodePair named(FormulaNode node, std::array<bool, 2> has) {
    const auto names = part_names(node.name);
    std::array<PartNode, 2> parts;
    for (const std::size_t which : {0, 1}) {
      node.name = names.at(which);
      if (has.at(which)) parts.at(which) = copy(node, {});
    }
    return {parts[0], parts[1]};
  }

  // |z|^n for even n is a power of re^2 + im^2, without a root.
  NodePair power(const FormulaNode& node) {
    const int base_at = node.operands[0];
    const FormulaNode& base = from_.nodes[base_at];
    const auto exponent = integer_exponent(from_, node.operands[1]);
    const bool of_magnitude = base.kind == Kind::call && base.name == "abs" &&
                              base.operands.size() == 1 && exponent && *exponent > 0 &&
                              *exponent % 2 == 0;
    if (of_magnitude)
      if (const NodePair z = of(base.operands[0]); z.im) {
        at_ = node.at;
        return {power_node(square_of_magnitude(z), *exponent / 2), {}};
      }
    const NodePair z = of(base_at);
    if (!z.im) return all_real(node);
    at_ = node.at;
    if (!exponent)
      throw FormulaError(node.at,
                         "^ of a complex value (expected an integer exponent of at most 64)");
    if (*exponent == 0) return {number(1), {}};
    const NodePair result =
        power_by_squaring(z, std::abs(*exponent),
                          [&](const NodePair& a, const NodePair& b) { return product(a, b); });
    return *exponent > 0 ? result : quotient({number(1), {}}, result);
  }

  NodePair call(const FormulaNode& node) {
    static const std::set<std::string_view> of_one = {"re",  "im",  "conj",           "arg",
                                                      "abs", "exp", "gradient_energy"};
    if (of_one.contains(node.name)) {
      const bool is_new = formula_function(node.name) == nullptr;
      if (is_new && node.operands.size() != 1)
        throw FormulaError(node.at, fmt::format("{} of {} arguments (expected {}(a))", node.name,
                                                node.operands.size(), node.name));
      if (node.operands.size() == 1)
        if (const NodePair z = of(node.operands[0]); z.im || is_new) {
          at_ = node.at;
          return applied(node.name, z);
        }
    }
    if (is_of_parts(node)) return part_by_part(node);
    if (node.name == "where" && node.operands.size() == 3) return choice(node);
    return all_real(node);
  }

  NodePair applied(std::string_view name, const NodePair& z) {
    if (name == "re") return {whole(z.re), {}};
    if (name == "im") return {whole(z.im), {}};
    if (name == "conj") return {z.re, negative(z.im)};
    if (name == "arg") return {function("atan2", {whole(z.im), whole(z.re)}), {}};
    if (name == "abs")
      return {z.re ? function("sqrt", {square_of_magnitude(z)}) : function("abs", {*z.im}), {}};
    if (name == "exp") {
      const int size = z.re ? function("exp", {*z.re}) : -1;
      const auto times = [&](int turn) {
        return z.re ? joined(Kind::product, size, turn) : PartNode(turn);
      };
      return {times(function("cos", {*z.im})), times(function("sin", {*z.im}))};
    }
    const PartNode im = function("gradient_energy", {*z.im});
    return {z.re ? sum(function("gradient_energy", {*z.re}), im) : im, {}};
  }

  // Operators that act on one argument, the first or, of upwind and advect, the last expression,
  // and on each of its parts alike.
  static bool is_of_parts(const FormulaNode& node) {
    const FormulaFunction* const function = formula_function(node.name);
    return (function && function->kind == FormulaFunction::Kind::stencil &&
            !node.name.starts_with("gradient_") && node.name != "harmonic" &&
            node.name != "tensor" && node.name != "flux") ||
           node.name == "mean" || node.name == "integral" || node.name == "value_at";
  }
  NodePair part_by_part(const FormulaNode& node) {
    const bool carries = node.name == "upwind" || node.name == "advect" || node.name == "convolve";
    const std::size_t after = is_by_weno(from_, node) ? 1 : 0;
    const std::size_t acted_on = carries ? node.operands.size() - 1 - after : 0;
    std::vector<int> operands;
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      if (i != acted_on) operands.push_back(real(node.operands[i], node));
    const NodePair z = of(node.operands[acted_on]);
    at_ = node.at;
    if (!z.re && !z.im) return {copy(node, {number(0)}), {}};
    const std::function<PartNode(PartNode)> of_part = [&](PartNode part) -> PartNode {
      if (!part) return {};
      // With a complex D, a part of D * gradient(e) is a sum of two products, so it has two
      // divergences.
      const FormulaNode inner = made_.nodes[*part];
      if (node.name == "divergence" && z.im) {
        if (inner.kind == Kind::negative) return negative(of_part(inner.operands[0]));
        if (inner.kind == Kind::sum || inner.kind == Kind::difference) {
          const PartNode a = of_part(inner.operands[0]), b = of_part(inner.operands[1]);
          return inner.kind == Kind::sum ? sum(a, b) : difference(a, b);
        }
      }
      std::vector<int> all = operands;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(acted_on), *part);
      return copy(node, all);
    };
    return {of_part(z.re), of_part(z.im)};
  }

  NodePair choice(const FormulaNode& node) {
    const int condition = real(node.operands[0], node);
    const NodePair a = of(node.operands[1]), b = of(node.operands[2]);
    at_ = node.at;
    const auto part = [&](PartNode one, PartNode other) {
      return one || other ? PartNode(copy(node, {condition, whole(one), whole(other)}))
                          : PartNode();
    };
    return {part(a.re, b.re), part(a.im, b.im)};
  }

  NodePair all_real(const FormulaNode& node) {
    std::vector<int> operands;
    for (const int operand : node.operands) operands.push_back(real(operand, node));
    at_ = node.at;
    return {copy(node, operands), {}};
  }
  int real(int operand, const FormulaNode& reader) {
    const NodePair z = of(operand);
    if (z.im)
      throw FormulaError(reader.at,
                         fmt::format("{} of a complex value (expected a real one, such as re, im, "
                                     "abs or arg of it)",
                                     reader.kind == Kind::power ? "^" : reader.name));
    at_ = reader.at;
    return whole(z.re);
  }

  int copy(FormulaNode node, std::vector<int> operands) {
    if (made_.nodes.size() >= formula_node_limit)
      throw FormulaError(node.at, fmt::format("more than {} numbers, names and signs in its parts",
                                              formula_node_limit));
    int depth = 0;
    for (const int operand : operands) depth = std::max(depth, depths_[operand] + 1);
    if (depth > formula_depth_limit) refuse_depth(node);
    depths_.push_back(depth);
    node.operands = std::move(operands);
    made_.nodes.push_back(std::move(node));
    return made_.whole();
  }
  int number(double value) { return copy({.number = value, .at = at_}, {}); }
  int function(const char* name, std::vector<int> operands) {
    return copy({.kind = Kind::call, .name = name, .at = at_}, std::move(operands));
  }
  int whole(PartNode part) { return part ? *part : number(0); }
  PartNode joined(Kind kind, int a, int b) { return copy({.kind = kind, .at = at_}, {a, b}); }

  PartNode negative(PartNode a) {
    return a ? PartNode(copy({.kind = Kind::negative, .at = at_}, {*a})) : a;
  }
  PartNode sum(PartNode a, PartNode b) { return a && b ? joined(Kind::sum, *a, *b) : a ? a : b; }
  PartNode difference(PartNode a, PartNode b) {
    return a && b ? joined(Kind::difference, *a, *b) : a ? a : negative(b);
  }
  PartNode product(PartNode a, PartNode b) {
    return a && b ? joined(Kind::product, *a, *b) : PartNode();
  }
  NodePair product(const NodePair& a, const NodePair& b) {
    return {difference(product(a.re, b.re), product(a.im, b.im)),
            sum(product(a.re, b.im), product(a.im, b.re))};
  }
  NodePair quotient(const NodePair& a, const NodePair& b) {
    NodePair above = a;
    PartNode below = b.re;
    if (b.im) {
      above = product(a, {b.re, negative(b.im)});
      below = square_of_magnitude(b);
    }
    const auto by = [&](PartNode part) {
      return part ? joined(Kind::quotient, *part, whole(below)) : part;
    };
    return {by(above.re), by(above.im)};
  }
  int square_of_magnitude(const NodePair& z) {
    const auto square = [&](PartNode part) { return part ? PartNode(power_node(*part, 2)) : part; };
    return *sum(square(z.re), square(z.im));
  }
  int power_node(int base, int exponent) {
    return exponent == 1 ? base : *joined(Kind::power, base, number(exponent));
  }

  // The tree below `root` in the new formula, as a formula of its own; adds the places of `noise`
  // and `random` in the text to `draws`.
  Formula reached_from(int root, std::map<std::size_t, std::string>& draws) const {
    std::vector<bool> reached(root + 1, false);
    reached[root] = true;
    for (int at = root; at >= 0; --at)
      if (reached[at])
        for (const int operand : made_.nodes[at].operands) reached[operand] = true;
    Formula part{.name = from_.name, .text = from_.text, .nodes = {}};
    std::vector<int> places(root + 1, -1);
    for (int at = 0; at <= root; ++at) {
      if (!reached[at]) continue;
      FormulaNode node = made_.nodes[at];
      for (int& operand : node.operands) operand = places[operand];
      if (node.name == "noise" || node.name == "random") draws.emplace(node.at, node.name);
      places[at] = static_cast<int>(part.nodes.size());
      part.nodes.push_back(std::move(node));
    }
    return part;
  }

  // Counts the nested calls of the function `of`, for this formula and those that read it.
  struct Deeper {
    Deeper(int& depth, const FormulaNode& node) : of(depth) {
      if (of > formula_depth_limit) refuse_depth(node);
      ++of;
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --of; }
    int& of;
  };
  [[noreturn]] static void refuse_depth(const FormulaNode& node) {
    throw FormulaError(node.at,
                       fmt::format("more than {} operations one upon the other, in its parts and "
                                   "the quantities that it reads",
                                   formula_depth_limit));
  }

  ComplexFormulas& formulas_;
  const Formula& from_;
  Formula made_;
  std::vector<int> depths_;  // of the tree below each new node
  std::map<int, NodePair> known_;
  std::size_t at_ = 0;  // the place in the text that new nodes have
};

}  // namespace

ComplexParts ComplexFormulas::split_parts(const Formula& formula) {
  try {
    return PartsWriter(*this, formula).of_whole();
  } catch (FormulaError& error) {
    if (error.of.empty()) {
      error.of = formula.name;
      error.text = formula.text;
    }
    throw;
  }
}

Formula ComplexFormulas::require_real(const Formula& formula) {
  ComplexParts parts = split_parts(formula);
  if (parts[1])
    throw FormulaError(formula.nodes.back().at,
                       "a complex value (expected a real one, such as re, im, abs or arg of it)",
                       formula.name, formula.text);
  if (!parts[0]) parts[0] = Formula{formula.name, formula.text, {FormulaNode{}}};
  return std::move(*parts[0]);
}

// A quantity that reads itself is a mistake that is found later; it counts as real here.
const ComplexParts& ComplexFormulas::quantity(const std::string& name) {
  const auto [known, is_new] = known_.try_emplace(name);
  if (is_new) known->second = split_parts(quantities_.at(name));
  return known->second;
}

}  // namespace lapl
